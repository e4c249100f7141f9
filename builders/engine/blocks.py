"""The second half of a build: blocks of 1,024 rows pass all steps and are written once.

A block depends on its rows and the steps alone, so blocks may be done in any order, by
any number of workers, and an interrupted build goes on with the blocks that are missing.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from ...corpus.schema import REJECTED, Schema
from ...corpus.store import storage_errors, write_parquet
from ...failpoints import failpoint
from ...models.stop import Stop
from .progress import Progress
from .step import Step, apply_step

__all__ = ["BLOCK_PARTS", "block_folders", "run_blocks"]

#: A wait without an end may sleep through an interrupt; so many seconds are one.
_LISTEN = 0.2
#: Files of a finished block.
BLOCK_PARTS = ("rows.parquet", "rejected.parquet")


def block_folders(folder: Path) -> list[Path]:
    """The finished blocks, in their order."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def run_blocks(
    selected: Sequence[Path],
    schema: Schema,
    steps: Sequence[Step],
    folder: Path,
    *,
    workers: int,
    progress: Progress,
    stop: Stop | None = None,
) -> None:
    """Takes every block of the selected rows through the steps.

    Args:
        selected: The file of selected rows (none if no row was selected).
        schema: Its columns.
        steps: The steps.
        folder: Where finished blocks go.
        workers: Blocks in work at the same time. A worker is a thread: it overlaps the
            waiting for models, and the models themselves may use all cores.
        progress: Told of the rows done.
        stop: Is set when the user interrupts, so that the models send nothing more; what
            they have sent is waited for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in folder.glob(".*"):
        shutil.rmtree(leftover)
    sizes = [
        (path, group, metadata.row_group(group).num_rows)
        for path in selected
        for metadata in [pq.read_metadata(path)]
        for group in range(metadata.num_row_groups)
    ]
    progress.phase("models and steps", sum(size for _, _, size in sizes))
    done = 0

    def tasks() -> Iterator[tuple[Path, Path, int, int]]:
        nonlocal done
        for number, (path, group, size) in enumerate(sizes):
            target = folder / f"{number:07d}"
            if target.exists():
                done += size
                progress.advance(done, done)
            else:
                yield target, path, group, size

    def one(task: tuple[Path, Path, int, int]) -> int:
        target, path, group, size = task
        _run_block(_read_group(path, group, schema), steps, target)
        return size

    pending = tasks()
    with (
        _interruptible(stop or Stop(), progress) as stopping,
        ThreadPoolExecutor(workers, thread_name_prefix="block") as pool,
    ):
        running: set[Future[int]] = {pool.submit(one, task) for task in islice(pending, workers)}
        try:
            while running:
                finished, running = wait(running, _LISTEN, return_when=FIRST_COMPLETED)
                for future in finished:
                    done += future.result()
                    progress.advance(done, done)
                running |= {pool.submit(one, t) for t in islice(pending, len(finished))}
        except KeyboardInterrupt:
            stopping()
            raise
        finally:
            for future in running:
                future.cancel()


@contextmanager
def _interruptible(stop: Stop, progress: Progress) -> Iterator[Callable[[], None]]:
    """Gives what is to be called at the first interrupt; the second one ends the process."""
    here = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)

    def stopping() -> None:
        calls = stop.ask()
        if here:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        progress.note(f"stopping: {calls} calls in flight; the same command goes on from here")

    try:
        yield stopping
    finally:
        if here:
            signal.signal(signal.SIGINT, before)


def _read_group(path: Path, group: int, schema: Schema) -> pl.DataFrame:
    table = pq.ParquetFile(path).read_row_group(group)
    return pl.DataFrame(pl.from_arrow(table), schema=dict(schema))


def _run_block(rows: pl.DataFrame, steps: Sequence[Step], target: Path) -> None:
    rejected = [pl.DataFrame(schema=dict(REJECTED))]
    for step in steps:
        outcome = apply_step(step, rows)
        rows = outcome.rows
        rejected.append(outcome.rejected)
    temporary = target.with_name(f".{target.name}")
    temporary.mkdir()
    rows_file, rejected_file = (temporary / part for part in BLOCK_PARTS)
    write_parquet(rows, rows_file, dict(rows.schema))
    failpoint("block-half-written")
    write_parquet(pl.concat(rejected).sort("position"), rejected_file, REJECTED)
    failpoint("block-written")
    with storage_errors(target):
        os.replace(temporary, target)
    failpoint("block-in-place")
