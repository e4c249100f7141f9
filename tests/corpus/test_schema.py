"""Schemas: one declaration, the same types in Parquet and on the card."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest
from isogloss.corpus.schema import COMMON, REJECTED, Schema, arrow_schema, check_columns, features
from isogloss.errors import InternalError

SCHEMA: Schema = {"id": pl.String(), "words": pl.Int64(), "markers": pl.List(pl.String())}
FRAME = pl.DataFrame({"id": ["1"], "words": [2], "markers": [["be"]]}, schema=dict(SCHEMA))


@pytest.mark.parametrize(
    ("dtype", "arrow", "card"),
    [
        (pl.String(), pa.string(), {"dtype": "string"}),
        (pl.Int64(), pa.int64(), {"dtype": "int64"}),
        (pl.Int32(), pa.int32(), {"dtype": "int32"}),
        (pl.Float64(), pa.float64(), {"dtype": "float64"}),
        (pl.Boolean(), pa.bool_(), {"dtype": "bool"}),
        (pl.List(pl.String), pa.list_(pa.string()), {"list": "string"}),
        (pl.List(pl.Int64()), pa.list_(pa.int64()), {"list": "int64"}),
    ],
)
def test_a_type_has_one_spelling_in_arrow_and_one_on_the_card(
    dtype: pl.DataType, arrow: pa.DataType, card: dict[str, str]
) -> None:
    assert arrow_schema({"column": dtype}).field("column").type == arrow
    assert features({"column": dtype}) == [{"name": "column", **card}]


@pytest.mark.parametrize("dtype", [pl.Categorical(), pl.Date(), pl.List(pl.List(pl.String()))])
def test_other_types_are_refused(dtype: pl.DataType) -> None:
    for spell in (arrow_schema, features):
        with pytest.raises(InternalError, match="type"):
            spell({"column": dtype})


def test_the_common_columns_are_those_of_the_specification() -> None:
    assert list(COMMON) == ["id", "variety", "dialect", "standard", "split"]
    assert {"position", "stage", "reason", "text"} <= set(REJECTED)


def test_declared_columns_pass() -> None:
    check_columns(FRAME, SCHEMA, stage="mark")


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (FRAME.drop("words"), "words is missing"),
        (FRAME.with_columns(user=pl.lit("7")), "user was not declared"),
        (FRAME.cast({"words": pl.Int32}), "words is Int32, Int64 was declared"),
        (FRAME.with_columns(markers=pl.lit("be")), "markers is String"),
        (FRAME.select("words", "id", "markers"), "order"),
        (FRAME.rename({"id": "tweet"}), "id is missing; tweet was not declared"),
    ],
    ids=["missing", "extra", "type", "list", "order", "renamed"],
)
def test_other_columns_are_a_bug_of_the_step_that_is_named(frame: pl.DataFrame, said: str) -> None:
    with pytest.raises(InternalError) as caught:
        check_columns(frame, SCHEMA, stage="mark")
    assert said in str(caught.value)
    assert "step mark" in str(caught.value)
