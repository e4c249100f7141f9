"""A tiny encoder or classifier for tests: random weights, and a tokenizer of letters."""

from __future__ import annotations

import json
import string
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.models.encoder import Encoder, load_encoder

ROOM, WIDTH, LAYERS = 40, 16, 3


def make_encoder(
    folder: Path,
    *,
    kind: str = "bert",
    pad: bool = True,
    files: dict[str, Any] | None = None,
    labels: Sequence[str] = (),
) -> Path:
    """Saves a random BERT or RoBERTa of three layers, a token for each letter.

    Args:
        folder: Where to.
        kind: ``bert`` or ``roberta``.
        pad: Whether tokenizer and configuration have a padding token.
        files: JSON files to lie beside it, by name.
        labels: Of a classification head; none for an encoder without one.
    """
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertModel,
        PreTrainedTokenizerFast,
        RobertaConfig,
        RobertaForSequenceClassification,
        RobertaModel,
    )

    letters = string.ascii_lowercase + string.digits + string.punctuation + "äöüß"
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    tokens += [mark + letter for letter in letters for mark in ("", "##")]
    vocabulary = {token: at for at, token in enumerate(dict.fromkeys(tokens))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]" if pad else None,
        model_max_length=10**30,
    ).save_pretrained(folder)
    torch.manual_seed(5)
    sizes: dict[str, Any] = {
        "vocab_size": len(vocabulary),
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": ROOM,
        "initializer_range": 0.5,
    }
    if labels:
        sizes["id2label"] = dict(enumerate(labels))
    if kind == "roberta":
        roberta = RobertaConfig(**sizes, pad_token_id=0)
        (RobertaForSequenceClassification if labels else RobertaModel)(roberta).save_pretrained(
            folder
        )
    else:
        bert = BertConfig(**sizes, pad_token_id=0 if pad else None)
        (BertForSequenceClassification if labels else BertModel)(bert).save_pretrained(folder)
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def tiny(folder: Path, **options: Any) -> Encoder:
    """A tiny encoder on the CPU."""
    return load_encoder(f"hf:{make_encoder(folder, **options)}", device="cpu", batch_tokens=64)
