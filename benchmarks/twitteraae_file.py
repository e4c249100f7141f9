"""Writes a file in TwitterAAE's format of any size, with every trap such files have.

The texts are strings of everyday words without meaning; ids, users, times and places
are invented.

    python benchmarks/twitteraae_file.py FILE ROWS [SEED]
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

WORDS = """
    morning coffee bus school game kitchen garden rain music sister cousin work phone road
    church summer bread window river teacher shoes ticket movie uncle birthday market about
    before because after never always with without maybe tomorrow today again
""".split()
MARKED = ["finna", "ain't", "been", "gon", "y'all", "done", "be working", "nobody", "tryna"]
JUNK = [
    *("@somebody", "@friend_1", "http://t.co/abcdEF12", "https://t.co/xYz", "#blessed"),
    *("&amp;", "&lt;3", "&quot;hey&quot;", 'say "hi"', "back\\slash", "tab\there"),
    *("don\u2019t", "\u201cok\u201d", "so\u2014well", "caf\u00e9", "e\u0301clair"),
    *("two\nlines", "left\u2028right", "a\U0001f602b", "\U0001f602\U0001f602"),
]


def write(path: Path, rows: int, seed: int = 0) -> None:
    """Writes ``rows`` lines to ``path``; the same arguments give the same bytes."""
    draw = random.Random(seed)
    texts: list[str] = []
    with path.open("wb") as file:
        lines: list[bytes] = []
        for row in range(rows):
            lines.append(_line(row, draw, texts))
            if len(lines) == 10_000:
                file.write(b"".join(lines))
                lines.clear()
        file.write(b"".join(lines))


def _text(draw: random.Random) -> str:
    words = draw.choices(WORDS, k=draw.randint(6, 18))
    for choices, chance in ((MARKED, 0.4), (JUNK, 0.5), (JUNK, 0.2)):
        if draw.random() < chance:
            words.insert(draw.randint(0, len(words)), draw.choice(choices))
    if draw.random() < 0.05:
        words = ["RT", "@somebody:", *words]
    return " ".join(words)


def _line(row: int, draw: random.Random, texts: list[str]) -> bytes:
    tweet = 300_000_000_000_000_000 + row
    chance = draw.random()
    text = _text(draw)
    if chance < 0.01 and texts:
        text = draw.choice(texts)  # somebody else's text again
    elif chance < 0.02 and row:
        tweet -= draw.randint(1, min(row, 1000))  # a tweet id again
    if row % 20 == 0 and len(texts) < 5_000:
        texts.append(text)
    encoded = json.dumps(text)
    if 0.020 < chance < 0.021:
        encoded = f'"{text.split()[0]} \\ud83d half a pair and some more words to be long enough"'
    posterior = "NaN" if 0.03 < chance < 0.035 else repr(round(draw.betavariate(1.5, 1.0), 6))
    fields = [
        str(tweet),
        json.dumps("Wed Jan 02 14:15:56 +0000 2013"),
        json.dumps(str(1_000_000 + row // 3)),
        f"[{draw.uniform(-1, 1):.6f}, {draw.uniform(-1, 1):.6f}]",
        json.dumps("000000000000"),
        encoded,
        posterior,
        "0.05",
        "0.05",
        "0.1",
    ]
    line = "\t".join(fields).encode()
    if 0.040 < chance < 0.041:
        line = line[: draw.randint(5, len(line) - 30)]  # cut off
    elif 0.041 < chance < 0.0411:
        line = line.replace(b"words", b"caf\xe9") + b"\xff"  # not UTF-8
    return line + b"\n"


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
