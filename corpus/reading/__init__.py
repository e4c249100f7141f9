"""Reads what people have: files plain or compressed, by lines or by named columns."""

from .lines import LineChunk, decode, line_chunks
from .records import Batch, csv_batches, jsonl_batches, parquet_batches
from .refused import Refused
from .stream import Stream, only_zip_has_members, open_stream, resolve_source

__all__ = [
    "Batch",
    "LineChunk",
    "Refused",
    "Stream",
    "csv_batches",
    "decode",
    "jsonl_batches",
    "line_chunks",
    "only_zip_has_members",
    "open_stream",
    "parquet_batches",
    "resolve_source",
]
