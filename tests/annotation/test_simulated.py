"""Three simulated raters, from the sample of items to the evaluation that asks their verdicts."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from isogloss.annotation.items import Items, read_items
from isogloss.annotation.labels import labels_table
from isogloss.annotation.merge import merge
from isogloss.annotation.project import Project
from isogloss.annotation.project_files import project_for
from isogloss.evaluation.data import load_corpus
from isogloss.evaluation.tasks.invariance import VERDICTS
from isogloss.tests.annotation.made import label, rows_of
from isogloss.tests.conftest import Run
from isogloss.validation.quality import open_pairs, validate

pytestmark = pytest.mark.slow
RATERS = ("u0", "u1", "u2")


def simulated(items: Items, asked: Project, *, seed: int) -> pl.DataFrame:
    """Raters who see an item alike but for one answer in ten, and discard one item in twenty."""
    draw = random.Random(seed)
    labels = []
    for item in items.items:
        truth = {question.name: draw.random() < 0.8 for question in asked.questions}
        for rater in RATERS:
            discards = draw.random() < 0.05
            for name, true in truth.items():
                answer = "yes" if true != (draw.random() < 0.1) else "no"
                labels.append(
                    label(
                        item.id,
                        rater,
                        name,
                        None if discards else answer,
                        status="discarded" if discards else "submitted",
                        text_sha256=item.sha256,
                    )
                )
    return labels_table(labels)


def test_from_three_raters_to_a_report_and_a_task(full: Path) -> None:
    asked = project_for("realaae")
    items = read_items(full, asked, sample=60, seed=3)
    table = simulated(items, asked, seed=3)
    found = merge(full, table, asked, sample=items.sample)
    submitted = table.filter(pl.col("status") == "submitted")
    assert found.entry["labels"] == submitted.height
    assert found.entry["left_out"] == {"discarded": table.height - submitted.height}

    quality = validate(open_pairs(str(full)))
    assert quality.agreement is not None
    assert quality.pairs.notes[-1] == (
        "The agreement is of the labels in annotations/realaae.parquet."
    )
    by_question = {one.question: one for one in quality.agreement.questions}
    assert set(by_question) == {question.name for question in asked.questions}
    for name, one in by_question.items():
        assert one.items + one.unrated == rows_of(full).height
        assert 0.3 < one.measures["krippendorff_alpha"].value < 0.95
        stored = found.entry["agreement"][name]["measures"]["gwet_ac1"]["value"]
        assert one.measures["gwet_ac1"].value == stored
    assert sum(check.id == "agreement" for check in quality.checks) == len(by_question)

    corpus = load_corpus(str(full), split="evaluation")
    rows = corpus.rows.filter(pl.col("back_natural_labels") > 0)
    assert rows.height > 0
    for column in VERDICTS.values():
        assert corpus.rows.schema[column] == pl.Boolean
    votes = submitted.filter(pl.col("question") == "back_natural").group_by("item").agg(
        (pl.col("label") == "yes").mean().alias("yes")
    )  # fmt: skip
    joined = rows.join(votes, left_on="id", right_on="item")
    assert joined["back_natural_unanimous"].equals(joined["yes"] == 1, check_names=False)
    assert joined["back_natural_any"].equals(joined["yes"] > 0, check_names=False)


def test_a_build_leaves_an_annotated_corpus_alone_and_a_new_version_says_so(
    full: Path, isogloss: Run
) -> None:
    asked = project_for("realaae")
    items = read_items(full, asked, sample=20, seed=1)
    merge(full, simulated(items, asked, seed=1), asked)
    build = ["build", "realaae", "--source=sample", "--translator=rules:", f"--out={full}"]
    build += ["--encoder=none", "--bertscore=none"]
    again = isogloss(*build)
    assert again.returncode == 0, again.stderr
    assert "back_natural_majority" in rows_of(full).columns
    assert "annotate merge" not in again.stdout + again.stderr

    changed = isogloss(*build, "--min-words=11")
    assert changed.returncode == 0, changed.stderr
    assert "back_natural_majority" not in rows_of(full).columns
    said = " ".join((changed.stdout + changed.stderr).split())
    assert "there are labels of people in annotations/ (realaae)" in said
    found = merge(full, None, asked)
    assert found.entry["items"] > 0
    assert "back_natural_majority" in rows_of(full).columns
