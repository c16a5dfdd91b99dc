# SPDX-License-Identifier: MIT
r"""Parse Yahoo! R3: ``user \t song \t rating`` in a train file and a test file.

Source: the readme of ydata-ymusic-rating-study-v1_0. In the train file, users chose the songs that
they rated (missing not at random). In the test file, 5,400 of them rated ten random songs each
(missing at random). Only these users are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.repeats import identifier_codes, refuse_repeats
from reproduction.datasets.formats.archives import file_bytes
from reproduction.datasets.formats.columns import Integer, LineFormat
from reproduction.datasets.reports import ParseReport, RawDataError

LINES = LineFormat(
    b"\t",
    (
        Integer("user", 1, 2**31 - 1),
        Integer("song", 1, 2**31 - 1),
        Integer("rating", 1, 5),
    ),
)


def parse(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse the two files of the rating study.

    The train ratings of the test users come first (``known`` is True), then the test ratings
    (False); codes are by first appearance in this order. If a user rated a song in both files, both
    rows are kept, and differ in ``known``.
    """
    report = report or ParseReport()
    train_path, test_path = files
    report.refuse_to_merge(train_path)
    train, test = _read(train_path), _read(test_path)
    for part, columns in (("train", train), ("test", test)):
        report.add_file(part, columns["user"], columns["song"], columns["rating"])
    report.rows = len(train["user"]) + len(test["user"])
    kept = np.isin(train["user"], test["user"])
    report.drop("train ratings of users without test ratings", int((~kept).sum()))
    columns = {name: np.concatenate([train[name][kept], test[name]]) for name in train}
    (users, user_ids), (items, item_ids) = map(identifier_codes, (columns["user"], columns["song"]))
    ratings = Ratings(
        users=users,
        items=items,
        values=columns["rating"].astype(np.float32),
        user_ids=user_ids,
        item_ids=item_ids,
        known=np.arange(len(columns["user"])) < kept.sum(),
    )
    pairs = ratings.users.astype(np.int64) * max(ratings.n_items, 1) + ratings.items
    report.note("pairs rated in both files", len(pairs) - len(np.unique(pairs)))
    return ratings


def _read(path: Path) -> dict[str, NDArray]:
    columns = LINES.read(file_bytes(path), path)
    refuse_repeats(
        columns["user"],
        columns["song"],
        lambda row, reason: RawDataError(path, row + 1, reason),
    )
    return columns
