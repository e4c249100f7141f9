"""Encoders: what sentence-transformers computes, the same bits for the same call, nothing cut."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from isogloss.errors import ModelError, RegistryError
from isogloss.models.encoder import Encoder, default_encoder, load_encoder
from isogloss.tests.conftest import MINILM
from isogloss.tests.models.bert_tiny import LAYERS, ROOM, WIDTH, make_encoder, tiny

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [
    "we was here", "a", "she be working", "nothing at all, ever", "so it is", "wia hoaß is?",
    "they done left", "a b c d e f", "x" * 20, "yes yes yes",
]  # fmt: skip


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def minilm() -> Encoder:
    return load_encoder(MINILM, device="cpu")


def plain(encoder: Encoder, text: str) -> tuple[Any, Any]:
    """All hidden states of one text, and the encoding it was read as."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    path = encoder.files.path
    tokenizer = AutoTokenizer.from_pretrained(path)
    model = AutoModel.from_pretrained(path).eval()
    encoded = tokenizer(text, return_tensors="pt", padding=False, truncation=False)
    with torch.inference_mode():
        return model(**encoded, output_hidden_states=True).hidden_states, encoded


def test_rows_have_norm_one_and_come_in_order(encoder: Encoder) -> None:
    vectors = encoder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), WIDTH)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(encoder.embed([text])[0], vector, atol=1e-5)


