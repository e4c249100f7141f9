"""The local scorer at work: kills, want of memory, and models that can't count."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from isogloss.corpus.journal import Journal
from isogloss.errors import ModelError, OptionError
from isogloss.models.chat import Fault
from isogloss.models.config import Config
from isogloss.models.scoring import Score, Scorer, ScoreRequest, hf_scorer, load_scorer
from isogloss.models.scoring.boundary import encode
from isogloss.models.scoring.hf_model import TreeModel
from isogloss.models.scoring.hf_scorer import HFScorer
from isogloss.tests.models.scoring.tiny_models import (
    CPU,
    Notes,
    far,
    known,
    make_model,
    one_by_one,
    requests,
    score_all,
)
from isogloss.tests.models.scoring.tiny_tokenizers import tiny_tokenizer
from tokenizers import normalizers
from transformers import AutoTokenizer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]
ASKED = requests(24)
Predict = Callable[[TreeModel, Sequence[Any]], Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model("llama", tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf_scorer, "_TOKENS", 8 * 96)
    monkeypatch.setattr(hf_scorer, "_ROW", 96)


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each call of the model had."""
    seen: list[int] = []
    predict: Predict = TreeModel.predict

    def counted(self: TreeModel, rows: Sequence[Any]) -> Any:
        seen.append(len(rows))
        return predict(self, rows)

    monkeypatch.setattr(TreeModel, "predict", counted)
    return seen


def named(folder: Path, **settings: Any) -> Scorer:
    name = f"hf:{folder}"
    return load_scorer(name, config=Config(models={name: replace(CPU, **settings)}))


def scores_of(scorer: Scorer, journal: Journal, asked: Sequence[ScoreRequest]) -> list[Score]:
    found = []
    for one in scorer.score(asked, journal):
        assert isinstance(one, Score)
        found.append(one)
    return found


def backend(folder: Path) -> HFScorer:
    return HFScorer("hf:tiny", str(folder), CPU, cut=False)


def tokens_of(tokenizer: Any, request: ScoreRequest) -> set[int]:
    encoded = encode(tokenizer, request)
    return {*encoded.context, *(token for row in encoded.continuations for token in row)}


