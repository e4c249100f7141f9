"""Reads what people have: TwitterAAE, JSON lines, CSV, Parquet, compressed or not."""

from .chunk import CHUNK_ROWS, READER_VERSION, SOURCE_ROWS, UNREADABLE, Chunk
from .detect import Source, open_source

__all__ = [
    "CHUNK_ROWS",
    "READER_VERSION",
    "SOURCE_ROWS",
    "UNREADABLE",
    "Chunk",
    "Source",
    "open_source",
]