def test_a_vector_is_the_mean_over_all_tokens(encoder: Encoder) -> None:
    for text in TEXTS[:3]:
        states, _ = plain(encoder, text)
        mean = states[-1][0].mean(0).numpy()
        np.testing.assert_allclose(encoder.embed([text])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_the_same_texts_give_the_same_bits_in_any_order(encoder: Encoder) -> None:
    first = encoder.embed(TEXTS)
    assert np.array_equal(encoder.embed(TEXTS), first)
    order = random.Random(1).sample(range(len(TEXTS)), len(TEXTS))
    assert np.array_equal(encoder.embed([TEXTS[at] for at in order]), first[order])
    assert np.array_equal(encoder.embed([*TEXTS, *TEXTS]), np.concatenate([first, first]))


def test_nothing_is_embedded_where_there_is_nothing(encoder: Encoder) -> None:
    assert encoder.embed([]).shape == (0, WIDTH)
    assert encoder.too_long([]) == []
    assert encoder.word_states([], 1) == []
    bad = np.isnan(encoder.embed(["", " \n", "a", "\u200b"])).all(axis=1)
    assert bad.tolist() == [True, True, False, True]


def test_texts_beyond_the_limit_are_marked_and_never_cut(encoder: Encoder) -> None:
    fits, not_any_more = "a " * (ROOM - 2), "a " * (ROOM - 1)
    assert encoder.too_long([fits, not_any_more]) == [False, True]
    assert np.isnan(encoder.embed([fits, not_any_more])).any(axis=1).tolist() == [False, True]
    words, longer = encoder.word_states([fits.split(), not_any_more.split()], 1)
    assert not words.overlong
    assert not np.isnan(words.means(ROOM - 2)).any()
    assert longer.overlong
    assert np.isnan(longer.means(ROOM - 1)).all()
    assert longer.means(ROOM - 1).shape == (ROOM - 1, WIDTH)
    assert encoder.word_states([["a"] * 600], 2)[0].overlong


@pytest.mark.parametrize("layer", range(LAYERS + 1))
def test_states_are_those_of_the_layer(encoder: Encoder, layer: int) -> None:
    found = encoder.word_states([["we", "was,", "here"], ["a"] * 30], layer)[0]
    states, _ = plain(encoder, "we was, here")
    np.testing.assert_allclose(found.states, states[layer][0, 1:-1].numpy(), atol=1e-5)
    assert found.words.tolist() == [0] * 2 + [1] * 4 + [2] * 4


def test_a_word_is_the_mean_of_its_subwords(encoder: Encoder) -> None:
    sentence = ["we", "\u200b", "was,"]
    states = encoder.word_states([sentence], 2)[0].states
    vectors = encoder.word_states([sentence, sentence], 2)[1].means(3)
    np.testing.assert_allclose(vectors[0], states[:2].mean(0), atol=1e-6)
    np.testing.assert_allclose(vectors[2], states[2:].mean(0), atol=1e-6)
    assert np.isnan(vectors[1]).all()


def test_special_tokens_written_in_a_text_are_text(encoder: Encoder) -> None:
    assert encoder.word_states([["a", "[SEP]"]], 1)[0].words.tolist() == [0, 1, 1, 1, 1, 1]


def test_there_are_only_so_many_layers(encoder: Encoder) -> None:
    with pytest.raises(ModelError, match="no layer 4"):
        encoder.word_states([["a"]], LAYERS + 1)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_without_a_padding_token_too(tmp_path: Path, kind: str) -> None:
    encoder = tiny(tmp_path, kind=kind, pad=False)
    vectors = encoder.embed(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(encoder.embed([text])[0], vector, atol=1e-5)


def test_positions_that_are_counted_from_the_padding_are_fewer(tmp_path: Path) -> None:
    import torch

    encoder = tiny(tmp_path, kind="roberta")
    longest = "a " * (ROOM - 3)
    assert encoder.too_long([longest, longest + "a"]) == [False, True]
    assert not np.isnan(encoder.embed([longest])).any()
    assert torch.is_inference_mode_enabled() is False


def test_the_files_own_limit_holds(tmp_path: Path) -> None:
    files = {"sentence_bert_config.json": {"max_seq_length": 5}}
    assert tiny(tmp_path, files=files).too_long(["a b c", "a b c d"]) == [False, True]


def test_the_first_token_alone_where_the_files_say_so(tmp_path: Path) -> None:
    modules = [
        {"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    files = {"modules.json": modules, "1_Pooling/config.json": pooling}
    encoder = tiny(tmp_path, files=files)
    first = plain(encoder, "we was")[0][-1][0, 0].numpy()
    np.testing.assert_allclose(
        encoder.embed(["we was"])[0], first / np.linalg.norm(first), atol=1e-5
    )
    assert encoder.describe()["pooling"] == "cls"


def test_a_prefix_goes_before_sentences_and_not_before_words(tmp_path: Path) -> None:
    path = make_encoder(tmp_path / "multilingual-e5-small")
    encoder, bare = (load_encoder(f"hf:{path}", prefix=prefix) for prefix in (None, ""))
    assert encoder.describe()["prefix"] == "query: "
    assert np.array_equal(encoder.embed(["we was"]), bare.embed(["query: we was"]))
    assert np.isnan(encoder.embed([""])).all()
    first, second = (one.word_states([["we"]], 1)[0].states for one in (encoder, bare))
    assert np.array_equal(first, second)


def test_a_description_has_no_folder_of_this_machine(encoder: Encoder) -> None:
    said = encoder.describe()
    assert str(encoder.files.path.parent) not in str(said)
    assert said["revision"].startswith("files-")
    assert said["layers"] == LAYERS


def test_weights_that_are_missing_are_no_random_ones(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    path = make_encoder(tmp_path) / "model.safetensors"
    weights = load_file(path)
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(ModelError, match="lack 1 weights"):
        load_encoder(f"hf:{tmp_path}").embed(["a"])


def test_default_encoders() -> None:
    assert default_encoder("african-american-english") == default_encoder(
        "standard-american-english"
    )
    assert "MiniLM" in default_encoder("african-american-english")
    assert "e5" in default_encoder("bernese")
    with pytest.raises(RegistryError):
        default_encoder("klingon")


@pytest.mark.slow
def test_minilm_is_what_its_makers_compute(minilm: Encoder) -> None:
    texts = ["She be working late, and we ain't got no milk.", "😀", "I finna go", "?"]
    found = minilm.embed(texts)
    for text, vector in zip(texts, found, strict=True):
        states, encoded = plain(minilm, text)
        mask = encoded["attention_mask"][0][:, None]
        mean = ((states[-1][0] * mask).sum(0) / mask.sum()).numpy()
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)
    # Published for this model: near in meaning is near in space.
    near, far = minilm.embed(["A man is eating food.", "A man is eating pasta."]), found[:1]
    assert near[0] @ near[1] > 0.6 > near[0] @ far[0] + 0.3
    assert minilm.too_long(["word " * 254, "word " * 255]) == [False, True]


def test_a_folder_without_weights_is_no_encoder(tmp_path: Path) -> None:
    (make_encoder(tmp_path) / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="can't be loaded"):
        load_encoder(f"hf:{tmp_path}").embed(["a"])


def test_layers_that_cannot_be_told_apart_are_an_error(tmp_path: Path) -> None:
    encoder = load_encoder(f"hf:{make_encoder(tmp_path / 'tiny')}")
    encoder._network()._layers = 7  # as an ALBERT has it, whose layers are one
    with pytest.raises(ModelError, match="--aligner monotone"):
        encoder.word_states([["we"]], 1)
