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

from collections.abc import Sequence
from pathlib import Path

from receval.datasets.formats.beeradvocate_csv import read_csv
from receval.datasets.formats.beeradvocate_records import read_blocks, read_literals
from receval.datasets.formats.beeradvocate_reviews import Reviews
from receval.datasets.formats.report import ParseReport
from receval.ratings import Ratings


def parse_literals(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.json.gz``: one Python dict literal (not JSON) per line.

    Parameters
    ----------
    files : sequence of one Path
        The file.
    report : ParseReport or None
        Filled with the account of the parse.

    Returns
    -------
    Ratings
        Float32 half stars 0..5 and int64 timestamps (-1 for a review without time); the last
        review of each pair, in its place; codes by first appearance among complete reviews.

    Raises
    ------
    RawDataError
        If the file is damaged or a record does not fit.
    """
    return _parse(read_literals(files[0]), report)


def parse_blocks(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``beeradvocate.txt.gz``: ``key: value`` lines, a blank line after each review.

    Parameters and results are those of :func:`parse_literals`.
    """
    return _parse(read_blocks(files[0]), report)


def parse_csv(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the CSV edition, with a header.

    Parameters and results are those of :func:`parse_literals`.
    """
    return _parse(read_csv(files[0]), report)


def _parse(reviews: Reviews, report: ParseReport | None) -> Ratings:
    return reviews.ratings(report or ParseReport())
