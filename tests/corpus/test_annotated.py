"""What annotation added to a corpus can be read from its manifest, and taken away again."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from isogloss.corpus.annotated import before, before_schema, code_columns, entries
from isogloss.corpus.annotated_card import annotated_section, with_section
from isogloss.errors import CorpusError

QUESTIONS = [
    {"name": "natural", "kind": "yes_no", "labels": ["yes", "no"]},
    {"name": "keep", "kind": "choice", "labels": ["keep", "drop"]},
    {"name": "much", "kind": "scale", "labels": ["1", "2"]},
    {"name": "corrected", "kind": "text", "labels": []},
]
ENTRY: dict[str, Any] = {
    "version": 1,
    "questions": QUESTIONS,
    "raters": 3,
    "items": 2,
    "labels": 6,
    "min_labels": 2,
    "columns": ["standard_machine", "natural_majority"],
    "replaced": {"standard": {"rows": 1, "differ": 0}},
}
MEASURED: dict[str, Any] = {
    "items": 2,
    "ratings": 6,
    "measures": {
        "exact": {"value": 0.5, "low": 0.25, "high": 0.75, "reason": None},
        "gwet_ac1": {"value": 0.5, "low": None, "high": None, "reason": "one cluster"},
        "krippendorff_alpha": {"value": None, "low": None, "high": None, "reason": "why"},
    },
}


def test_rows_are_as_they_were_before() -> None:
    rows = pl.DataFrame(
        {"id": ["a"], "standard": ["x"], "standard_machine": ["y"], "natural_majority": [True]}
    )
    assert before(rows, [ENTRY]).to_dicts() == [{"id": "a", "standard": "y"}]
    assert list(before_schema(rows.schema, [ENTRY])) == ["id", "standard"]
    assert before(rows, []).equals(rows)
    # Of a few columns, or where the earlier text was not published, there is less to undo.
    assert before(rows.select("id", "standard"), [ENTRY]).to_dicts() == [
        {"id": "a", "standard": "x"}
    ]


def test_words_are_codes_and_numbers_need_not_be() -> None:
    assert code_columns([ENTRY]) == ("keep_majority",)


@pytest.mark.parametrize(
    "damage",
    [
        *({"columns": "all"}, {"columns": [1]}, {"questions": ["q"]}, {"replaced": None}),
        *({"raters": None}, {"items": "2"}, {"labels": None}, {"min_labels": []}),
        *({"version": None}, {"replaced": {"standard": {}}}, {"agreement": []}),
        *({"agreement": {"natural": {}}}, {"agreement": {"natural": MEASURED | {"measures": {}}}}),
    ],
)
def test_a_damaged_entry_is_refused(damage: dict[str, Any]) -> None:
    assert entries({"annotation": {"p": ENTRY}}, where="m") == {"p": ENTRY}
    assert entries({}, where="m") == {}
    with pytest.raises(CorpusError, match="no usable annotation"):
        entries({"annotation": {"p": ENTRY | damage}}, where="m")
    with pytest.raises(CorpusError, match="no usable annotation"):
        entries({"annotation": []}, where="m")


def test_the_card_explains_each_kind_of_column() -> None:
    agreement = {"keep": MEASURED, "natural": MEASURED}
    assert entries({"annotation": {"p": ENTRY | {"agreement": agreement}}}, where="m")
    text = annotated_section({"p": ENTRY | {"agreement": agreement}})
    # In the order in which they are asked.
    assert text.index("| `natural` | 2") < text.index("| `keep` | 2")
    assert "| `natural` | 2 | 6 | 0.500 [0.250, 0.750] | 0.500 | none: why |" in text
    for words in (
        "begin with `natural`: `_majority` says what most said",
        "begin with `keep`: `_majority` is the answer given most often",
        "begin with `much`: `_mean` and `_median`",
        "- `standard` is people's text in 1 rows.",
        "- `standard_machine` has what stood in `standard` before.",
    ):
        assert words in text
    published = ENTRY | {"columns": ["natural_majority"]}
    assert "standard_machine" not in annotated_section({"p": published})
    assert annotated_section({}) == ""


def test_a_section_takes_the_place_of_an_earlier_one() -> None:
    body = "# T\n\ntext\n"
    once = with_section(body, annotated_section({"p": ENTRY}))
    assert once.startswith("# T\n\ntext\n\n## Annotated by people\n")
    assert with_section(once, annotated_section({"p": ENTRY})) == once
    assert with_section(once, "") == body
