# SPDX-License-Identifier: MIT
"""Read predefined splits from a file beside the raw data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.random_splits import UnbiasedRows, split_from_partition
from receval.splits.split import TEST, TRAIN, Split, order_by_time


def predefined_split(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    path: Path,
    content: Literal["held-out-pairs", "fold-numbers"],
    unbiased_rows: UnbiasedRows | None,
    train_order: Literal["rows", "folds", "time"] = "rows",
) -> Split:
    """Read a split from a UTF-8 file without a header; nothing is random.

    The content is either "held-out-pairs", lines ``user<TAB>item`` of raw identifiers, whose
    ratings test while all others train; or "fold-numbers", one line per rating, in the order of the
    raw file, with the number, from 1, of the fold that tests it. How fold numbers are used is as
    for :func:`receval.splits.random_splits.split_from_partition`. A wrong line is refused by its
    number.

    ``train_order`` is the order of ratings in the train files of the authors: as in the raw file,
    the other folds one after the other, or by time
    (:func:`receval.splits.split.order_by_time`, also for ratings without timestamps). It is
    kept in the split's metadata, because LibRec's tie order and numbering of users and items depend
    on it.
    """
    order = order_by_time(ratings) if train_order == "time" else train_order
    if content == "fold-numbers":
        fold_of_rating = _read_fold_numbers(path, len(ratings))
        folds = int(fold_of_rating.max()) + 1
        split = split_from_partition(ratings, fold_of_rating, folds, unbiased_rows)
        return Split(split.codes, {"train_order": order})
    if unbiased_rows is not None:
        raise ValueError(
            f"{path} holds held-out pairs, which say nothing about an unbiased test. Use "
            "unbiased_rows only with the content 'fold-numbers'."
        )
    tested = _read_pairs(path, ratings)
    pairs = ratings.users.astype(np.int64) * ratings.n_items + ratings.items
    missing = ~np.isin(tested, pairs)
    if missing.any():
        line = int(np.argmax(missing))
        user, item = divmod(int(tested[line]), ratings.n_items)
        raise ValueError(
            f"{path}, line {line + 1}: user '{ratings.user_ids[user]}' has not rated item "
            f"'{ratings.item_ids[item]}'. The file must belong to this variant of the dataset."
        )
    codes = np.where(np.isin(pairs, tested), TEST, TRAIN).astype(np.uint8)
    return Split((codes,), {"train_order": order})


def _read_lines(path: Path) -> pd.DataFrame:
    """Read tab-separated text as strings; missing fields at the end of a row are NaN."""
    try:
        return pd.read_csv(
            path,
            sep="\t",
            header=None,
            index_col=False,
            dtype=str,
            keep_default_na=False,
            na_values=[],
            quoting=3,
            skip_blank_lines=False,
            encoding="utf-8",
        )
    except pd.errors.EmptyDataError as error:
        raise ValueError(f"{path} is empty. It must describe a split.") from error
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found is None:
            raise ValueError(f"{path} is not tab-separated text: {error}.") from error
        raise ValueError(
            f"{path}, line {found[2]} has {found[3]} columns, but the lines before it have "
            f"{found[1]}."
        ) from error


def _read_fold_numbers(path: Path, n_ratings: int) -> NDArray[np.uint8]:
    """Read one fold number per rating, and return them counted from 0."""
    lines = _read_lines(path)
    text = lines[0]
    well_formed = text.str.fullmatch("[1-9][0-9]?").to_numpy(dtype=bool, na_value=False)
    if lines.shape[1] != 1 or not well_formed.all():
        line = 0 if lines.shape[1] != 1 else int(np.argmin(well_formed))
        raise ValueError(
            f"{path}, line {line + 1}: '{text.iloc[line]}' is not the number of a fold. Each line "
            "must be one whole number from 1 to 99."
        )
    if len(lines) != n_ratings:
        raise ValueError(
            f"{path} ends at line {len(lines)}, but there are {n_ratings} ratings. It must have "
            "one line per rating, in the order of the raw file."
        )
    fold_of_rating: NDArray[np.uint8] = text.to_numpy().astype(np.uint8) - np.uint8(1)
    empty = np.flatnonzero(np.bincount(fold_of_rating) == 0)
    if len(empty):
        raise ValueError(
            f"{path}: no line has the fold number {empty[0] + 1}, although there are higher ones."
        )
    return fold_of_rating


def _read_pairs(path: Path, ratings: Ratings) -> NDArray[np.int64]:
    """Read raw (user, item) pairs, and return ``user * n_items + item`` in codes, by line."""
    lines = _read_lines(path)
    incomplete = (lines[lines.shape[1] - 1].fillna("") == "").to_numpy()
    if lines.shape[1] != 2 or incomplete.any():
        raise ValueError(
            f"{path}, line {int(np.argmax(incomplete)) + 1} does not have two columns. It must "
            "have a user and an item, with a tab between them."
        )
    codes: list[NDArray[np.int64]] = []
    for column, (name, ids) in enumerate((("user", ratings.user_ids), ("item", ratings.item_ids))):
        found = pd.Index(ids.astype(object)).get_indexer(pd.Index(lines[column].astype(object)))
        if (found < 0).any():
            line = int(np.argmax(found < 0))
            raise ValueError(
                f"{path}, line {line + 1}: there is no {name} '{lines[column].iloc[line]}' in "
                "this dataset. The file must belong to this variant of the dataset."
            )
        codes.append(found.astype(np.int64))
    pairs: NDArray[np.int64] = codes[0] * ratings.n_items + codes[1]
    repeated = pd.Series(pairs).duplicated().to_numpy()
    if repeated.any():
        line = int(np.argmax(repeated))
        raise ValueError(
            f"{path}, line {line + 1}: the pair of user '{lines[0].iloc[line]}' and item "
            f"'{lines[1].iloc[line]}' is also on an earlier line. List each pair only once."
        )
    return pairs
