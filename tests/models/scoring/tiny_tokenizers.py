"""Tokenizers of the families that matter, trained in a moment on a few lines of our own."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from typing import Any

from isogloss.tests.conftest import ROOT
from isogloss.tests.models.hf_tiny import LINES
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers.trainers import BpeTrainer, UnigramTrainer

TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}"
    "{% endif %}{{ bos_token or '' }}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_ROLES = ["<|user|>", "<|assistant|>"]
_SIZE = 400


@cache
def sample_lines() -> list[str]:
    """What the tokenizers are trained on: the sample of tweets that we wrote, and some lines."""
    with (ROOT / "builders" / "samples" / "realaae.tsv").open(encoding="utf-8") as file:
        rows = csv.reader(file, delimiter="\t")
        return [*LINES, *(row[5] for row in rows)]


def _wrapped(tokenizer: Tokenizer, **special: str) -> Any:
    from transformers import PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)  # type: ignore[no-untyped-call]
    fast.chat_template = TEMPLATE
    return fast


def _begins(tokenizer: Tokenizer, begin: str, end: str = "") -> None:
    names = [name for name in (begin, end) if name]
    single = f"{begin} $A {end}".strip()
    special = [(name, tokenizer.token_to_id(name)) for name in names]
    tokenizer.post_processor = processors.TemplateProcessing(single=single, special_tokens=special)


def _unigram() -> Any:
    """Sentencepiece's Unigram, as T5, XLM-R and Llama's converted files have it."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    trainer = UnigramTrainer(
        vocab_size=_SIZE, special_tokens=["<unk>", "<s>", "</s>", *_ROLES], unk_token="<unk>",
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(sample_lines(), trainer)
    _begins(tokenizer, "<s>")
    return _wrapped(tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def _spaced_bpe(*, prepend: bool, split: bool) -> Tokenizer:
    """BPE in which spaces are letters and unknown letters are bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True))
    steps: list[Any] = [normalizers.Replace(" ", "▁")]
    if prepend:
        steps.insert(0, normalizers.Prepend("▁"))
    tokenizer.normalizer = normalizers.Sequence(steps)
    if split:
        tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = BpeTrainer(
        vocab_size=_SIZE + 256, special_tokens=["<unk>", "<s>", "</s>", *_ROLES, *bytes_],
        limit_alphabet=60, show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(sample_lines(), trainer)
    return tokenizer


def _gemma() -> Any:
    """Gemma's: spaces are letters, bytes for what is unknown, a BOS before every text."""
    tokenizer = _spaced_bpe(prepend=False, split=True)
    _begins(tokenizer, "<s>")
    return _wrapped(tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def _llama() -> Any:
    """Llama 2's: a space is put before the text, and nothing keeps a merge within a word."""
    tokenizer = _spaced_bpe(prepend=True, split=False)
    _begins(tokenizer, "<s>")
    return _wrapped(tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def _byte_level(special: list[str], *, pattern: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    inner = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern)
    tokenizer.pre_tokenizer = inner
    if pattern:
        from tokenizers import Regex

        words = Regex(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+")
        tokenizer.normalizer = normalizers.NFC()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Split(words, "isolated"), inner]
        )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=_SIZE, special_tokens=[*special, *_ROLES], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(sample_lines(), trainer)
    return tokenizer


def _qwen() -> Any:
    """Qwen's: bytes, no BOS at all."""
    return _wrapped(_byte_level(["<|im_end|>"], pattern=True), eos_token="<|im_end|>")


def _gpt2() -> Any:
    """GPT-2's: bytes, one special token for everything, put nowhere; trimmed offsets."""
    tokenizer = _byte_level(["<|endoftext|>"], pattern=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return _wrapped(tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>")


def _both_ends() -> Any:
    """Bytes with BOS and EOS around every text, as BART and RoBERTa have it."""
    tokenizer = _byte_level(["<s>", "</s>"], pattern=False)
    _begins(tokenizer, "<s>", "</s>")
    return _wrapped(tokenizer, bos_token="<s>", eos_token="</s>")


def _bare() -> Any:
    """Bytes without any special token."""
    return _wrapped(_byte_level([], pattern=False))


_MAKERS: dict[str, Callable[[], Any]] = {
    "unigram": _unigram, "gemma": _gemma, "llama": _llama, "qwen": _qwen, "gpt2": _gpt2,
    "both ends": _both_ends, "bare": _bare,
}  # fmt: skip
KINDS = tuple(_MAKERS)
#: Those that put a token before every text.
BEGUN = ("unigram", "gemma", "llama", "both ends")


@cache
def tiny_tokenizer(kind: str) -> Any:
    """A tokenizer of one of the kinds."""
    return _MAKERS[kind]()


def straddling_tokenizer() -> Any:
    """Single letters, and one merge across a space: ``s b`` is one token."""
    letters = ["<s>", *"abcdefghijklmnopqrstuvwxyz.' ", "s ", "s b"]
    tokenizer = Tokenizer(
        models.BPE({letter: at for at, letter in enumerate(letters)}, [("s", " "), ("s ", "b")])
    )
    _begins(tokenizer, "<s>")
    return _wrapped(tokenizer, bos_token="<s>")
