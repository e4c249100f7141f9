"""The README: front matter that ``load_dataset`` follows, and a body that people keep."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from isogloss.corpus.readme import Config, SplitFiles, front_matter, markdown_text, render_readme
from isogloss.corpus.schema import Schema, features
from isogloss.corpus.store import write_parquet
from isogloss.errors import IsoglossError
from markdown_it import MarkdownIt

SCHEMA: Schema = {"id": pl.String(), "words": pl.Int32(), "markers": pl.List(pl.String())}
EMPTY: Schema = {"id": pl.String(), "back": pl.String(), "author": pl.Int64()}
HEAD = "---\nnew: true\n---\n"
BODY = "# Pairs\n\n---\nmade by the builder\n"
SHA256 = hashlib.sha256(BODY.encode()).hexdigest()


def parsed(text: str) -> dict[str, Any]:
    assert text.startswith("---\n")
    block, rest = text.removeprefix("---\n").split("\n---\n")
    assert rest == ""
    return dict(yaml.safe_load(block))


def test_load_dataset_follows_the_front_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    # All values of back are null: without declared features its type would be lost.
    rows = {
        "pairs": pl.DataFrame(
            {"id": ["1"], "words": [2], "markers": [["be"]]}, schema=dict(SCHEMA)
        ),
        "texts": pl.DataFrame({"id": ["2"], "back": [None], "author": [3]}, schema=dict(EMPTY)),
    }
    configs = []
    for (name, frame), schema in zip(rows.items(), (SCHEMA, EMPTY), strict=True):
        path = tmp_path / "corpus" / "data" / name / "rest-00000.parquet"
        path.parent.mkdir(parents=True)
        write_parquet(frame, path, schema)
        splits = [SplitFiles("trace", 0, 0, 0), SplitFiles("rest", 1, path.stat().st_size, 50)]
        configs.append(Config(name, schema, splits))
    (tmp_path / "corpus" / "README.md").write_text(front_matter(configs, {}) + "# Pairs\n")
    cache = str(tmp_path / "cache")
    for name, frame in rows.items():
        chosen = {} if name == "pairs" else {"name": name}  # the first config is the default
        loaded = datasets.load_dataset(str(tmp_path / "corpus"), cache_dir=cache, **chosen)
        assert list(loaded) == ["rest"]
        assert loaded["rest"].to_list() == frame.to_dicts()
        types = [str(kind) for kind in loaded["rest"].features.arrow_schema.types]
        expected = {"pairs": ["string", "int32"], "texts": ["string", "string", "int64"]}[name]
        assert types[: len(expected)] == expected


def test_front_matter_lists_only_splits_with_rows_and_adds_up_their_sizes() -> None:
    splits = [SplitFiles("trace", 0, 0, 0), SplitFiles("a", 2, 30, 10), SplitFiles("b", 1, 20, 5)]
    extra = {"license": "cc0-1.0", "pretty_name": "Pairs: ---\n---\nof texts"}
    block = parsed(front_matter([Config("x", SCHEMA, splits), Config("y", EMPTY, [])], extra))
    assert {key: block[key] for key in extra} == extra
    first, second = block["configs"]
    assert (first["default"], "default" in second) == (True, False)
    assert [file["split"] for file in first["data_files"]] == ["a", "b"]
    info = block["dataset_info"][0]
    assert (info["download_size"], info["dataset_size"]) == (50, 15)
    assert [split["num_examples"] for split in info["splits"]] == [2, 1]
    assert [one["features"] for one in block["dataset_info"]] == [features(SCHEMA), features(EMPTY)]
    assert [one["config_name"] for one in block["dataset_info"]] == ["x", "y"]


@pytest.mark.parametrize(
    ("old", "generated", "body"),
    [
        (None, None, BODY),
        (f"---\nold: 1\n---\n{BODY}", SHA256, BODY),
        ("---\nold: 1\n---\nthe body of last time\n", hashlib.sha256(b"the body of last time\n")
         .hexdigest(), BODY),
        ("---\nold: 1\n---\nby hand\n\n---\nmore\n", SHA256, "by hand\n\n---\nmore\n"),
        ("by hand, no front matter\n", SHA256, "by hand, no front matter\n"),
        ("by hand before the first build\n", None, "by hand before the first build\n"),
        ("---\nold: 1\n---", SHA256, ""),
    ],
    ids=["none", "ours", "ours of last time", "by hand", "no head", "before", "emptied"],
)  # fmt: skip
def test_a_body_by_hand_stays_and_ours_is_renewed(
    tmp_path: Path, old: str | None, generated: str | None, body: str
) -> None:
    path = tmp_path / "README.md"
    if old is not None:
        path.write_text(old)
    data, sha256 = render_readme(HEAD, BODY, existing=path, generated_sha256=generated)
    assert data.decode() == HEAD + body
    assert sha256 == SHA256


def test_a_readme_that_is_not_utf_8_is_not_overwritten_unseen(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_bytes("# Café\n".encode("latin-1"))
    with pytest.raises(IsoglossError, match=r"README\.md"):
        render_readme(HEAD, BODY, existing=path, generated_sha256=None)


signs = st.sampled_from([*"a é\t\n\r|*_`\\<>&[]()!#$~-+.:@\"'=^{}", "http://a.example", "1. "])


@settings(max_examples=200, deadline=None)
@given(text=st.lists(signs, max_size=12).map("".join))
def test_a_text_stays_in_its_table_cell_and_reads_as_it_is(text: str) -> None:
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = markdown.parse(f"| a | b |\n|---|---|\n| {markdown_text(text)} | end |\n")
    assert tokens[-1].type == "table_close"
    cells = [token for token in tokens if token.type == "inline"]
    assert [cell.content for cell in cells[:2]] == ["a", "b"]
    assert [cell.content for cell in cells[3:]] == ["end"]
    shown = cells[2].children or []
    assert {child.type for child in shown} <= {"text", "text_special"}
    plain = "".join(child.content for child in shown)
    assert plain.split() == text.split()
