"""Lines of JSON over two pipes: whole in any pieces, and no side waits for the other."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from isogloss.tools.lines import Ended, Lines, NoAnswer

ODD = st.text(st.characters(codec=None, categories=None) | st.sampled_from("\n\r\u2028\u0085\0"))
OBJECTS = st.dictionaries(ODD, st.none() | st.integers() | ODD | st.lists(ODD), max_size=3)


@contextmanager
def piped() -> Iterator[tuple[Lines, int, int]]:
    """Our side; where the other side reads; where it writes."""
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    with os.fdopen(our_out, "wb", 0) as output, os.fdopen(our_in, "rb", 0) as source:
        try:
            yield Lines(output, source), their_in, their_out
        finally:
            os.close(their_in)
            os.close(their_out)


@given(messages=st.lists(OBJECTS, min_size=1, max_size=5), cuts=st.lists(st.integers(1, 9)))
def test_what_is_sent_comes_as_it_was_however_it_is_cut(
    messages: list[dict[str, object]], cuts: list[int]
) -> None:
    with piped() as (lines, their_in, their_out):
        for message in messages:
            lines.send(message)
        lines.pump()
        sent = os.read(their_in, 1 << 20)
        assert sent.isascii()
        assert sent.count(b"\n") == len(messages)
        received = []
        for size in [*cuts, len(sent)]:
            os.write(their_out, sent[:size])
            sent = sent[size:]
            try:
                while True:
                    received.append(lines.receive(0))
            except NoAnswer:
                continue
        assert received == messages


def test_what_came_counts_before_the_end_and_before_the_time() -> None:
    with piped() as (lines, _, their_out):
        os.write(their_out, b'{"a": 1}\n{"b": 2}\n{"cut')
        assert lines.receive(0) == {"a": 1}
        assert lines.receive(None) == {"b": 2}
        with pytest.raises(NoAnswer):
            lines.receive(0)


def test_the_end_and_what_is_no_json() -> None:
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    with os.fdopen(our_out, "wb", 0) as output, os.fdopen(our_in, "rb", 0) as source:
        lines = Lines(output, source)
        os.close(their_in)
        lines.send({"nobody": "reads it"})
        os.write(their_out, b"hello\n")
        os.close(their_out)
        with pytest.raises(json.JSONDecodeError):
            lines.receive(None)
        with pytest.raises(Ended):
            lines.receive(None)
        with pytest.raises(Ended):
            lines.pump()


def test_what_json_has_no_word_for() -> None:
    with piped() as (lines, _, _out), pytest.raises(TypeError):
        lines.send({"a": object()})
