"""The questions of each corpus: a TOML file and its guidelines in Markdown."""
