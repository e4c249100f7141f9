"""A chat as a model's own template writes it, the same on every day.

Some templates (Llama 3's among them) print the date, and transformers gives them today's: the same
question would have other tokens tomorrow, and another answer. They get one fixed date here.
"""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

__all__ = ["DATE", "chat_ids", "chat_text"]

DATE = "2024-07-26"
"""The day that templates are told it is; the one that Llama 3's prints where there is none."""
_ASKS = "strftime_now"
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
    return list(_applied(tokenizer, messages, tokenize=True, return_dict=True)["input_ids"])


def chat_text(tokenizer: Any, messages: Sequence[tuple[str, str]]) -> str:
    """The text that :func:`chat_ids` gives the tokens of."""
    return str(_applied(tokenizer, messages, tokenize=False))


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
