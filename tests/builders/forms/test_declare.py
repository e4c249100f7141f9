"""The declaration: nothing that can hold a text goes out without being named."""

from __future__ import annotations

import polars as pl
import pytest
from isogloss.builders import builder, builder_forms, builder_names
from isogloss.builders.engine.finish import corpus_schema
from isogloss.builders.forms import IdsForm
from isogloss.builders.forms.declare import hash_column
from isogloss.builders.steps.clean import clean_step
from isogloss.corpus.schema import COMMON, Schema, features, schema_of
from isogloss.errors import InternalError
from isogloss.tests.conftest import RULES

FORM = IdsForm(
    private=("dialect",), derived=("standard", "back"), codes=("markers",), clean=clean_step
)
SCHEMA: Schema = {
    **COMMON,
    "back": pl.String(),
    "author": pl.Int64(),
    "posterior": pl.Float64(),
    "kept": pl.Boolean(),
    "scores": pl.List(pl.Float64()),
    "markers": pl.List(pl.String()),
}


def test_private_columns_become_hashes_and_the_others_stay() -> None:
    published = FORM.published(SCHEMA)
    assert list(published) == [
        *("id", "variety", "dialect_sha256", "standard", "split", "back", "author", "posterior"),
        *("kept", "scores", "markers", "withheld"),
    ]
    assert {name: published[name] for name in published if name in SCHEMA} == {
        name: dtype for name, dtype in SCHEMA.items() if name != "dialect"
    }
    assert FORM.coded(SCHEMA) == ["id", "variety", "split", "markers"]


@pytest.mark.parametrize(
    "dtype", [pl.String(), pl.List(pl.String()), pl.Binary(), pl.Categorical()]
)
def test_a_column_that_can_hold_text_must_be_declared(dtype: pl.DataType) -> None:
    with pytest.raises(InternalError, match=r"remark .* can hold text and is not declared"):
        FORM.published({**SCHEMA, "remark": dtype})


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (IdsForm(("dialect",), ("standard", "dialect"), clean_step), "dialect is declared twice"),
        (IdsForm(("dialect",), ("standard",), clean_step, ("split",)), "split is declared twice"),
        (IdsForm(("tweet",), ("standard",), clean_step), "tweet is declared as text"),
        (IdsForm(("dialect",), ("author",), clean_step), "author is declared as text"),
    ],
)
def test_a_wrong_declaration_is_noticed(form: IdsForm, message: str) -> None:
    with pytest.raises(InternalError, match=message):
        form.published(SCHEMA)


@pytest.mark.parametrize("name", ["dialect_sha256", "withheld"])
def test_the_columns_of_the_form_itself_are_taken(name: str) -> None:
    with pytest.raises(InternalError, match="uses itself"):
        FORM.published({**SCHEMA, name: pl.Int64()})


def test_a_code_that_a_corpus_does_not_have_is_no_mistake() -> None:
    schema = {name: dtype for name, dtype in SCHEMA.items() if name != "markers"}
    assert "markers" not in FORM.published(schema)


def test_every_builder_declares_all_its_columns() -> None:
    for name in builder_names():
        for form in builder_forms(name).values():
            pipeline = builder(name)(source="sample", **RULES)
            published = form.published(corpus_schema(pipeline))
            assert not set(form.private) & set(published)
            assert {hash_column(column) for column in form.private} <= set(published)


def test_a_schema_is_read_back_as_it_was_written() -> None:
    assert schema_of(features(SCHEMA)) == SCHEMA
