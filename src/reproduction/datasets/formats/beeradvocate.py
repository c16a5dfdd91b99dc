# SPDX-License-Identifier: MIT
"""BeerAdvocate (McAuley et al.): one review per record, in three forms.

Source: https://cseweb.ucsd.edu/~jmcauley/datasets.html. Records are Python dict literals, blocks of
``key: value`` lines, or rows of a CSV file. Only the overall rating (half stars, rare zeros), the
beer, the author and the time are read.

Users are profile names, and reviews without one count as one user with an empty name. Of repeated
reviews of a beer by a user the last of the file stays. The hypothesis for the 1,571,808 ratings
in print: they are the distinct (profile name, beer id) pairs among 1,586,614 reviews, the empty
name included. It is checked when the real file is prepared; any rule that keeps one review per
pair gives the same count, so the count decides on pairs, not on which review of a pair stays.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from receval.data.ratings import Ratings
from reproduction.datasets.formats.archives import LONGEST_RECORD, unpacked
from reproduction.datasets.formats.beeradvocate_csv import read_csv
from reproduction.datasets.formats.beeradvocate_reviews import Field, Reviews, decode
from reproduction.datasets.reports import ParseReport, RawDataError, shown

REVIEW_KEYS = ("review/profileName", "beer/beerId", "review/overall", "review/time")

# Read at a time, so that what Python holds of a file is small: bytes of blocks, and records that
# become columns.
_BLOCK_BYTES = 1 << 24
_PIECE = 1 << 15

_STRING = r"""(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")"""
_NUMBER = r"-?\d[\d.]*"
_VALUE = rf"(?>{_STRING}|{_NUMBER})"
# A key with an escape might be a wanted one.
_OTHER_KEY = r"""(?:'[^'\\]*'|"[^"\\]*")"""
_WANTED = "|".join(rf"'{key}': ({_VALUE})" for key in REVIEW_KEYS)
# One pass over a usual line: wanted pairs are captured, others skipped. Atomic groups keep an
# unusual line from being tried in many ways.
_LITERAL = re.compile(
    rf"\{{(?>(?>{_WANTED}|{_OTHER_KEY}: {_VALUE})(?:, |(?=\}})))*\}}\s*", flags=re.DOTALL
)
_LINE_OF_BLOCK = re.compile(rb"^([A-Za-z]+/[A-Za-z]+):(.*)$", flags=re.MULTILINE)
_HIDDEN_LINE = re.compile(rb"\r[A-Za-z]+/[A-Za-z]+:")


def parse_literals(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.json.gz``: one Python dict literal (not JSON) per line.

    Returns
    -------
    Ratings
        Float32 half stars 0..5 and int64 timestamps (-1 for a review without time); the last
        review of each pair, where it is; codes by first appearance among complete reviews.
    """
    report = report or ParseReport()
    return read_literals(files[0], report.unpacked_limit).ratings(report)


def parse_blocks(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.txt.gz``: ``key: value`` lines, a blank line after each review.

    Parameters and results are those of :func:`parse_literals`.
    """
    report = report or ParseReport()
    return read_blocks(files[0], report.unpacked_limit).ratings(report)


def parse_csv(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the CSV variant, with a header.

    Parameters and results are those of :func:`parse_literals`.
    """
    return read_csv(files[0]).ratings(report or ParseReport())


def read_literals(path: Path, unpacked_limit: int | None = None) -> Reviews:
    """Read one Python dict literal per line.

    Raises
    ------
    RawDataError
        If the file is damaged or a line is no dict literal with usable values.
    """
    reviews = Reviews(path)
    with unpacked(path, unpacked_limit) as file:
        numbered = enumerate(iter(partial(file.readline, LONGEST_RECORD + 1), b""), start=1)
        while piece := list(islice(numbered, _PIECE)):
            _add(reviews, [(number, _literal(line, path, number)) for number, line in piece])
    return reviews


def read_blocks(path: Path, unpacked_limit: int | None = None) -> Reviews:
    """Read blocks of ``key: value`` lines with blank lines between.

    Raises
    ------
    RawDataError
        If the file is damaged or a line is not ``key: value`` with usable values.
    """
    reviews = Reviews(path)
    blocks = _blocks(path, unpacked_limit)
    while piece := list(islice(blocks, _PIECE)):
        _add(reviews, [(number, _block(block, path, number)) for number, block in piece])
    return reviews


def _add(reviews: Reviews, records: Sequence[tuple[int, tuple[Field, ...] | None]]) -> None:
    full = [(number, record) for number, record in records if record is not None]
    reviews.add_empty(len(records) - len(full))
    if full:
        lines = np.array([number for number, _ in full])
        names, beers, overall, times = zip(*(record for _, record in full), strict=True)
        reviews.add(names, beers, overall, times, lines)


def _literal(line: bytes, path: Path, number: int) -> tuple[Field, ...] | None:
    if len(line) > LONGEST_RECORD:
        raise RawDataError(path, number, f"the line has more than {LONGEST_RECORD:,} bytes")
    if line.rstrip() == b"{}":
        # Evaluating these, of which a small archive can have millions, would take minutes.
        return None
    text = decode(line)
    match = _LITERAL.fullmatch(text)
    # Of a repeated key the expression finds the last alone.
    once = match is not None and all(text.count(key) == 1 for key in REVIEW_KEYS)
    if match is not None and once and None not in (found := match.groups()):
        return tuple(_value(literal, path, number) for literal in found)
    # Unusual spelling, order of quotes or a missing key: the full and slower way.
    text = text.strip()
    node, record = _evaluate(text, path, number)
    if not isinstance(record, dict) or not isinstance(node, ast.Dict):
        raise RawDataError(path, number, f"the line is a {type(record).__name__}, not a dict")
    if not record:
        return None
    nodes: dict[object, ast.expr] = {}
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        key = ast.literal_eval(key_node) if key_node else None
        if key in nodes:
            # Another key than text as it is written: Python refuses to spell long numbers.
            spelled = (
                key if isinstance(key, str) else ast.get_source_segment(text, key_node or node)
            )
            raise RawDataError(path, number, f"the key {shown(spelled or '')} is repeated")
        nodes[key] = value_node
    fields: list[Field] = []
    for key in REVIEW_KEYS:
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            # As it is written: Python reads 0x1F, 1_000 and 4.00000000000000001, too.
            value = ast.get_source_segment(text, nodes[key]) or ""
            if not re.fullmatch(_NUMBER, value):
                reason = f"the value of {key} is {shown(value)}, neither text nor a plain number"
                raise RawDataError(path, number, reason)
        fields.append(value)
    return tuple(fields)


def _value(literal: str, path: Path, number: int) -> str:
    if literal[0] not in "'\"":
        return literal
    return str(_evaluate(literal, path, number)[1]) if "\\" in literal else literal[1:-1]


def _evaluate(text: str, path: Path, number: int) -> tuple[ast.expr, object]:
    """Evaluate a literal, in which whatever Python warns of is an error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            node = ast.parse(text, mode="eval").body
            return node, ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, Warning, MemoryError, RecursionError) as error:
        # Where a syntax error stands tells it of the literal, not of the file.
        told = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
        raise RawDataError(path, number, f"the line is no Python dict literal ({told})") from error


def _blocks(path: Path, unpacked_limit: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield each block and the number of its first line."""
    number = 1
    rest = b""
    with unpacked(path, unpacked_limit) as file:
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
            if len(rest) > LONGEST_RECORD:
                yield number, rest


def _block(block: bytes, path: Path, number: int) -> tuple[Field, ...]:
    if len(block) > LONGEST_RECORD:
        raise RawDataError(
            path, number, f"there is no blank line in the next {LONGEST_RECORD:,} bytes"
        )
    fields = _LINE_OF_BLOCK.findall(block)
    record = dict(fields)
    hidden = _HIDDEN_LINE.search(block) if b"\r" in block else None
    if len(record) != block.count(b"\n") + 1 or hidden is not None:
        raise _error_in_block(block, path, number)
    values = (record.get(key.encode()) for key in REVIEW_KEYS)
    return tuple(None if value is None else decode(value.strip(b" \t")) for value in values)


def _error_in_block(block: bytes, path: Path, number: int) -> RawDataError:
    lines: dict[bytes, int] = {}
    for line_number, line in enumerate(block.split(b"\n"), start=number):
        match = _LINE_OF_BLOCK.fullmatch(line)
        if match is None or _HIDDEN_LINE.search(line):
            return RawDataError(path, line_number, f"expected 'key: value', found {shown(line)}")
        if match[1] in lines:
            return RawDataError(
                path,
                line_number,
                f"the key {shown(match[1])} already stands in line {lines[match[1]]}: "
                "there is no blank line between two reviews",
            )
        lines[match[1]] = line_number
    raise AssertionError("one of the lines does not fit")
