"""Reads what people have: TwitterAAE, JSON lines, CSV, Parquet, compressed or not."""

from .chunk import CHUNK_ROWS, SOURCE_ROWS, UNREADABLE, Chunk
from .detect import Source, open_source

__all__ = ["CHUNK_ROWS", "SOURCE_ROWS", "UNREADABLE", "Chunk", "Source", "open_source"]
