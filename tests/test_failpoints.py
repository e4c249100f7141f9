"""Failpoints: they kill at the named point and the given pass, and never otherwise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
from isogloss.failpoints import failpoint
for passed in range(1, 5):
    print(passed, flush=True)
    failpoint("other")
    failpoint("here")
try:
    failpoint("end")
finally:
    print("end", flush=True)
"""


@pytest.mark.parametrize(
    ("kill_at", "printed"),
    [
        (None, "1 2 3 4 end"),
        ("elsewhere", "1 2 3 4 end"),
        ("here", "1"),
        ("here:3", "1 2 3"),
        ("here:5", "1 2 3 4 end"),
        ("end", "1 2 3 4"),
    ],
)
def test_the_process_dies_at_the_point_without_a_last_word(
    kill_at: str | None, printed: str
) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "ISOGLOSS_KILL_AT"}
    if kill_at is not None:
        environment["ISOGLOSS_KILL_AT"] = kill_at
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == printed.split()
    assert done.returncode == (0 if printed.endswith("end") else -signal.SIGKILL)
