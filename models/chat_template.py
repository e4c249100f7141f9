"""A chat as a model's own template writes it, the same on every day.

Some templates (Llama 3's among them) print the date, and transformers gives them today's: the same
question would have other tokens tomorrow, and another answer. They get one fixed date here.

The template writes special tokens; what a message says is text, whatever tokens it names.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import TemplateError

__all__ = ["DATE", "RENDERING", "as_taken", "chat_ids", "chat_text"]

DATE = "2024-07-26"
"""The day that templates are told it is; the one that Llama 3's prints where there is none."""
RENDERING = 1
"""Version of how messages become tokens, beside what the template says."""
_ASKS = "strftime_now"
#: Stands for a message until the template has written what is its own.
_MARK = re.compile("(\ue000[0-9]+\ue001)")
#: Stands for a ``%`` that is written, until all others are gone.
_PERCENT = "\ue002"


def chat_ids(tokenizer: Any, messages: Sequence[tuple[str, str]]) -> list[int]:
    """A chat in tokens, up to where the model would begin to answer.

    Args:
        tokenizer: A tokenizer of transformers with a chat template.
        messages: (role, text) in their order.

    Raises:
        jinja2.TemplateError: If the template refuses the messages.
    """
    messages = as_taken(tokenizer, messages)
    names = [name for name in tokenizer.get_added_vocab() if name.strip()]
    if not any(name in text for _, text in messages for name in names):
        return list(_applied(tokenizer, messages, tokenize=True, return_dict=True)["input_ids"])
    # A text that names a special token is tokenised apart from what the template writes.
    marked, texts = _marked(messages)
    ids: list[int] = []
    for part in _MARK.split(str(_applied(tokenizer, marked, tokenize=False))):
        if part:
            ids += tokenizer(
                texts.get(part, part), add_special_tokens=False, split_special_tokens=part in texts
            )["input_ids"]
    return ids


def chat_text(tokenizer: Any, messages: Sequence[tuple[str, str]]) -> str:
    """The text that :func:`chat_ids` gives the tokens of."""
    return str(_applied(tokenizer, as_taken(tokenizer, messages), tokenize=False))


def as_taken(tokenizer: Any, messages: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """The messages as the template takes them.

    Where it refuses a system message, or leaves it out without a word, the system's text goes
    before the user's first.
    """
    first = next((at for at, (role, _) in enumerate(messages) if role == "user"), None)
    if first is None or messages[0][0] != "system":
        return messages
    marked, _ = _marked(messages)
    with suppress(TemplateError):
        if marked[0][1] in str(_applied(tokenizer, marked, tokenize=False)):
            return messages
    taken = list(messages)
    taken[first] = ("user", f"{messages[0][1]}\n\n{messages[first][1]}")
    return taken[1:]


def _marked(messages: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The messages with a mark in each text's place, and the texts by their marks."""
    texts = {f"\ue000{at}\ue001": text for at, (_, text) in enumerate(messages)}
    return [(role, mark) for (role, _), mark in zip(messages, texts, strict=True)], texts


def _applied(tokenizer: Any, messages: Sequence[tuple[str, str]], **how: Any) -> Any:
    template = tokenizer.get_chat_template()
    # transformers lets no function of ours into a template; a macro goes before the function of
    # that name. The line's end is no part of what is written: the block takes it.
    dated = f"{_macro(DATE)}\n{template}" if _ASKS in template else template
    return tokenizer.apply_chat_template(
        [{"role": role, "content": text} for role, text in messages],
        chat_template=dated,
        add_generation_prompt=True,
        **how,
    )


@cache
def _macro(date: str) -> str:
    """``strftime`` of one date, in the language of templates."""
    day = datetime.fromisoformat(date)
    values = {f"%{letter}": day.strftime(f"%{letter}") for letter in string.ascii_letters}
    known = {code: value for code, value in values.items() if value not in (code, code[1:])}
    # Without the leading zero, where the system's C library knows that.
    bare = {f"%-{code[1]}": value.lstrip("0") or "0" for code, value in known.items()}
    steps = [("%%", _PERCENT), *known.items(), *bare.items(), (_PERCENT, "%")]
    filters = "".join(f"|replace({json.dumps(old)}, {json.dumps(new)})" for old, new in steps)
    return f"{{% macro {_ASKS}(format) %}}{{{{ format{filters} }}}}{{% endmacro %}}"
