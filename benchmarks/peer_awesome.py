"""awesome-align 0.1.7 doing the job of bench_align_speed.py; run with its own python.

    python benchmarks/peer_awesome.py MODEL_FOLDER PAIRS_FILE LINKS_FILE LAYER

Prints the seconds of two passes over the pairs, without the loading of the model.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from types import SimpleNamespace


def main() -> None:
    """Aligns the file twice and prints both times."""
    import torch
    from awesome_align import modeling, run_align  # type: ignore[import-not-found]

    torch.set_num_threads(1)
    folder, pairs, links, layer = sys.argv[1:]
    config = run_align.BertConfig.from_pretrained(folder)
    tokenizer = run_align.BertTokenizer.from_pretrained(folder)
    for name in ("PAD", "CLS", "SEP"):
        setattr(modeling, f"{name}_ID", getattr(tokenizer, f"{name.lower()}_token_id"))
    model = run_align.BertForMaskedLM.from_pretrained(folder, config=config)
    options = SimpleNamespace(
        data_file=pairs, output_file=links, output_prob_file=None, output_word_file=None,
        align_layer=int(layer), extraction="softmax", softmax_threshold=0.001,
        batch_size=32, num_workers=0, device=torch.device("cpu"),
    )  # fmt: skip
    seconds = []
    for _ in range(2):
        start = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run_align.word_align(options, model, tokenizer)
        seconds.append(time.process_time() - start)
    print(*seconds)


if __name__ == "__main__":
    main()
