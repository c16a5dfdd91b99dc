"""BeerAdvocate's two record forms: Python dict literals, and blocks of ``key: value`` lines."""

from __future__ import annotations

import ast
import gzip
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from receval.datasets.errors import RawDataError
from receval.datasets.formats.archives import damage_reported
from receval.datasets.formats.beeradvocate_reviews import Field, Reviews, decode

KEYS = ("review/profileName", "beer/beerId", "review/overall", "review/time")

_PIECE = 1 << 15
_BLOCK_BYTES = 1 << 24
_STRING = r"""(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
_VALUE = rf"(?>{_STRING}|-?\d[\d.]*)"
_WANTED = "|".join(rf"'{key}': ({_VALUE})" for key in KEYS)
# One pass over a usual line: wanted pairs are captured, others skipped. Atomic groups keep an
# unusual line from being tried in many ways.
_LITERAL = re.compile(
    rf"\{{(?>(?>{_WANTED}|{_STRING}: {_VALUE})(?:, |(?=\}})))*\}}\s*", flags=re.DOTALL
)
_LINE_OF_BLOCK = re.compile(rb"^([A-Za-z]+/[A-Za-z]+):[ \t]*(.*?)[ \t]*$", flags=re.MULTILINE)


def read_literals(path: Path) -> Reviews:
    """Read one Python dict literal per line.

    Raises
    ------
    RawDataError
        If the file is damaged or a line is no dict literal with usable values.
    """
    reviews = Reviews(path)
    with damage_reported(path), gzip.open(path, "rb") as file:
        numbered = enumerate(file, start=1)
        while piece := list(islice(numbered, _PIECE)):
            records = [(number, _literal(line, path, number)) for number, line in piece]
            _add(reviews, records)
    return reviews


def read_blocks(path: Path) -> Reviews:
    """Read blocks of ``key: value`` lines with blank lines between.

    Raises
    ------
    RawDataError
        If the file is damaged or a line is not ``key: value`` with usable values.
    """
    reviews = Reviews(path)
    with damage_reported(path):
        blocks = _blocks(path)
        while piece := list(islice(blocks, _PIECE)):
            records = [(number, _block(block, path, number)) for number, block in piece]
            _add(reviews, records)
    return reviews


def _add(reviews: Reviews, records: Sequence[tuple[int, tuple[Field, ...] | None]]) -> None:
    full = [(number, record) for number, record in records if record is not None]
    reviews.add_empty(len(records) - len(full))
    if full:
        lines = np.array([number for number, _ in full])
        names, beers, overall, times = zip(*(record for _, record in full), strict=True)
        reviews.add(names, beers, overall, times, lambda row: int(lines[row]))


def _literal(line: bytes, path: Path, number: int) -> tuple[Field, ...] | None:
    text = decode(line)
    match = _LITERAL.fullmatch(text)
    if match is not None and None not in (found := match.groups()):
        return tuple(_value(literal) for literal in found)
    # Unusual spelling, order of quotes or a missing key: the full and slower way.
    try:
        record = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise RawDataError(path, number, f"the line is no Python dict literal ({error})") from error
    if not isinstance(record, dict):
        raise RawDataError(path, number, f"the line is a {type(record).__name__}, not a dict")
    if not record:
        return None
    return tuple(None if record.get(key) is None else str(record[key]) for key in KEYS)


def _value(literal: str) -> str:
    if literal[0] not in "'\"":
        return literal
    return str(ast.literal_eval(literal)) if "\\" in literal else literal[1:-1]


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each block and the number of its first line."""
    number = 1
    rest = b""
    with gzip.open(path, "rb") as file:
        while True:
            data = file.read(_BLOCK_BYTES)
            # A carriage return at the end waits in the rest for its line feed.
            *blocks, rest = (rest + data).replace(b"\r\n", b"\n").split(b"\n\n")
            if not data:
                blocks.append(rest)
            for block in blocks:
                content = block.lstrip(b"\n")
                first = number + len(block) - len(content)
                if content:
                    yield first, content.rstrip(b"\n")
                number += block.count(b"\n") + 2
            if not data:
                return


def _block(block: bytes, path: Path, number: int) -> tuple[Field, ...]:
    fields = _LINE_OF_BLOCK.findall(block)
    lines = block.count(b"\n") + 1
    if len(fields) != lines:
        for offset, line in enumerate(block.split(b"\n")):
            if _LINE_OF_BLOCK.fullmatch(line) is None:
                shown = decode(line[:60])
                raise RawDataError(path, number + offset, f"expected 'key: value', found {shown!r}")
    record = dict(fields)
    values = (record.get(key.encode()) for key in KEYS)
    return tuple(None if value is None else decode(value) for value in values)
