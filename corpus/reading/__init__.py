"""Reads what people have: files plain or compressed, by lines or by named columns."""

from ..files import resolve_source
from .lines import LineChunk, decode, line_chunks
from .records import Batch, csv_batches, jsonl_batches, parquet_batches
from .refused import Refused
from .stream import Stream, is_parquet, open_stream

__all__ = [
    "Batch",
    "LineChunk",
    "Refused",
    "Stream",
    "csv_batches",
    "decode",
    "is_parquet",
    "jsonl_batches",
    "line_chunks",
    "open_stream",
    "parquet_batches",
    "resolve_source",
]
