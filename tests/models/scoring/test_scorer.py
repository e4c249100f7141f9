"""A scorer looks into its journal first, asks once, and knows what may change an answer."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.journal import Journal
from isogloss.errors import InternalError, ModelError, OptionError
from isogloss.models.scoring import Score, Scored, Scorer, ScoreRequest, load_scorer
from isogloss.models.scoring.request import moved_space, score_key
from isogloss.tests.models.scoring.tiny_models import known

ASKED = [ScoreRequest("We was", (" late", " early")), ScoreRequest("It's", (" cold",))]


def scored(*logprobs: float) -> Scored:
    return Scored(logprobs, len(logprobs), len(logprobs))


class Backend:
    """Scores each continuation by its length; remembers what it was asked."""

    def __init__(self, *, loses: int | None = None) -> None:
        self.asked: list[tuple[list[ScoreRequest], set[int]]] = []
        self.closed, self._loses = 0, loses

    def answer(
        self, requests: Sequence[ScoreRequest], missing: Any, deliver: Any, notes: Any
    ) -> None:
        self.asked.append((list(requests), set(missing)))
        times = notes.recall("times")
        notes.remember(f"times {len(self.asked)}", (times or 0) + 1)
        for number in sorted(missing - {self._loses}):
            entries = tuple(scored(-float(len(text))) for text in requests[number].continuations)
            deliver(number, Score(entries, 3)).result()

    def describe(self) -> Mapping[str, Any]:
        return {}

    def close(self) -> None:
        self.closed += 1


def refuse() -> Any:
    raise AssertionError("the model was loaded")


def test_what_is_in_the_journal_is_not_asked_again(journal: Journal) -> None:
    backend = Backend()
    scorer = Scorer("fake:a", {"revision": "1"}, lambda: backend)
    assert known(scorer, ASKED, journal) == [None, None]
    first = scorer.score(ASKED[:1], journal)
    both = scorer.score(ASKED, journal)
    assert both[:1] == first
    assert backend.asked == [(ASKED[:1], {0}), (ASKED, {1})]  # batches depend on all
    again = Scorer("fake:a", {"revision": "1"}, refuse)
    assert again.score(ASKED, journal) == known(again, ASKED, journal) == both


def test_equal_requests_are_computed_once(journal: Journal) -> None:
    backend, told = Backend(), list[int]()
    twin = ScoreRequest("It's", (" cold",), item="elsewhere")  # an item can't change an answer
    scores = Scorer("fake:a", {}, lambda: backend).score(
        [ASKED[1], ASKED[0], twin, ASKED[1]], journal, done=told.append
    )
    assert [len(asked) for asked, _ in backend.asked] == [2]
    assert scores[0] == scores[2] == scores[3] != scores[1]
    assert told == [0, 1, 2]


@pytest.mark.parametrize(
    "other",
    [{"revision": "2"}, {"revision": "1", "dtype": "bfloat16"},
     {"revision": "1", "overlong": "cut"}],
)  # fmt: skip
def test_another_identity_is_asked_for_itself(journal: Journal, other: dict[str, str]) -> None:
    Scorer("fake:a", {"revision": "1"}, Backend).score(ASKED, journal)
    backend = Backend()
    Scorer("fake:a", other, lambda: backend).score(ASKED, journal)
    assert backend.asked == [(ASKED, {0, 1})]


@pytest.mark.parametrize(
    "other",
    [ScoreRequest("We was", (" early", " late")), ScoreRequest("We was", (" late",)),
     ScoreRequest("We was ", ("late", "early")), ScoreRequest("We", (" late", " early")),
     ScoreRequest((("user", "We was"),), (" late", " early"))],
)  # fmt: skip
def test_another_request_has_another_key(other: ScoreRequest) -> None:
    assert score_key({}, other) != score_key({}, ASKED[0])


@pytest.mark.parametrize("chat", [True, False])
def test_another_wording_of_a_question_asks_chats_again_and_nothing_else(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, chat: bool
) -> None:
    context = (("user", "Late?"),) if chat else "We was"
    asked = [ScoreRequest(context, ("A", "B"))]
    Scorer("fake:a", {}, Backend).score(asked, journal)
    monkeypatch.setattr("isogloss.models.scoring.scorer.AS_TEXT", 2)
    backend = Backend()
    Scorer("fake:a", {}, lambda: backend).score(asked, journal)
    assert len(backend.asked) == chat


def test_the_model_is_let_go_of_once(journal: Journal) -> None:
    backend = Backend()
    scorer = Scorer("fake:a", {}, lambda: backend)
    scorer.close()
    scorer.score(ASKED, journal)
    scorer.close()
    scorer.close()
    assert backend.closed == 1


def test_a_score_that_never_comes_is_a_bug(journal: Journal) -> None:
    with pytest.raises(InternalError, match="1 requests got no score"):
        Scorer("fake:a", {}, lambda: Backend(loses=0)).score(ASKED, journal)


def test_notes_are_kept_with_the_model_that_they_are_about(journal: Journal) -> None:
    backend = Backend()
    Scorer("fake:a", {"revision": "1"}, lambda: backend).score(ASKED, journal)
    seen: list[Any] = []

    class Recalls(Backend):
        def answer(self, requests: Any, missing: Any, deliver: Any, notes: Any) -> None:
            seen.append(notes.recall("times 1"))
            super().answer(requests, missing, deliver, notes)

    Scorer("fake:a", {"revision": "1"}, Recalls).score([*ASKED, ScoreRequest("a", ("b",))], journal)
    Scorer("fake:a", {"revision": "2"}, Recalls).score(ASKED, journal)
    assert seen == [1, None]


@settings(max_examples=40)
@given(st.lists(st.lists(st.floats(max_value=0) | st.just(math.nan), min_size=1), min_size=1))
def test_a_score_comes_back_from_json_as_it_was(rows: list[list[float]]) -> None:
    score = Score(tuple(scored(*row) for row in rows), 7, shortened=1, cut=2)
    back = Score.from_json(json.loads(json.dumps(score.to_json())))
    assert repr(back) == repr(score)  # NaN is not equal to itself
    for one, row in zip(back.scored, rows, strict=True):
        assert one.tokens == len(row)
        assert math.isnan(one.total) == any(map(math.isnan, row))


def test_nan_is_null_in_json() -> None:
    score = Score((scored(-1.0, math.nan),), 1)
    assert score.to_json()["scored"][0]["logprobs"] == [-1.0, None]


@given(st.text("a \n\t\u00a0"), st.text("b ", min_size=1))
def test_moved_space_loses_nothing(context: str, continuation: str) -> None:
    bare, (moved,) = moved_space(context, [continuation])
    assert bare + moved == context + continuation
    assert bare == bare.rstrip()


@pytest.mark.parametrize("continuations", [(), ("",), (" late", "")])
def test_an_empty_continuation_is_refused(continuations: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match="a continuation is empty") as caught:
        ScoreRequest("We was", continuations, item="r7")
    assert "r7" in str(caught.value)


@pytest.mark.parametrize("name", ["", "hf:", "tiny", "nllb:600M", ":x"])
def test_a_name_of_no_scorer_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="no name of a model that can score"):
        load_scorer(name)


def test_how_chats_are_asked_is_in_the_key_of_chats_alone() -> None:
    raw, chat = ScoreRequest("a", ("b",)), ScoreRequest((("user", "a"),), ("b",))
    one, other = (
        Scorer("hf:x", {"model": "x"}, lambda: None, chat=chat)  # type: ignore[arg-type,return-value]
        for chat in ("on", "off")
    )
    assert one._key(raw) == other._key(raw)
    assert one._key(chat) != other._key(chat)
