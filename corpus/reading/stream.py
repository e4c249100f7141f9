"""Opens a source as a stream of bytes: plain, gzip, zstandard, or a member of a zip.

What a file is, is read from its first bytes, not from its name. A damaged or cut
archive is an error as soon as it is noticed; the part before it is never taken for
the whole.
"""

from __future__ import annotations

import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

import zstandard

from ...errors import SourceError
from ..files import MEMBER

__all__ = ["Stream", "is_parquet", "open_stream"]

_PARQUET = b"PAR1"
_OTHER_FORMATS = (
    (b"\xfd7zX", "an .xz archive"),
    (b"BZh", "a .bz2 archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
    (b"SQLi", "a SQLite database"),
)
#: In the original archive the full file lies beside the limited one.
_PREFERRED_MEMBER = "twitteraae_all"


#: What the archive readers raise on bytes they can't make sense of.
_DAMAGE = (
    EOFError,
    NotImplementedError,
    OSError,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
    zstandard.ZstdError,
)


@dataclass(frozen=True, slots=True)
class Stream:
    """An opened source.

    Attributes:
        file: Its decompressed bytes.
        name: File name, with the member where it is an archive; no folder.
        consumed: Gives the compressed bytes read so far, for progress.
    """

    file: BinaryIO
    name: str
    consumed: Callable[[], int]


@contextmanager
def open_stream(path: Path, member: str | None = None) -> Iterator[Stream]:
    """Opens ``path`` for reading from the start.

    Raises:
        SourceError: If an archive is damaged or doesn't have the member.
    """
    with path.open("rb") as raw, _archive_errors(path):
        magic = raw.read(4)
        raw.seek(0)
        name = path.name
        opened: BinaryIO | gzip.GzipFile | IO[bytes]
        if magic[:2] == b"\x1f\x8b":
            opened = gzip.GzipFile(fileobj=raw, mode="rb")
        elif magic == b"\x28\xb5\x2f\xfd":
            opened = io.BufferedReader(_ZstdReader(raw), 1 << 20)
        elif other := next((name for sign, name in _OTHER_FORMATS if magic.startswith(sign)), ""):
            raise SourceError(
                f"this is {other}", where=path.name, remedy="unpack or convert it first"
            )
        elif magic[:2] == b"PK":
            archive = zipfile.ZipFile(raw)
            if "[Content_Types].xml" in archive.namelist():
                raise SourceError(
                    "this is a spreadsheet, which keeps only 15 digits of an id",
                    where=path.name,
                    remedy="export the original file as CSV with the ids as text",
                )
            member = member or _only_member(archive, path)
            if member not in archive.namelist():
                raise SourceError(
                    f"the archive has no member {member!r}",
                    where=path.name,
                    remedy=f"it has {', '.join(archive.namelist()[:8])}",
                )
            opened, name = archive.open(member), f"{path.name}{MEMBER}{member}"
        else:
            opened = raw
        if member and magic[:2] != b"PK":
            raise _only_zip_has_members(path, member)
        yield Stream(cast(BinaryIO, opened), name, raw.tell)


def is_parquet(path: Path, member: str | None) -> bool:
    """Whether a file is Parquet, by its first bytes.

    Raises:
        SourceError: If only its name says so, or a member of it is named.
    """
    with path.open("rb") as file:
        found = file.read(len(_PARQUET)) == _PARQUET
    if found and member:
        raise _only_zip_has_members(path, member)
    if not found and path.suffix.lower() == ".parquet":
        raise SourceError(
            "this is no Parquet file, though its name says so",
            where=path.name,
            remedy="fetch it again (a Git LFS pointer with `git lfs pull`), or give it the name of "
            "what it is",
        )
    return found


def _only_zip_has_members(path: Path, member: str) -> SourceError:
    return SourceError(
        "only a zip has members", where=path.name, remedy=f"leave out {MEMBER}{member}"
    )


@contextmanager
def _archive_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise SourceError(
            f"the archive is damaged or cut off ({error})",
            where=path.name,
            remedy="fetch it again and compare its size or checksum",
        ) from error
    except RuntimeError as error:
        if "password" not in str(error) and "encrypted" not in str(error):
            raise
        raise SourceError(
            "the archive is encrypted", where=path.name, remedy="unpack it first"
        ) from error


def _only_member(archive: zipfile.ZipFile, path: Path) -> str:
    members = [
        info.filename
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    preferred = [name for name in members if Path(name).stem == _PREFERRED_MEMBER]
    chosen = preferred or members
    if len(chosen) != 1:
        raise SourceError(
            f"the archive has {len(members)} files" if members else "the archive has no files",
            where=path.name,
            remedy=f"name one as {path.name}{MEMBER}MEMBER; it has {', '.join(members[:8])}"
            if members
            else "give one that has",
        )
    return chosen[0]


class _ZstdReader(io.RawIOBase):
    """Decompresses frame after frame and notices a cut one, as the library's reader doesn't."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 31)
        self._frame = self._decompressor.decompressobj()
        self._started = False
        self._pending = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        """Fills the buffer as far as there is something; 0 at the end (``io.RawIOBase``)."""
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        while not self._ready:
            data = self._pending or self._raw.read(1 << 18)
            self._pending = b""
            if not data:
                if self._started:
                    raise EOFError("a frame ends early")
                return 0
            self._started = True
            self._ready = memoryview(self._frame.decompress(data))
            if self._frame.eof:
                self._pending = self._frame.unused_data
                self._frame = self._decompressor.decompressobj()
                self._started = False
        size = min(len(target), len(self._ready))
        target[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size
