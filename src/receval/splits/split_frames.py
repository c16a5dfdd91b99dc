# SPDX-License-Identifier: MIT
"""The parts of a split as data frames, for models elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.data.reading import ReadingReport
from receval.splits.split import FOLD_IN, TEST, TRAIN, UNBIASED, VALIDATION, Split


class SplitFrames(NamedTuple):
    """The ratings of each part of a split.

    Each frame has the columns ``user``, ``item``, ``rating`` and, if there are any, ``timestamp``
    (seconds since 1970-01-01 UTC), with a row per rating; if there are several folds, the first
    column is ``fold``, from 0. Rows are in the order of fold, user and item. Identifiers and
    ratings have the types of the table that they were read from; identifiers from a text file are
    numbers if all of them are whole numbers without leading zeros.

    Attributes
    ----------
    train, test : DataFrame
    validation : DataFrame, optional
        Ratings set aside for tuning.
    fold_in : DataFrame, optional
        Ratings of held-out users that systems are given after training.
    unbiased : DataFrame, optional
        Ratings of randomly drawn items. A rating may also be in another part.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    validation: pd.DataFrame | None = None
    fold_in: pd.DataFrame | None = None
    unbiased: pd.DataFrame | None = None


def frames_of(ratings: Ratings, split: Split, reading: ReadingReport | None) -> SplitFrames:
    """Return the ratings of each part of a split as data frames.

    Examples
    --------
    See :meth:`receval.splits.split_ratings.SplitRatings.to_frames`.
    """
    types = {} if reading is None else reading.types
    columns = {
        "user": typed_identifiers(ratings.user_ids, types.get("user"))[ratings.users],
        "item": typed_identifiers(ratings.item_ids, types.get("item"))[ratings.items],
        "rating": _values(ratings, types.get("rating")),
    }
    if ratings.timestamps is not None:
        columns["timestamp"] = ratings.timestamps
    table = pd.DataFrame(columns)

    def part(bit: int) -> pd.DataFrame | None:
        frames = []
        for number, codes in enumerate(split.codes):
            own = table[(codes & bit) > 0]
            if split.n_folds > 1:
                own = own.assign(fold=number)[["fold", *table.columns]]
            frames.append(own)
        found = pd.concat(frames, ignore_index=True)
        return found if len(found) else None

    train, test = part(TRAIN), part(TEST)
    assert train is not None
    assert test is not None
    return SplitFrames(train, test, part(VALIDATION), part(FOLD_IN), part(UNBIASED))


def typed_identifiers(ids: NDArray[np.str_], kind: str | None) -> NDArray[np.generic]:
    """Return identifiers as numbers if they were numbers, otherwise as strings.

    Without a kind (:attr:`.ReadingReport.types`), they are numbers if all are whole numbers without
    leading zeros.

    Examples
    --------
    >>> typed_identifiers(np.array(["7", "10"]), None).tolist()
    [7, 10]
    >>> typed_identifiers(np.array(["7", "10"]), "text").tolist()
    ['7', '10']
    """
    if kind != "text" and len(ids):
        try:
            numbers = ids.astype(np.int64)
        except (ValueError, OverflowError):
            numbers = None
        if numbers is not None and (numbers.astype(str) == ids).all():
            return numbers
    return ids.astype(object)


def _values(ratings: Ratings, kind: str | None) -> NDArray[np.generic]:
    """Return ratings in double precision, or as integers if they were integers."""
    if kind == "integer" or ratings.values.dtype == np.int8:
        return ratings.values.astype(np.int64)
    return _shortest_doubles(ratings.values)


def _shortest_doubles(values: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
    """Return single-precision values as the doubles that are written alike, such as 0.1."""
    different, places = np.unique(values, return_inverse=True)
    return np.array([float(str(own)) for own in different], dtype=np.float64)[places]
