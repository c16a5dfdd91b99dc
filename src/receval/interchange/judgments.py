# SPDX-License-Identifier: MIT
"""Test data: relevance judgments of TREC (qrels), or ratings that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from receval.interchange.packed_files import bare_suffix, opened
from receval.interchange.ratings_table import read_ratings
from receval.ratings import Ratings

QRELS = (".qrels", ".qrel")

_CELLS = 4


@dataclass(frozen=True)
class JudgedTable:
    """Judged pairs that runs are measured by.

    Attributes
    ----------
    ratings : Ratings
        The pairs with their values.
    are_grades : bool
        Whether the values are relevance judgments, of which 0 stands for not relevant, and not
        ratings.
    """

    ratings: Ratings
    are_grades: bool


def read_test_data(source: object, **columns: Any) -> JudgedTable:
    """Read what runs are measured by.

    Parameters
    ----------
    source : path, data frame, mapping or Ratings
        A file that is named ``.qrels`` or whose first line has four cells, ``user iteration item
        grade`` between white space, is read as TREC's judgments; all others as ratings
        (:func:`receval.interchange.ratings_table.read_ratings`).
    **columns
        As there.

    Raises
    ------
    TableError
        As there.
    """
    if isinstance(source, JudgedTable):
        return source
    if isinstance(source, Ratings):
        return JudgedTable(source, are_grades=False)
    if isinstance(source, str | Path) and not columns and _are_qrels(Path(source)):
        ratings = read_ratings(source, user=0, item=2, rating=3, delimiter=" ", header=False)
        return JudgedTable(ratings, are_grades=True)
    return JudgedTable(read_ratings(source, **columns), are_grades=False)


def _are_qrels(path: Path) -> bool:
    suffix = bare_suffix(path)
    if suffix in QRELS:
        return True
    if suffix not in ("", ".txt"):
        return False
    with opened(path) as file:
        cells = file.readline().split()
    return len(cells) == _CELLS and cells[1] in (b"0", b"Q0")
