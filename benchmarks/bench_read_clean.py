"""Reads, selects and cleans a TwitterAAE file of 2 million rows, beside pandas in one run.

Prints rows/s of both, the ratio, and peak memory. Each side runs in a process of its
own. pandas keeps what it drops no more than a notebook would: the rejected rows, which
ours writes out with their reasons, are only counted.

    python benchmarks/bench_read_clean.py [ROWS]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 2_000_000
_LEAST_RATIO = 3.0
_MOST_MEGABYTES = 1024


def ours(source: str, out: str) -> None:
    """Our reader, select, clean, duplicates; kept rows and rejections written."""
    from isogloss.builders import builder
    from isogloss.builders.engine.progress import Silent
    from isogloss.builders.engine.selection import select_rows

    pipeline = builder("realaae")(
        source=source, translator="rules:", encoder="none", bertscore="none"
    )
    select_rows(pipeline, Path(out) / "selected", Silent())


def peer(source: str, out: str) -> None:
    """The same with pandas, as a notebook would; kept rows written."""
    import html
    import json
    import re

    import pandas as pd

    names = ["id", "time", "user", "place", "block", "text", "aa", "hispanic", "other", "white"]
    rows = pd.read_csv(
        source,
        sep="\t",
        header=None,
        names=names,
        dtype=str,
        quoting=3,
        on_bad_lines="skip",
        encoding_errors="replace",
        keep_default_na=False,
    )

    def decode(value: object) -> str | None:
        try:
            text = json.loads(str(value))
            text.encode()
        except (ValueError, AttributeError):
            return None
        return str(text)

    rows["posterior"] = pd.to_numeric(rows["aa"], errors="coerce")
    rows["text"] = rows["text"].map(decode)
    rows["user"] = rows["user"].map(decode)
    rows = rows[rows["text"].notna() & rows["user"].notna() & (rows["posterior"] >= 0.8)]
    rows = rows[~rows["text"].str.contains(r"(?:^|\s)[rR][tT]\s*:?\s*@\w")]
    text = rows["text"].map(html.unescape)
    text = text.str.replace(r"[\w.+-]+@[\w-]+\.[\w.-]+|@\w+", " ", regex=True)
    text = text.str.replace(r"(?:https?:|www\.)\S*", " ", regex=True)
    straight = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": " - "})
    text = text.map(lambda value: value.translate(straight))
    text = text.str.normalize("NFC").str.replace(r"\s+", " ", regex=True)
    text = text.str.replace(r"[^\x00-\x7f]+([0-9A-Za-z#])", r" \1", regex=True)
    text = text.str.replace(r"[^\x00-\x7f]+", "", regex=True)
    text = text.str.replace(r"\s+", " ", regex=True).str.strip()
    rows = rows.assign(dialect=text)
    rows = rows[rows["dialect"].str.split().str.len() >= 10]
    rows = rows.sort_values("posterior", ascending=False, kind="stable").drop_duplicates("id")
    words = re.compile(r"[\W_]+")
    key = rows["dialect"].str.lower().map(lambda value: words.sub(" ", value).strip())
    rows = rows[~key.duplicated()]
    rows[["id", "dialect", "user", "posterior"]].to_parquet(Path(out) / "selected.parquet")
    print(f"  pandas kept {len(rows):,}", file=sys.stderr)


def _measure(side: str, source: Path) -> tuple[float, float]:
    """Seconds and peak megabytes of one side, imports included."""
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        subprocess.run([sys.executable, __file__, side, str(source), out], check=True)
        seconds = time.perf_counter() - start
        megabytes = float((Path(out) / "peak").read_text())
    return seconds, megabytes


def main() -> None:
    """Generates the file, measures both sides, prints the ratio."""
    if len(sys.argv) == 4:
        {"ours": ours, "peer": peer}[sys.argv[1]](sys.argv[2], sys.argv[3])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        (Path(sys.argv[3]) / "peak").write_text(str(peak))
        return
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    sys.path.insert(0, str(Path(__file__).parent))
    from twitteraae_file import write

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tweets.tsv"
        write(source, rows)
        print(f"{rows:,} rows, {source.stat().st_size / 1e6:,.0f} MB")
        result = {side: _measure(side, source) for side in ("ours", "peer", "ours", "peer")}
    for side, (seconds, megabytes) in result.items():
        print(f"{side:5} {seconds:6.1f} s  {rows / seconds:9,.0f} rows/s  peak {megabytes:,.0f} MB")
    ratio = result["peer"][0] / result["ours"][0]
    print(f"ratio {ratio:.2f} (wanted: {_LEAST_RATIO}); duplicate index: 40 bytes per selected row")
    if ratio < _LEAST_RATIO or result["ours"][1] > _MOST_MEGABYTES:
        sys.exit("below the wanted ratio, or over the wanted memory")


if __name__ == "__main__":
    main()
