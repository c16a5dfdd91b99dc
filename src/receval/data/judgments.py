# SPDX-License-Identifier: MIT
"""Read test data for runs: TREC relevance judgments (qrels), or held-out ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from receval.data.ratings import Ratings
from receval.data.ratings_table import ReadRatings, read_ratings
from receval.data.reading import ReadingReport


@dataclass(frozen=True)
class JudgedTable:
    """Judged pairs of users and items against which runs are measured.

    Attributes
    ----------
    ratings : Ratings
        The pairs with their values.
    are_grades : bool
        Whether the values are relevance judgments, where 0 means not relevant, instead of ratings.
    reading : ReadingReport, optional
        How the pairs were read, if they were read from a table.
    """

    ratings: Ratings
    are_grades: bool
    reading: ReadingReport | None = None

    @property
    def are_counts(self) -> bool:
        """Whether the values are counts, such as plays."""
        return self.reading is not None and self.reading.are_counts


def read_test_data(source: object, **options: Any) -> JudgedTable:
    """Read the test data against which runs are measured.

    Values are relevance judgments if the format is TREC's (``user iteration item grade``) or the
    columns are named after queries and documents.
    """
    if isinstance(source, JudgedTable):
        return source
    if isinstance(source, Ratings) and not isinstance(source, ReadRatings):
        return JudgedTable(source, are_grades=False)
    read = source if isinstance(source, ReadRatings) else read_ratings(source, **options)
    return JudgedTable(read, read.are_grades, read.reading)
