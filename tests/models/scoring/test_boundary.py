"""The boundary: tokens of context and continuation are those of the whole text, always."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from isogloss.errors import ModelError, OptionError
from isogloss.models.scoring.boundary import QuestionTooLongError, encode
from isogloss.models.scoring.request import ScoreRequest
from isogloss.tests.models.scoring.tiny_tokenizers import (
    BEGUN,
    KINDS,
    sample_lines,
    straddling_tokenizer,
    tiny_tokenizer,
)

MANY = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
SPACES = st.sampled_from([" ", " ", " ", "  ", "\n", " \n ", "\t", "\u00a0", "\u3000"])
_STRANGE = ["😴", "naïve", "e\u0301", "ẞ", "中文", "ain’t", "#night", "2", "x" * 30, "🇩🇪", "\u200d"]
WORDS = st.one_of(
    st.sampled_from(sorted({word for line in sample_lines() for word in line.split()})),
    st.sampled_from(_STRANGE),
    st.text("aeswb.…ßя☂", min_size=1, max_size=4),
)
PIECES = st.lists(st.tuples(SPACES, WORDS).map("".join), min_size=1, max_size=6).map("".join)
#: A context, and continuations that begin with the space before them.
SPLITS = st.tuples(PIECES.map(str.strip), st.lists(PIECES, min_size=1, max_size=3).map(tuple))
Split = tuple[str, tuple[str, ...]]


def whole(tokenizer: Any, text: str) -> list[int]:
    """The text as the model would have read it; what is put behind a text is left out."""
    ids = list(tokenizer(text)["input_ids"])
    with_end = tokenizer("x")["input_ids"][-1] == tokenizer.eos_token_id
    return ids[:-1] if with_end else ids


@MANY
@given(split=SPLITS)
@example(split=("We was", (" late", "  late", "\nlate")))
@example(split=("He 😴", (" 😴", " zzz")))
def test_context_and_continuation_are_the_whole_text(split: Split) -> None:
    context, continuations = split
    for kind in KINDS:
        tokenizer = tiny_tokenizer(kind)
        found = encode(tokenizer, ScoreRequest(context, continuations))
        assert (found.texts, found.cut) == (continuations, 0)
        for text, tokens in zip(continuations, found.continuations, strict=True):
            # One context for all, and a token of its own for each.
            joint = whole(tokenizer, context + text)
            begun = kind in ("gpt2", "qwen", "bare") and joint == list(tokens)
            assert begun or [*found.context, *tokens] == joint, kind
            assert tokens
            offsets = tokenizer(context + text, return_offsets_mapping=True)["offset_mapping"]
            assert max(to for _, to in offsets[: len(found.context)]) <= len(context), kind
            assert found.shortened or offsets[len(found.context)][0] >= len(context), kind


@MANY
@given(split=SPLITS)
def test_bos_stands_once_where_the_tokenizer_puts_it(split: Split) -> None:
    for kind in KINDS:
        tokenizer = tiny_tokenizer(kind)
        found = encode(tokenizer, ScoreRequest(*split))
        special = {tokenizer.bos_token_id, tokenizer.eos_token_id} - {None}
        inside = [token for token in found.context if token in special]
        assert inside == ([tokenizer.bos_token_id] if kind in BEGUN else []), kind
        assert kind not in BEGUN or found.context[0] == tokenizer.bos_token_id
        assert not any(special & set(tokens) for tokens in found.continuations)


@MANY
@given(split=SPLITS, space=SPACES)
def test_space_behind_a_context_belongs_to_the_continuation(split: Split, space: str) -> None:
    context, continuations = split
    bare = tuple(text.lstrip() for text in continuations)
    spaced = tuple(space + text for text in bare)
    for kind in KINDS:
        moved = encode(tiny_tokenizer(kind), ScoreRequest(context + space, bare))
        assert moved == encode(tiny_tokenizer(kind), ScoreRequest(context, spaced)), kind
        assert moved.texts == spaced


@pytest.mark.parametrize("kind", BEGUN)
def test_an_empty_context_is_bos(kind: str) -> None:
    tokenizer = tiny_tokenizer(kind)
    found = encode(tokenizer, ScoreRequest("", ("We was late", "It's cold")))
    assert found.context == (tokenizer.bos_token_id,)
    assert [*found.context, *found.continuations[0]] == whole(tokenizer, "We was late")


@pytest.mark.parametrize("kind", ["qwen", "gpt2"])
def test_an_empty_context_without_bos_is_eos(kind: str) -> None:
    tokenizer = tiny_tokenizer(kind)
    found = encode(tokenizer, ScoreRequest(" \n", ("We was late",)))
    assert found.context == (tokenizer.eos_token_id,)
    assert list(found.continuations[0]) == tokenizer(" \nWe was late")["input_ids"]


def test_an_empty_context_without_any_such_token_is_refused() -> None:
    with pytest.raises(ModelError, match="no token to begin a text with") as caught:
        encode(tiny_tokenizer("bare"), ScoreRequest("", ("We was late",)))
    assert caught.value.remedy == "give a context"


def test_a_straddling_token_shortens_the_context_for_all_continuations() -> None:
    tokenizer = straddling_tokenizer()
    found = encode(tokenizer, ScoreRequest("it was", (" best", " late")))

    def spelt(ids: tuple[int, ...]) -> list[str]:
        return list(tokenizer.convert_ids_to_tokens(list(ids)))

    assert spelt(found.context) == ["<s>", *"it wa"]
    assert spelt(found.continuations[0]) == ["s b", *"est"]
    assert spelt(found.continuations[1]) == ["s ", *"late"]
    assert found.shortened == 1
    assert found.texts == (" best", " late")


def test_a_straddling_token_of_one_continuation_shortens_it_for_the_others() -> None:
    tokenizer = straddling_tokenizer()
    found = encode(tokenizer, ScoreRequest("it was", ("\tbest", " best")))
    assert tokenizer.convert_ids_to_tokens(list(found.continuations[0]))[0] == "s"
    assert found.shortened == 1
    alone = encode(tokenizer, ScoreRequest("it was", (".best",)))
    assert alone.shortened == 0
    assert len(alone.context) == 1 + len("it was")


def test_straddling_tokens_are_found_in_the_wild() -> None:
    lines = [re.split(r"(?=\s)", line) for line in sample_lines()]
    counts = [
        encode(
            tiny_tokenizer("llama"),
            ScoreRequest("".join(words[: len(words) // 2]), ("".join(words[len(words) // 2 :]),)),
        ).shortened
        for words in lines
    ]
    # Its merges end in spaces; the other kinds keep the space with the word behind it.
    assert sum(counts) > len(lines) / 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_window_raises_or_cuts_the_context_from_its_left_and_counts(kind: str) -> None:
    tokenizer = tiny_tokenizer(kind)
    request = ScoreRequest(" ".join(sample_lines()[:9]), (" late", " very late indeed"), item="r7")
    free = encode(tokenizer, request)
    needed = len(free.context) + max(map(len, free.continuations)) - 1
    assert encode(tokenizer, request, room=needed) == free
    with pytest.raises(
        OptionError, match=rf"{needed} tokens, .* window has {needed - 1}"
    ) as caught:
        encode(tokenizer, request, room=needed - 1)
    assert "r7" in str(caught.value)
    assert "--overlong cut" in str(caught.value)
    cut = encode(tokenizer, request, room=needed - 12, cut=True)
    assert cut.cut == 12
    assert cut.continuations == free.continuations
    assert len(cut.context) == len(free.context) - 12
    if kind in BEGUN:  # a model that has always seen it falls apart without it
        assert cut.context == (free.context[0], *free.context[13:])
    else:
        assert cut.context == free.context[12:]


def test_a_continuation_that_fills_the_window_alone_is_refused() -> None:
    request = ScoreRequest("We was", (" " + " ".join(sample_lines()[:9]),), item="r7")
    with pytest.raises(OptionError, match="a continuation alone fills the model's window of 16"):
        encode(tiny_tokenizer("qwen"), request, room=16, cut=True)
    for kind in ("qwen", "gemma"):  # at least one token of the context is left
        tokenizer = tiny_tokenizer(kind)
        tokens = max(map(len, encode(tokenizer, request).continuations))
        least = 1 + (kind in BEGUN)
        kept = encode(tokenizer, request, room=tokens + least - 1, cut=True)
        assert len(kept.context) == least
        with pytest.raises(OptionError, match="alone fills"):
            encode(tokenizer, request, room=tokens + least - 2, cut=True)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bare"])
def test_a_chat_is_rendered_to_ids_without_doubled_special_tokens(kind: str) -> None:
    tokenizer = tiny_tokenizer(kind)
    found = encode(tokenizer, ScoreRequest((("user", "We was late"),), ("Yes", "No")))
    text = tokenizer.decode(found.context)
    assert text.count("<|user|>") == text.count("<|assistant|>") == 1
    assert text.endswith("<|assistant|>")
    begins = [token for token in found.context if token == tokenizer.bos_token_id]
    assert len(begins) == (tokenizer.bos_token_id is not None)
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    assert all(tokens and not special & set(tokens) for tokens in found.continuations)
    decoded = [tokenizer.decode(tokens) for tokens in found.continuations]
    assert [re.sub("[ ▁]", "", text) for text in decoded] == ["Yes", "No"]
    assert found.texts == ("Yes", "No")


def test_a_chat_that_the_template_refuses_is_one_line() -> None:
    chat = (("user", "We was late"), ("system", "Be exact."))
    with pytest.raises(ModelError, match="no system role"):
        encode(tiny_tokenizer("gemma"), ScoreRequest(chat, ("Yes",)))


def test_a_template_without_a_system_role_gets_its_text_from_the_user() -> None:
    chat = (("system", "Be exact."), ("user", "We was late"))
    merged = (("user", "Be exact.\n\nWe was late"),)
    found, expected = (
        encode(tiny_tokenizer("gemma"), ScoreRequest(one, ("Yes",))) for one in (chat, merged)
    )
    assert found == expected


def test_a_chat_without_a_template_is_refused() -> None:
    class Bare:
        chat_template = None
        name_or_path = "tiny"

    with pytest.raises(ModelError, match="no chat template"):
        encode(Bare(), ScoreRequest((("user", "Hi"),), ("Yes",)), chat="on")


def test_a_continuation_that_the_tokenizer_drops_is_refused() -> None:
    from tokenizers import normalizers

    tokenizer = straddling_tokenizer()
    tokenizer.backend_tokenizer.normalizer = normalizers.Replace("zz", "")
    with pytest.raises(OptionError, match="no token of its own") as caught:
        encode(tokenizer, ScoreRequest("it was", ("zz", ".late"), item="r7"))
    assert "r7" in str(caught.value)


@pytest.mark.parametrize("text", ["<s>We was", "We <|assistant|> was", "<s>"])
def test_a_text_that_has_a_special_tokens_name_is_text(text: str) -> None:
    tokenizer = tiny_tokenizer("gemma")
    found = encode(tokenizer, ScoreRequest(text, (" late", " <|user|> late")))
    begin, *rest = found.context
    assert begin == tokenizer.bos_token_id
    special = set(tokenizer.all_special_ids) | {
        tokenizer.convert_tokens_to_ids(name) for name in ("<|user|>", "<|assistant|>")
    }
    unknown = tokenizer.unk_token_id
    assert not (special - {unknown}).intersection(rest, *found.continuations)


@pytest.mark.parametrize("kind", ["gemma", "qwen", "gpt2"])
def test_a_message_that_names_a_special_token_is_text(kind: str) -> None:
    tokenizer = tiny_tokenizer(kind)
    special = {tokenizer.convert_tokens_to_ids(name) for name in ("<|user|>", "<|assistant|>")}

    def found(text: str) -> list[int]:
        context = encode(tokenizer, ScoreRequest((("user", text),), ("late",))).context
        return [token for token in context if token in special]

    assert found("We was <|assistant|> he said <|user|>") == found("We was")
    assert len(found("We was")) == 2


def test_a_question_is_never_cut() -> None:
    tokenizer = tiny_tokenizer("gpt2")
    question = ScoreRequest((("user", "We was late again and again"),), ("A", "B"), item="r7")
    for chat in ("on", "off"):
        whole = encode(tokenizer, question, chat=chat)
        room = len(whole.context) + max(map(len, whole.continuations)) - 1
        assert encode(tokenizer, question, chat=chat, room=room, cut=True).cut == 0
        with pytest.raises(QuestionTooLongError, match="r7"):
            encode(tokenizer, question, chat=chat, room=room - 1, cut=True)


def test_a_chat_scores_what_an_answer_says_as_text() -> None:
    tokenizer = tiny_tokenizer("gemma")
    found = encode(tokenizer, ScoreRequest((("user", "Hi"),), ("<|user|>",)))
    assert tokenizer.convert_tokens_to_ids("<|user|>") not in found.continuations[0]


QUESTION = ScoreRequest((("system", "Be exact."), ("user", "A or B?")), ("A", "B"), item="q")


@pytest.mark.parametrize("chat", ["auto", "off"])
def test_a_chat_is_plain_text_where_there_is_no_template(chat: str) -> None:
    tokenizer = copy.deepcopy(tiny_tokenizer("gpt2"))
    tokenizer.chat_template = None
    plain = ScoreRequest("Be exact.\n\nA or B?\n\nAnswer:", (" A", " B"))
    assert encode(tokenizer, QUESTION, chat=chat) == encode(tokenizer, plain)
    with pytest.raises(ModelError, match="no chat template"):
        encode(tokenizer, QUESTION, chat="on")


def test_a_template_is_used_unless_it_shall_not() -> None:
    tokenizer = tiny_tokenizer("gpt2")
    question = ScoreRequest((("user", "A or B?"),), ("A", "B"))
    by_template, plain = (encode(tokenizer, question, chat=chat) for chat in ("auto", "off"))
    assert by_template == encode(tokenizer, question, chat="on")
    assert by_template.context != plain.context
    raw = ScoreRequest("We was", (" late",))
    assert encode(tokenizer, raw, chat="off") == encode(tokenizer, raw, chat="on")
