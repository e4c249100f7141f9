"""Annotation: questions to people about a corpus, and their answers beside its rows.

The questions of each corpus are data (``projects/``). Answers come from a server, or from a
file, into one table of labels per project; they are merged into the corpus as columns.
"""
