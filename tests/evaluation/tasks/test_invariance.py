"""Dialect invariance: its identities, what can't be read, and verdicts of speakers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.errors import CorpusError
from isogloss.evaluation import Measured, Question, Request
from isogloss.evaluation.labels import LABELS
from isogloss.evaluation.tasks.invariance import Invariance
from isogloss.models.chat import Fault, Reply
from isogloss.stats import Bootstrap, Estimate

FEW = Bootstrap(resamples=20, seed=0)
UNREAD = "as a language model"
SIDES = ("dialect", "standard", "back")
#: What a model says of the three texts of each row.
SAID = st.lists(
    st.tuples(*(st.sampled_from([*LABELS, UNREAD]) for _ in SIDES)), min_size=1, max_size=12
)


class Speaker:
    """Says of each text what a table has for it."""

    def __init__(self, said: Mapping[str, Reply | Fault]) -> None:
        self._said = said

    def get(self, request: Request) -> None:
        """It gives no probabilities."""

    def reply(self, question: Question) -> Reply | Fault | None:
        ((role, text),) = question.ask.messages
        assert (role, question.ask.whole) == ("user", False)
        return self._said.get(text.split("\nText: ")[1].split("\n")[0])


def rows_of(count: int, **more: Any) -> pl.DataFrame:
    texts = {side: [f"{side} {at}" for at in range(count)] for side in SIDES}
    return pl.DataFrame({"id": [f"r{at}" for at in range(count)], **texts, **more})


def measured(said: Sequence[Sequence[str]], **more: Any) -> Measured:
    rows = rows_of(len(said), **more)
    table = {
        f"{side} {at}": Reply(answer)
        for at, answers in enumerate(said)
        for side, answer in zip(SIDES, answers, strict=True)
    }
    task = Invariance()
    answers = Speaker(table)
    assert len([*task.plan(rows, answers)]) == 3 * len(said)
    return task.measure(rows, answers, bootstrap=FEW)


def estimates(found: Measured) -> dict[str, Estimate]:
    return {f"{one.name} {one.of}".strip(): one.estimate for one in found.metrics}


@settings(max_examples=50)
@given(SAID)
def test_cdgi_is_three_way_over_agreement_with_the_back_translation(
    said: list[tuple[str, str, str]],
) -> None:
    got = estimates(measured(said, back_natural_majority=[True] * len(said)))
    back = got["back_agreement"].value
    cdgi = got["cdgi natural by majority"]
    assert cdgi.value == pytest.approx(got["cdgi_all"].value, nan_ok=True)
    if back:
        assert cdgi.value == pytest.approx(got["dgi_three_way"].value / back)
    else:
        assert (cdgi.n, math.isnan(cdgi.value)) == (0, True)
    plain = [sum(one[0] == one[1] != UNREAD for one in said),
             sum(one[0] == one[1] == one[2] != UNREAD for one in said)]  # fmt: skip
    for name, hits in zip(("dgi", "dgi_three_way"), plain, strict=True):
        assert got[name].value == pytest.approx(hits / len(said))
        assert got[name].n == len(said)


@settings(max_examples=25)
@given(SAID, st.permutations(LABELS))
def test_other_names_for_the_labels_change_nothing(
    said: list[tuple[str, str, str]], names: list[str]
) -> None:
    renamed = dict(zip(LABELS, names, strict=True)) | {UNREAD: UNREAD}
    one, other = (
        estimates(measured(table))
        for table in (said, [tuple(map(renamed.__getitem__, row)) for row in said])
    )
    for name in ("dgi", "dgi_three_way", "cdgi_all", "back_agreement", "kappa"):
        assert one[name].value == pytest.approx(other[name].value, nan_ok=True)


def test_a_model_that_says_one_thing_is_invariant_and_has_no_kappa() -> None:
    got = estimates(measured([("neutral",) * 3] * 9))
    assert (got["dgi"].value, got["dgi_three_way"].value, got["cdgi_all"].value) == (1, 1, 1)
    assert math.isnan(got["kappa"].value)
    assert got["kappa"].reason == "all texts are neutral: agreement by chance is certain"
    assert got["label_share dialect neutral"].value == 1


def test_what_cant_be_read_agrees_with_nothing_and_is_counted() -> None:
    got = estimates(measured([(UNREAD,) * 3, ("positive",) * 3, ("negative", UNREAD, "negative")]))
    assert got["dgi"].value == pytest.approx(1 / 3)
    assert (got["dgi"].n, got["kappa"].n) == (3, 1)
    assert got["label_share standard unparsed"].value == pytest.approx(2 / 3)
    assert got["back_agreement"].value == pytest.approx(2 / 3)


def test_verdicts_choose_the_rows() -> None:
    said = [("positive", "positive", "positive"), ("negative", "positive", "negative"),
            ("neutral", "neutral", "positive"), ("neutral", "positive", "neutral")]  # fmt: skip
    got = estimates(
        measured(
            said,
            back_natural_majority=[True, True, True, False],
            back_natural_unanimous=[False, True, None, None],
            back_natural_any=[False, False, False, None],
        )
    )
    assert [(got[f"cdgi natural by {rule}"].value, got[f"cdgi natural by {rule}"].n)
            for rule in ("majority", "unanimous")] == [(0.5, 2), (0.0, 1)]  # fmt: skip
    none = got["cdgi natural by any"]
    assert (none.n, none.reason) == (0, "no back-translation was judged natural")
    assert got["dgi_natural natural by majority"].n == 3


def test_without_verdicts_or_back_translations_it_says_why() -> None:
    def reason(said: Sequence[Sequence[str]], **more: Any) -> str | None:
        got = estimates(measured(said, **more))["cdgi natural by majority"]
        assert (got.n, math.isnan(got.value)) == (0, True)
        return got.reason

    same, other = ("positive",) * 3, ("positive", "positive", "negative")
    none = "the corpus has no verdicts of speakers on the back-translation"
    assert reason([same]) == none
    assert reason([same], back_natural_majority=[None]) == none
    assert reason([same], back_natural_majority=pl.Series([None], dtype=pl.Boolean)) == none
    assert reason([same], back_natural_majority=[False]) == "no back-translation was judged natural"
    unlike = "no dialect text has the label of its back-translation"
    assert reason([other], back_natural_majority=[True]) == unlike
    rows = rows_of(2).drop("back")
    said = {f"{side} {at}": Reply("neutral") for side in SIDES for at in range(2)}
    without = estimates(Invariance().measure(rows, Speaker(said), bootstrap=FEW))
    assert (without["dgi"].n, without["dgi_three_way"].n) == (2, 0)
    why = "there are no back-translations with an answer"
    assert {without[name].reason for name in ("dgi_three_way", "cdgi natural by majority")} == {why}
    unread = estimates(measured([(UNREAD,) * 3]))["kappa"]
    assert (unread.n, unread.reason) == (0, "in no row could both labels be read")


def test_how_many_were_judged_is_noted() -> None:
    found = measured([("positive",) * 3] * 3, back_natural_majority=[True, None, False])
    assert found.notes == {"judged_majority": 2}


def test_rows_without_text_are_left_out_and_failed_answers_counted_by_their_side() -> None:
    rows = rows_of(4).with_columns(
        standard=pl.when(pl.col("id") == "r2").then(pl.lit(" ")).otherwise("standard")
    )
    said: dict[str, Reply | Fault] = {
        f"{side} {at}": Reply("Positive.") for side in SIDES for at in range(4)
    }
    said |= {"back 1": Fault("timeout"), "dialect 3": Fault("refusal")}
    found = Invariance().measure(rows, Speaker(said), bootstrap=FEW)
    assert (found.excluded, found.notes) == ({"no_text": 1}, {"failed_timeout_back": 1})
    assert found.items["id"].to_list() == ["r0", "r1", "r3"]
    assert found.items["label_dialect"].to_list() == ["positive", "positive", "unparsed"]
    assert found.items["label_back"].to_list() == ["positive", None, "positive"]
    got = estimates(found)
    # A refusal agrees with nothing; a back-translation that failed takes nothing from the DGI.
    assert got["dgi"].value == pytest.approx(2 / 3)
    assert got["dgi"].n == 3
    assert (got["dgi_three_way"].value, got["dgi_three_way"].n) == (0.5, 2)


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("back_natural_majority", [1], "verdicts as true or false"),
        ("back", [3], "texts as strings"),
    ],
)
def test_columns_of_another_type_are_refused_before_anything_is_asked(
    column: str, values: list[Any], what: str
) -> None:
    rows = rows_of(1).with_columns(pl.Series(column, values))
    with pytest.raises(CorpusError, match=f"{column}.*{what}"):
        list(Invariance().plan(rows, Speaker({})))


def test_an_answer_that_has_not_come_is_no_answer() -> None:
    with pytest.raises(KeyError, match="r0"):
        Invariance().measure(rows_of(1), Speaker({}), bootstrap=FEW)
