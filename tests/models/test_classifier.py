"""Classifiers by transformers: the pipeline's own labels, nothing guessed, nothing cut unmarked."""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from isogloss.errors import ModelError
from isogloss.models import hf_classifier
from isogloss.models.classifier import DEFAULT_MODEL, LABELS, Classifier, Labelled, load_classifier
from isogloss.models.hf_classifier import HFClassifier
from isogloss.tests.conftest import MINILM
from isogloss.tests.models.bert_tiny import ROOM, make_encoder

pytestmark = pytest.mark.usefixtures("one_thread")
TEXTS = [
    " ".join(words)
    for words in product(
        ("she be", "they done", "wia hoaß", "we was", "i mog"),
        ("late", "glad, so glad", "off to work", "nix", "at home"),
        ("again", "now!"),
    )
]


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("tiny"), kind=request.param, labels=LABELS)


@pytest.fixture(scope="module")
def classifier(folder: Path) -> HFClassifier:
    return HFClassifier(f"hf:{folder}", device="cpu")


def labels_of(classifier: Classifier, texts: list[str]) -> list[str | None]:
    return [row.label for row in classifier.classify(texts)]


def with_labels(folder: Path, *labels: str, **more: Any) -> str:
    """A name of a model with nothing but a configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {"id2label": {str(at): label for at, label in enumerate(labels)}, **more}
    (folder / "config.json").write_text(json.dumps({"num_hidden_layers": 1, **config}))
    return f"hf:{folder}"


def test_labels_are_those_of_transformers_own_pipeline(
    classifier: HFClassifier, folder: Path
) -> None:
    from transformers import pipeline

    reference: Any = pipeline("text-classification", model=str(folder), device="cpu")
    texts = [*TEXTS, "so glad " * 150]
    long = {"truncation": True, "max_length": ROOM - 1 if "roberta" in _kind(folder) else ROOM}
    expected = [reference(text, **long)[0]["label"] for text in texts]
    assert len(TEXTS) == 50
    assert labels_of(classifier, texts) == expected
    assert len(set(expected)) > 1


def _kind(folder: Path) -> str:
    return str(json.loads((folder / "config.json").read_text())["model_type"])


def test_batches_depend_on_the_texts_alone(
    classifier: HFClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[list[tuple[int, ...]]] = []
    best = HFClassifier._best

    def noted(self: HFClassifier, model: Any, rows: Any) -> list[str]:
        batches.append([tuple(row) for row in rows])
        return best(self, model, rows)

    monkeypatch.setattr(HFClassifier, "_best", noted)
    monkeypatch.setattr(hf_classifier, "_BATCH_TOKENS", 128)
    first = classifier.classify(TEXTS)
    seen, batches[:] = list(batches), []
    assert len(seen) > 5
    order = random.Random(3).sample(range(len(TEXTS)), len(TEXTS))
    again = classifier.classify([TEXTS[at] for at in order] + TEXTS)
    assert batches == seen
    assert again == [first[at] for at in order] + first


def test_what_has_no_words_has_no_label(classifier: HFClassifier) -> None:
    rows = classifier.classify(["", " \n", "\u200b", "so glad"])
    assert rows[:3] == [Labelled(None, "empty")] * 3
    assert rows[3].label in LABELS
    assert rows[3].flag == ""
    assert classifier.classify([]) == []


def test_a_long_text_is_labelled_by_its_beginning_and_says_so(classifier: HFClassifier) -> None:
    most = classifier_limit(classifier)
    fits, longer, six_hundred = "a " * (most - 2), "a " * (most - 1), "late " * 600
    rows = classifier.classify([fits, longer, six_hundred, "late"])
    assert [row.flag for row in rows] == ["", "cut", "cut", ""]
    assert rows[1].label == rows[0].label
    assert all(row.label in LABELS for row in rows)


def classifier_limit(classifier: HFClassifier) -> int:
    assert classifier._loaded is not None
    return classifier._loaded[2]


def test_special_tokens_written_in_a_text_are_text(
    classifier: HFClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[Any] = []

    def noted(_self: HFClassifier, _model: Any, batch: Any) -> list[str]:
        rows.extend(batch)
        return ["positive"]

    monkeypatch.setattr(HFClassifier, "_best", noted)
    classifier.classify(["a [SEP]"])
    assert len(rows[0]) == 8


def test_it_says_what_it_is_and_loads_at_the_first_use(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[Any] = []
    load = hf_classifier._load

    def counted(*given: Any) -> Any:
        loads.append(given)
        return load(*given)

    monkeypatch.setattr(hf_classifier, "_load", counted)
    found = load_classifier(f"hf:{folder}", device="cpu")
    assert isinstance(found, HFClassifier)
    said = dict(found.describe())
    assert (said["backend"], said["model"]) == ("hf", folder.name)
    assert said["revision"].startswith("files-")
    assert str(folder) not in json.dumps(said)
    assert "note" not in said
    assert found.labels == LABELS
    assert not loads
    first = found.classify(TEXTS[:3])
    assert found.classify(TEXTS[:3]) == first
    assert len(loads) == 1
    found.close()
    assert found.classify(TEXTS[:3]) == first
    assert len(loads) == 2


@pytest.mark.parametrize(
    ("given", "labels"),
    [
        (("Negative", "Neutral", "Positive"), LABELS),
        (("POS", "NEG"), ("negative", "positive")),
        (("positive", "negative", "neutral"), LABELS),
        (("neu", " pos ", "neg"), LABELS),
    ],
)
def test_labels_are_normalised(
    tmp_path: Path, given: tuple[str, ...], labels: tuple[str, ...]
) -> None:
    assert load_classifier(with_labels(tmp_path / "model", *given)).labels == labels


def test_a_label_keeps_its_place_among_the_scores(tmp_path: Path) -> None:
    plain = make_encoder(tmp_path / "plain", labels=LABELS)
    turned = make_encoder(tmp_path / "turned", labels=("POS", "NEG", "Neutral"))
    renamed = {"negative": "positive", "neutral": "negative", "positive": "neutral"}
    expected = labels_of(load_classifier(f"hf:{plain}", device="cpu"), TEXTS)
    found = labels_of(load_classifier(f"hf:{turned}", device="cpu"), TEXTS)
    assert found == [renamed[label or ""] for label in expected]


def test_numbered_labels_are_taken_only_from_models_whose_card_says_what_they_are(
    tmp_path: Path,
) -> None:
    numbered = ("LABEL_0", "LABEL_1", "LABEL_2")
    known = with_labels(tmp_path / "twitter-roberta-base-sentiment", *numbered)
    assert load_classifier(known).labels == LABELS
    source = "cardiffnlp/twitter-roberta-base-sentiment"
    copied = with_labels(tmp_path / "copy", *numbered, _name_or_path=source)
    assert load_classifier(copied).labels == LABELS
    with pytest.raises(ModelError, match=r"no sentiments \(LABEL_0, LABEL_1, LABEL_2\)"):
        load_classifier(with_labels(tmp_path / "anything", *numbered))


@pytest.mark.parametrize(
    "labels",
    [
        ("entailment", "neutral", "contradiction"),
        ("negative", "neutral"),
        ("negative", "positive", "mixed"),
        ("negative", "NEG", "positive"),
        tuple(f"emotion {n}" for n in range(28)),
    ],
)
def test_other_labels_are_an_error_of_one_line(tmp_path: Path, labels: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="its labels are no sentiments") as raised:
        load_classifier(with_labels(tmp_path / "model", *labels))
    assert "\n" not in str(raised.value)
    assert "cardiffnlp/twitter-roberta-base-sentiment-latest" in str(raised.value)


def test_a_model_without_a_trained_head_is_an_error(tmp_path: Path) -> None:
    labels = {str(at): label for at, label in enumerate(LABELS)}
    folder = make_encoder(tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "id2label": labels}))
    with pytest.raises(ModelError, match="lack 2 weights of the classifier"):
        load_classifier(f"hf:{folder}", device="cpu").classify(["so glad"])


@pytest.mark.parametrize("content", ["{", "[]", '{"id2label": ["a"]}', '{"id2label": {"a": "b"}}'])
def test_a_damaged_configuration_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ModelError, match="config.json can't be loaded"):
        load_classifier(f"hf:{tmp_path}")


def test_a_model_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="no such folder, and the Hub doesn't give it"):
        load_classifier("hf:nobody-here/no-such-model")
    with pytest.raises(ModelError, match="not installed"):
        load_classifier("wheel:no-such-model-anywhere")
    with pytest.raises(ModelError, match=r"it has no labels|no sentiments"):
        load_classifier(MINILM)


@pytest.mark.parametrize("name", ["", "words", "hf:", "openai:gpt", "vader"])
def test_other_names_are_an_error(name: str) -> None:
    with pytest.raises(ModelError, match="no name of a classifier"):
        load_classifier(name)


def test_the_papers_model_is_named() -> None:
    assert DEFAULT_MODEL == "hf:cardiffnlp/twitter-roberta-base-sentiment-latest"