def no_memory_for(most: int, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    predict: Predict = TreeModel.predict

    def short(self: TreeModel, rows: Sequence[Any]) -> Any:
        if len(rows) > most:
            raise error
        return predict(self, rows)

    monkeypatch.setattr(TreeModel, "predict", short)


def test_a_resumed_run_repeats_whole_batches_bit_by_bit(
    tmp_path: Path, folder: Path, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path / "whole.sqlite") as journal:
        undisturbed = scores_of(named(folder), journal, ASKED)
    whole = sizes[:]
    assert len(whole) >= 3
    predict: Predict = TreeModel.predict

    def stopped(self: TreeModel, rows: Sequence[Any]) -> Any:
        if len(sizes) == len(whole) + 2:
            raise KeyboardInterrupt
        return predict(self, rows)

    with Journal(tmp_path / "stopped.sqlite") as journal:
        with monkeypatch.context() as patched:
            patched.setattr(TreeModel, "predict", stopped)
            with pytest.raises(KeyboardInterrupt):
                named(folder).score(ASKED, journal)
        found = [one for one in known(named(folder), ASKED, journal) if one is not None]
        assert 0 < len(found) < len(ASKED)
        del sizes[:]
        assert scores_of(named(folder), journal, ASKED) == undisturbed
    assert sizes == whole[2:]


def test_a_request_that_is_missing_is_computed_in_its_own_batch(
    folder: Path, sizes: list[int]
) -> None:
    whole = score_all(backend(folder), ASKED)
    batches = sizes[:]
    found: dict[int, Any] = {}

    def deliver(number: int, score: Any) -> Any:
        from concurrent.futures import Future

        found[number] = score
        done: Future[None] = Future()
        done.set_result(None)
        return done

    backend(folder).answer(ASKED, {7}, deliver, Notes())
    assert sizes[len(batches) :][0] in batches
    assert len(sizes) == len(batches) + 1
    assert found == {number: whole[number] for number in found}
    assert 7 in found


@pytest.mark.parametrize(
    "words",
    ["", "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.",
     "DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."],
)  # fmt: skip
def test_want_of_memory_splits_batches_and_is_replayed(
    tmp_path: Path, folder: Path, sizes: list[int], monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    import torch

    error = RuntimeError(words) if words else torch.OutOfMemoryError("out of memory")
    with Journal(tmp_path / "journal.sqlite") as journal:
        with monkeypatch.context() as patched:
            no_memory_for(3, patched, error)
            first = scores_of(named(folder), journal, ASKED)
        assert max(sizes) <= 3
        computed = sizes[:]
        assert far(first, one_by_one(folder, ASKED)) < 1e-4
        # As if the process had been killed before the answers counted: the notes stay.
        journal.close()
        import sqlite3

        with sqlite3.connect(journal.path) as database:
            database.execute("DELETE FROM answers WHERE kind = 'score'")
        database.close()
    del sizes[:]
    with Journal(tmp_path / "journal.sqlite") as journal:
        # There is memory enough now, yet the parts are those of the first time.
        assert scores_of(named(folder), journal, ASKED) == first
    assert sizes == computed


def test_a_row_too_big_alone_is_an_error_in_a_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    no_memory_for(0, monkeypatch, torch.OutOfMemoryError("out of memory"))
    with pytest.raises(ModelError, match=r"no memory for a row of \d+ tokens") as caught:
        score_all(backend(folder), ASKED)
    assert "dtype" in caught.value.remedy


def test_other_errors_of_the_model_are_not_taken_for_want_of_memory(
    folder: Path, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_memory_for(0, monkeypatch, RuntimeError("shapes do not fit"))
    with pytest.raises(RuntimeError, match="shapes do not fit"):
        score_all(backend(folder), ASKED)
    assert sizes == []


def test_nan_stays_nan_in_the_journal(tmp_path: Path, folder: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    spoilt = shutil.copytree(folder, tmp_path / "nan")
    weights = load_file(spoilt / "model.safetensors")
    weights["model.norm.weight"][:] = torch.nan
    save_file(weights, spoilt / "model.safetensors", {"format": "pt"})
    with Journal(tmp_path / "journal.sqlite") as journal:
        asked = requests(2)
        first = scores_of(named(spoilt), journal, asked)
        again = scores_of(named(spoilt), journal, asked)
        for score in (*first, *again):
            assert all(math.isnan(p) for one in score.scored for p in one.logprobs)
            assert all(one.tokens > 0 and math.isnan(one.total) for one in score.scored)
    import sqlite3

    with sqlite3.connect(journal.path) as database:
        texts = [text for (text,) in database.execute("SELECT answer FROM answers")]
    database.close()
    assert texts
    assert all("null" in text and "NaN" not in text for text in texts)


def test_a_sequence_that_overflows_spoils_no_other(tmp_path: Path, folder: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    spoilt = shutil.copytree(folder, tmp_path / "spot")
    weights = load_file(spoilt / "model.safetensors")
    tokenizer = tiny_tokenizer("unigram")
    used = {token for one in ASKED for token in tokens_of(tokenizer, one)}

    def with_it(token: int) -> ScoreRequest:
        return ScoreRequest(f"He {tokenizer.decode([token])} so", (" late", " early"))

    # Trained anew, the tokenizer has other pieces: not each comes back from its own text.
    rare = next(
        token for token in range(len(tokenizer) - 1, 0, -1)
        if token not in used and token in tokens_of(tokenizer, with_it(token))
    )  # fmt: skip
    weights["model.embed_tokens.weight"][rare] = torch.nan
    save_file(weights, spoilt / "model.safetensors", {"format": "pt"})
    scorer = backend(spoilt)
    assert scorer._model.trees  # a short trial doesn't meet the token
    asked = [*ASKED, with_it(rare)]
    # Such a token makes all of its own row NaN, also alone; others must not notice.
    for score, expected in zip(score_all(scorer, asked), one_by_one(spoilt, asked), strict=True):
        for one, row in zip(score.scored, expected, strict=True):
            assert list(one.logprobs) == pytest.approx(row, abs=1e-4, nan_ok=True)


def test_a_second_call_loads_no_model(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        first = scores_of(named(folder), journal, ASKED)
        monkeypatch.setattr(hf_scorer, "HFScorer", None)
        assert scores_of(named(folder), journal, ASKED) == first


def test_what_can_change_a_score_is_in_the_key(tmp_path: Path, folder: Path) -> None:
    plain = named(folder).identity
    assert named(folder).identity == plain
    moved = shutil.copytree(folder, tmp_path / folder.name)
    assert named(moved).identity == plain  # where it lies changes nothing
    assert named(folder, batch_size=2).identity == plain
    cut = load_scorer(f"hf:{folder}", config=Config(models={f"hf:{folder}": CPU}), overlong="cut")
    different = [plain, named(folder, dtype="bfloat16").identity, cut.identity]
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        other = shutil.copytree(folder, tmp_path / name.replace(".", "-") / folder.name)
        changed = (other / name).read_bytes()
        (other / name).write_bytes(changed + b" ")
        different.append(named(other).identity)
    assert len({repr(sorted(one.items())) for one in different}) == len(different)


@pytest.mark.parametrize("name", ["_TOKENS", "_ROW", "_LOGIT_BYTES"])
def test_what_cuts_batches_is_in_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = named(folder).identity
    monkeypatch.setattr(hf_scorer, name, 77)
    assert named(folder).identity != before


def test_a_request_beyond_the_window_fails_before_anything_is_computed(
    tmp_path: Path, folder: Path, sizes: list[int]
) -> None:
    long = ScoreRequest("We was waiting on the bus " * 40, (" late",), item="r7")
    with Journal(tmp_path / "journal.sqlite") as journal:
        with pytest.raises(OptionError, match="the model's window has 160") as caught:
            named(folder).score([*ASKED, long], journal)
        assert "r7" in str(caught.value)
        assert sizes == []
        name = f"hf:{folder}"
        cut = load_scorer(name, config=Config(models={name: CPU}), overlong="cut")
        (score,) = scores_of(cut, journal, [long])
        assert score.cut > 0


def test_a_model_can_be_let_go_of_and_asked_again(tmp_path: Path, folder: Path) -> None:
    scorer = named(folder)
    with Journal(tmp_path / "journal.sqlite") as journal:
        first = scores_of(scorer, journal, ASKED[:2])
        scorer.close()
        scorer.close()
        assert scores_of(scorer, journal, ASKED[:2]) == first
        assert len(scores_of(scorer, journal, ASKED[2:4])) == 2


def test_a_continuation_without_a_token_fails_alone(tmp_path: Path, folder: Path) -> None:
    dropping = shutil.copytree(folder, tmp_path / "dropping")
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    tokenizer.backend_tokenizer.normalizer = normalizers.Replace("zz", "")
    tokenizer.save_pretrained(str(dropping))
    asked = [ASKED[0], ScoreRequest("it was", ("zz", " late"), item="r7"), ASKED[1]]
    with Journal(tmp_path / "j.sqlite") as journal:
        for _ in range(2):  # the second time it stands in the journal
            first, failed, last = named(dropping).score(asked, journal)
            assert isinstance(first, Score)
            assert isinstance(last, Score)
            assert isinstance(failed, Fault)
            assert failed.reason == "no_tokens"
