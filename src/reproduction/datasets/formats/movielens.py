# SPDX-License-Identifier: MIT
"""Parse MovieLens 1M: ``UserID::MovieID::Rating[::Timestamp]``, whole stars, grouped by user.

Source: the README of the dataset (https://grouplens.org/datasets/movielens/1m/).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from receval.data.features import Features, read_features
from receval.data.ratings import Ratings
from reproduction.datasets.formats.archives import file_bytes, zip_member
from reproduction.datasets.formats.columns import LAST_SECOND, Integer, LineFormat, rated_pairs
from reproduction.datasets.reports import ParseReport, RawDataError

_IDENTIFIER_LIMIT = 2**31 - 1
_COLUMNS = (
    Integer("user", 0, _IDENTIFIER_LIMIT),
    Integer("movie", 0, _IDENTIFIER_LIMIT),
    Integer("rating", 1, 5),
)
WITHOUT_TIMESTAMPS = LineFormat(b"::", _COLUMNS)
WITH_TIMESTAMPS = LineFormat(b"::", (*_COLUMNS, Integer("timestamp", 0, LAST_SECOND)))


def parse_zip(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``ml-1m.zip``."""
    report = report or ParseReport()
    (archive,) = files
    path, data = zip_member(archive, "ratings.dat", report.unpacked_limit)
    return _parse(data, path, report)


def parse_dat(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse ``ratings.dat`` with or without its column of timestamps."""
    (path,) = files
    return _parse(file_bytes(path), path, report)


def features_of_users(files: Sequence[Path], name: str) -> Features:
    """Return the features of users in ``users.dat``, beside the ratings or in their archive."""
    found = [path for path in files if path.name == name]
    if found:
        return read_features(found[0])
    archives = [path for path in files if path.suffix == ".zip"]
    if not archives:
        raise RawDataError(files[0], None, f"{name} with the features of users is not beside it")
    _, data = zip_member(archives[0], name)
    with TemporaryDirectory() as folder:
        unpacked = Path(folder) / name
        unpacked.write_bytes(data)
        return read_features(unpacked)


def _parse(data: bytes, path: Path | str, report: ParseReport | None) -> Ratings:
    report = report or ParseReport()
    if not data:
        raise RawDataError(path, None, "the file is empty")
    first_line = data[: data.find(b"\n") + 1] or data
    timed = first_line.count(b"::") != 2
    columns = (WITH_TIMESTAMPS if timed else WITHOUT_TIMESTAMPS).read(data, path)
    return rated_pairs(
        columns["user"],
        columns["movie"],
        columns["rating"].astype(np.float32),
        report,
        lambda row, reason: RawDataError(path, row + 1, reason),
        timestamps=columns["timestamp"].astype(np.int64) if timed else None,
    )
