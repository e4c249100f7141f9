"""Which labels count, and why the others don't."""

from __future__ import annotations

import polars as pl
from isogloss.annotation.counted import count_labels
from isogloss.annotation.labels import labels_table
from isogloss.tests.annotation.made import label, project, question

ASKED = project(question("natural"), question("remark", "text", required=False))


def test_each_label_counts_or_has_one_reason() -> None:
    table = labels_table(
        [
            label("a", "u", "natural", "yes", text_sha256="now"),
            label("a", "u", "remark", "fine", text_sha256="now"),
            label("a", "v", "natural", "no", text_sha256="earlier"),
            label("a", "w", "natural", "yes"),
            label("a", "x", "natural", "yes", status="draft"),
            label("a", "y", "natural", None, status="discarded"),
            label("a", "z", "natural", "maybe"),
            label("a", "z", "remark", None),
            label("a", "z", "mood", "good"),
            label("gone", "u", "natural", "yes", text_sha256="now"),
        ]
    )
    found = count_labels(table, ASKED, {"a": "now", "b": "other"})
    assert sorted(found.labels["label"]) == ["fine", "yes", "yes"]
    assert found.left_out == {
        **dict.fromkeys(["discarded", "draft", "no_answer", "outdated"], 1),
        **dict.fromkeys(["unknown_item", "unknown_label", "unknown_question"], 1),
    }
    assert found.labels.height + sum(found.left_out.values()) == table.height
    assert found.table.drop("status").equals(table.drop("status"))


def test_a_label_is_outdated_until_its_text_comes_back() -> None:
    table = labels_table([label("a", "u", "natural", "yes", text_sha256="one")])
    later = count_labels(table, ASKED, {"a": "two"})
    assert later.table["status"].to_list() == ["outdated"]
    assert later.labels.height == 0
    again = count_labels(later.table, ASKED, {"a": "one"})
    assert again.table.equals(table)
    assert again.labels.height == 1


def test_without_labels_there_is_nothing_to_sort_out() -> None:
    found = count_labels(labels_table([]), ASKED, {})
    assert (found.labels.height, found.left_out) == (0, {})
    assert found.labels.schema["item"] == pl.String
