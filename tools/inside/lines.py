"""The worker's side of a worker: a request a line in, an answer a line out, in order."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from .channel import say
from .parent import die_with_parent

__all__ = ["serve"]


def serve(answer: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
    """Answers requests until there are no more; call it when everything is loaded.

    An exception is that one item's failure. What it says about a text stays out of the log.

    Args:
        answer: From a request to its answer; both are JSON objects.
    """
    die_with_parent(stdin=False)
    say({"ready": True})
    for line in sys.stdin.buffer:
        request = json.loads(line)
        number = request["number"]
        try:
            say({"number": number, "answer": dict(answer(request["request"]))})
        except BrokenPipeError:
            return
        except Exception as error:  # noqa: BLE001 - a library's exception is the item's failure
            say({"number": number, "failure": f"{type(error).__name__}: {error}"})
