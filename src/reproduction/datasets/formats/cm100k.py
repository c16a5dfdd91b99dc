# SPDX-License-Identifier: MIT
r"""Parse CM100k: ``UserID \t TrackID \t Rating \t Known``, ratings 1 to 4.

Source: the dataset's readme. Tracks were drawn at random for each user (missing at random);
``Known`` marks those that the user had heard before (missing not at random).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from receval.data.ratings import Ratings
from reproduction.datasets.formats.archives import file_bytes
from reproduction.datasets.formats.columns import Integer, LineFormat, rated_pairs
from reproduction.datasets.reports import ParseReport, RawDataError

LINES = LineFormat(
    b"\t",
    (
        Integer("user", 0, 2**31 - 1),
        Integer("track", 0, 2**62),
        Integer("rating", 1, 4),
        Integer("known flag", 0, 1),
    ),
)


def parse(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``ratings.txt``, or ``data.txt`` with other user ids."""
    report = report or ParseReport()
    (path,) = files
    columns = LINES.read(file_bytes(path), path)
    return rated_pairs(
        columns["user"],
        columns["track"],
        columns["rating"].astype(np.float32),
        report,
        lambda row, reason: RawDataError(path, row + 1, reason),
        known=columns["known flag"].astype(np.bool_),
    )
