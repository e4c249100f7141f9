"""Rows that were lost because a model gave no usable answer, and how to ask it again."""

from __future__ import annotations

from collections import Counter

from ...corpus.manifest import Manifest

__all__ = ["failure_line"]


def failure_line(manifest: Manifest) -> str:
    """Says how many requests failed, and why; "" where none did."""
    failed: Counter[str] = Counter()
    for stage in manifest["stages"]:
        if "translator" in stage.get("params", {}):
            failed.update(stage["rejected"])
    if not failed:
        return ""
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(failed.items()))
    requests = "request" if failed.total() == 1 else "requests"
    return (
        f"{failed.total():,} {requests} failed ({reasons}); the same command with "
        "--retry-failed asks them again"
    )
