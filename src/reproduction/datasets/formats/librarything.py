# SPDX-License-Identifier: MIT
"""Parse LibraryThing (Clements et al.): ``user work 2*rating tag``, one line per tag.

Source: the dataset's page (http://www.macle.nl/tud/LT/). Ratings are doubled, so 1..10 are half
stars .5..5. Tags contain spaces. Every (user, work, rating) is repeated once per tag. A few pairs
have two ratings, of which the last in the file is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.repeats import last_rows
from reproduction.datasets.formats.archives import file_bytes
from reproduction.datasets.formats.columns import Ignored, Integer, LineFormat, rated_pairs
from reproduction.datasets.reports import ParseReport, RawDataError, shown

# A character that no line has. It replaces the first three spaces, which the fast reader must tell
# from those within tags.
_SEPARATOR = 0x1F
LINES = LineFormat(
    bytes([_SEPARATOR]),
    (
        Integer("user", 0, 2**31 - 1),
        Integer("work", 0, 2**31 - 1),
        Integer("doubled rating", 1, 10),
        Ignored("tag"),
    ),
)


def parse(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``UI2.txt`` into half stars .5..5; the last of repeated rows is kept in its position.

    The published number of ratings, 749,401, may count (user, work) pairs or (user, work, rating)
    triples. The report's ``expected_ratings`` decides, and for triples ``ratings_in_print`` is
    their number. Each pair is one row in any case. Codes are in the order of first appearance.
    """
    report = report or ParseReport()
    (path,) = files
    columns = _read(path)
    users, items, doubled = (columns[name] for name in ("user", "work", "doubled rating"))
    n_pairs = len(last_rows(users, items))
    n_triples = len(last_rows(users, items, doubled))
    report.notes["distinct (user, work) pairs"] = n_pairs
    report.notes["distinct (user, work, rating) triples"] = n_triples
    if report.expected_ratings == n_triples:
        report.ratings_in_print = n_triples
    return rated_pairs(
        users,
        items,
        doubled.astype(np.float32) / np.float32(2),
        report,
        lambda row, reason: RawDataError(path, row + 1, reason),
        by_default="last",
    )


def _read(path: Path) -> dict[str, NDArray]:
    data = file_bytes(path).replace(b"\r\n", b"\n")
    if b"\r" in data:
        # A carriage return is a blank in a tag, but before another record it would hide that
        # record.
        if hidden := re.search(rb"\r\d+ \d+ \d+ ", data):
            line = data[: hidden.start()].count(b"\n") + 1
            raise RawDataError(path, line, "the line ends with a carriage return and no line feed")
        data = data.replace(b"\r", b" ")
    if not data.endswith(b"\n"):
        data += b"\n"
    if _SEPARATOR in data:
        line = data[: data.index(_SEPARATOR)].count(b"\n") + 1
        raise RawDataError(path, line, "the line contains a control character (unit separator)")
    characters = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    spaces = np.flatnonzero(characters == ord(" "))
    starts = np.concatenate([[0], ends[:-1] + 1])
    first_space = np.searchsorted(spaces, starts)
    third_space = np.append(spaces, [len(data)] * 3)[first_space + 2]
    short = third_space > ends
    if short.any():
        row = int(np.argmax(short))
        found = shown(data[starts[row] : ends[row]])
        raise RawDataError(
            path, row + 1, f"expected 'user work rating tag' with single spaces, found {found}"
        )
    separated = characters.copy()
    for nth in range(3):
        separated[spaces[first_space + nth]] = _SEPARATOR
    return LINES.read(separated.tobytes(), path)
