# SPDX-License-Identifier: MIT
"""Test data: relevance judgments of TREC (qrels), or ratings that were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from receval.data.ratings import Ratings
from receval.data.ratings_table import ReadRatings, read_ratings
from receval.data.reading import ReadingReport


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
    reading : ReadingReport, optional
        How they were read, if they were.
    """

    ratings: Ratings
    are_grades: bool
    reading: ReadingReport | None = None

    @property
    def are_counts(self) -> bool:
        """Whether the values are counts of plays or the like."""
        return self.reading is not None and self.reading.are_counts


def read_test_data(source: object, **options: Any) -> JudgedTable:
    """Read what runs are measured by.

    Values are relevance judgments where the format is TREC's (``user iteration item grade``), or
    the columns have the names of queries and documents.
    """
    if isinstance(source, JudgedTable):
        return source
    if isinstance(source, Ratings) and not isinstance(source, ReadRatings):
        return JudgedTable(source, are_grades=False)
    read = source if isinstance(source, ReadRatings) else read_ratings(source, **options)
    return JudgedTable(read, read.are_grades, read.reading)
