"""Streams: every packing gives the same bytes, and a cut one is never taken for the whole."""

from __future__ import annotations

import gzip
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from isogloss.builders.sources import open_source
from isogloss.corpus.files import resolve_source
from isogloss.corpus.reading.stream import open_stream
from isogloss.errors import SourceError

TEXTS = ["she be singing", "we was late", "they ain't here", "he done ate", "it’s finna rain"]
DATA = b"".join(
    json.dumps({"id": str(n), "text": text, "author": random.Random(n).random()}).encode() + b"\n"
    for n, text in enumerate(TEXTS)
)
HALF = DATA.index(b"\n", len(DATA) // 2) + 1


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def zst_streamed(data: bytes) -> bytes:
    one = zstandard.ZstdCompressor().compressobj()  # without its size in the header
    return one.compress(data) + one.flush()


def zipped(data: bytes, *names: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name in names or ("tweets.jsonl",):
            archive.writestr(name, data)
    return file.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "gzip, two members": lambda data: gzip.compress(data[:HALF]) + gzip.compress(data[HALF:]),
    "zstd": zst,
    "zstd, streamed": zst_streamed,
    "zstd, frames": lambda data: zst(data[:HALF]) + zst(b"") + zst_streamed(data[HALF:]),
    "zip": zipped,
    "zip, stored": lambda data: zipped(data, method=zipfile.ZIP_STORED),
    "zip, bzip2": lambda data: zipped(data, method=zipfile.ZIP_BZIP2),
    "zip, folders": lambda data: zipped(data, "a/", "a/b.jsonl", "__MACOSX/a/._b.jsonl"),
    "zip, full file": lambda data: zipped(data, "limited", "twitter/twitteraae_all", "README"),
}
#: Cut after these many bytes, what is left is whole by the format's own rules.
WHOLE = {
    "gzip, two members": {len(gzip.compress(DATA[:HALF]))},
    "zstd, frames": {len(zst(DATA[:HALF])), len(zst(DATA[:HALF]) + zst(b""))},
}


def one_line(error: SourceError, name: str) -> bool:
    return name in str(error) and "\n" not in str(error) and bool(error.remedy)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_every_packing_gives_the_same_bytes(tmp_path: Path, packing: str, size: int) -> None:
    path = tmp_path / "source.with.any.name"
    path.write_bytes(PACKINGS[packing](DATA))
    with open_stream(path) as stream:
        read = b"".join(iter(lambda: stream.file.read(size), b""))
        assert stream.consumed() <= path.stat().st_size
        assert stream.name.startswith(path.name)
    assert read == DATA


@pytest.mark.parametrize("packing", [name for name in PACKINGS if name != "plain"])
def test_an_archive_cut_at_any_byte_is_an_error(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "tweets"
    whole = PACKINGS[packing](DATA)
    for cut in set(range(len(whole))) - WHOLE.get(packing, set()):
        path.write_bytes(whole[:cut])
        with pytest.raises(SourceError) as caught:
            print(f"cut to {cut} of {len(whole)}:", list(open_source(str(path)).chunks()))
        assert one_line(caught.value, "tweets")


@pytest.mark.parametrize("packing", ["gzip", "zstd", "zip", "zip, bzip2"])
def test_a_damaged_byte_is_an_error_or_changes_nothing(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "tweets"
    whole = PACKINGS[packing](DATA)
    found = {}
    for at in range(4, len(whole)):  # without its first bytes it is no archive at all
        for mask in (0x01, 0xFF):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ mask]) + whole[at + 1 :])
            try:
                with open_stream(path) as stream:
                    if stream.file.read() != DATA:
                        found[at, mask] = "other bytes"
            except Exception as error:  # noqa: BLE001
                if not (isinstance(error, SourceError) and one_line(error, "tweets")):
                    found[at, mask] = repr(error)
    assert not found


@pytest.mark.parametrize(
    ("names", "member", "said"),
    [
        ((), "other.tsv", "no member 'other.tsv'"),
        (("a", "b"), None, "name one as tweets.zip::MEMBER; it has a, b"),
        (("a/",), None, "no files"),
    ],
)
def test_a_member_must_be_there_and_named(
    tmp_path: Path, names: tuple[str, ...], member: str | None, said: str
) -> None:
    path = tmp_path / "tweets.zip"
    path.write_bytes(zipped(b"" if names == ("a/",) else DATA, *names))
    with pytest.raises(SourceError, match="archive") as caught, open_stream(path, member):
        pass
    assert said in str(caught.value).replace("Name", "name")


def test_a_named_member_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tweets.zip"
    path.write_bytes(zipped(DATA, "a", "b"))
    with open_stream(*resolve_source(f"{path}::b")) as stream:
        assert (stream.file.read(), stream.name) == (DATA, "tweets.zip::b")
    (tmp_path / "plain").write_bytes(DATA)
    with pytest.raises(SourceError, match="only a zip"), open_stream(tmp_path / "plain", "b"):
        pass


def test_an_encrypted_archive_says_so(tmp_path: Path) -> None:
    data = bytearray(zipped(DATA))
    data[6] |= 1  # the flag in the member's own header, and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "tweets.zip").write_bytes(data)
    with pytest.raises(SourceError, match="encrypted"), open_stream(tmp_path / "tweets.zip"):
        pass


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.tsv", "no such file"),
        ("", "directory"),
        ("empty", "empty"),
        ("x" * 300, "opened"),
        ("empty/below", "no such file"),
        ("~nobody-of-this-name/tweets.tsv", "error"),
    ],
    ids=["missing", "directory", "empty", "too long", "below a file", "no such user"],
)
def test_a_file_that_can_not_be_read_is_the_users_mistake(
    tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(SourceError, match=said) as caught:
        resolve_source(name if name.startswith("~") else f"{tmp_path}/{name}")
    assert caught.value.where
    assert caught.value.remedy
