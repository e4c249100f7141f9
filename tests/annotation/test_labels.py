"""The table of labels: sorted, in one time zone, with pseudonyms, and never half right."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import polars as pl
import pytest
from isogloss.annotation.labels import (
    LABELS,
    check_labels,
    labels_path,
    labels_table,
    pseudonym,
    read_labels,
)
from isogloss.corpus.store import write_parquet
from isogloss.errors import AnnotationError
from isogloss.tests.annotation.made import AT, label


def test_rows_come_in_the_order_of_item_rater_and_question() -> None:
    labels = [label(i, r, q, "yes") for i in "ba" for r in "vu" for q in "zy"]
    table = labels_table(labels)
    assert dict(table.schema) == dict(LABELS)
    assert table.select("item", "rater", "question").rows() == sorted(
        table.select("item", "rater", "question").rows()
    )
    assert labels_table(reversed(labels)).equals(table)


def test_times_are_written_in_utc_so_that_they_sort() -> None:
    berlin = AT.astimezone(timezone(timedelta(hours=1)))
    table = labels_table([label("a", "u", "q", "yes", inserted_at=berlin)])
    assert table["inserted_at"].to_list() == ["2026-03-01T12:00:00.000000+00:00"]
    with pytest.raises(AnnotationError, match="no time zone"):
        labels_table([label("a", "u", "q", "yes", updated_at=datetime(2026, 3, 1))])


def test_a_pseudonym_stays_and_says_nothing_of_the_user() -> None:
    one = pseudonym("2f9c", project="realaae")
    assert one == pseudonym("2f9c", project="realaae")
    assert one != pseudonym("2f9c", project="wikidir")
    assert one != pseudonym("2f9d", project="realaae")
    assert "2f9c" not in one


def test_a_text_can_be_stored_whatever_was_typed() -> None:
    table = labels_table([label("a", "u", "q", "a\x00b\ud83d\r\nc")])
    assert table["label"].to_list() == ["ab?\nc"]


def test_no_label_without_its_parts_and_none_twice() -> None:
    with pytest.raises(AnnotationError, match=r"r-\w+ has two labels for q about the item 'a'"):
        labels_table([label("a", "u", "q", "yes"), label("a", "u", "q", "no")])
    with pytest.raises(AnnotationError, match="a label has no question"):
        labels_table([label("a", "u", "", "yes")])
    with pytest.raises(AnnotationError, match="'pending' is no status"):
        labels_table([label("a", "u", "q", "yes", status="pending")])
    with pytest.raises(AnnotationError, match="the columns are not item, rater"):
        check_labels(pl.DataFrame({"item": ["a"]}), where="x")


def test_labels_come_back_from_their_file(tmp_path: Path) -> None:
    assert read_labels(tmp_path, "toy") is None
    table = labels_table([label("a", "u", "q", None, status="discarded")])
    path = labels_path(tmp_path, "toy")
    path.parent.mkdir()
    write_parquet(table, path, LABELS)
    found = read_labels(tmp_path, "toy")
    assert found is not None
    assert found.equals(table)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(AnnotationError, match=r"toy\.parquet: the file is damaged"):
        read_labels(tmp_path, "toy")
    write_parquet(table.select("item"), path, {"item": pl.String()})
    with pytest.raises(AnnotationError, match=r"a label has no|no table of labels"):
        read_labels(tmp_path, "toy")
