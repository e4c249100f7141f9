"""The manifest: read back as written, and refused in words where it can't be."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest
from isogloss.corpus.manifest import FORMAT_VERSION, dump_json, package_versions, read_manifest
from isogloss.errors import CorpusError


def test_what_was_written_is_read(tmp_path: Path) -> None:
    manifest = {"format_version": FORMAT_VERSION, "seed": 7, "builder": {"name": "é\u2028", "a": 1}}
    (tmp_path / "manifest.json").write_bytes(dump_json(manifest))
    assert read_manifest(tmp_path) == manifest


@pytest.mark.parametrize("where", ["missing", "file", "file/below", "."])
def test_no_manifest_is_none(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("a file")
    assert read_manifest(tmp_path / where) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"format_version": 1',
        b'{"format_version": "1"}',
        b'{"format_version": true}',
        b"{}",
        b"[]",
        b"null",
        b'"text"',
        b'{"format_version": 1, "title": "caf\xe9"}',
        b'{"format_version": 1, "rows": ' + b"9" * 5_000 + b"}",
        b'{"format_version": 1, "rows": ' + b"[" * 100_000,
        f'{{"format_version": {FORMAT_VERSION + 1}}}'.encode(),
    ],
    ids=lambda content: content[:40].decode(errors="replace") or "empty",
)
def test_a_manifest_that_can_not_be_used_is_a_corpus_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        read_manifest(tmp_path)
    message = str(caught.value)
    assert str(path) in message
    assert caught.value.remedy
    assert "\n" not in message
    assert len(message) < 1_000


def test_a_manifest_that_is_a_folder_is_a_corpus_error(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    with pytest.raises(CorpusError, match="can't be read"):
        read_manifest(tmp_path)


def test_a_newer_format_says_to_upgrade(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(dump_json({"format_version": FORMAT_VERSION + 1}))
    with pytest.raises(CorpusError, match="Upgrade"):
        read_manifest(tmp_path)


def test_json_is_written_for_people() -> None:
    data = dump_json({"b": "café", "a": [1]})
    assert data.decode() == '{\n  "b": "café",\n  "a": [\n    1\n  ]\n}\n'
    assert list(json.loads(data)) == ["b", "a"]
    with pytest.raises(ValueError, match="JSON"):
        dump_json(float("nan"))


def test_package_versions_are_the_installed_ones() -> None:
    assert package_versions(["polars"]) == {"polars": metadata.version("polars")}
