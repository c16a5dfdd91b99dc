# SPDX-License-Identifier: MIT
"""Given scores as a system, and the libraries that an object of a caller comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from receval.top_lists import ListSystem


def libraries_of(value: object) -> Iterator[str]:
    """Yield the top-level packages of an object's class and of its base classes.

    No package is imported.

    Examples
    --------
    >>> list(libraries_of(np.float64(1)))
    ['numpy', 'numpy', 'numpy', 'numpy', 'numpy', 'builtins', 'builtins']
    """
    for parent in type(value).__mro__:
        yield parent.__module__.partition(".")[0]


def definer_of(value: object, method: str) -> str | None:
    """Return the top-level package of the class that defines a method of an object, if any does.

    Examples
    --------
    >>> definer_of([], "append")
    'builtins'
    >>> definer_of([], "score") is None
    True
    """
    for parent, library in zip(type(value).__mro__, libraries_of(value), strict=True):
        if method in vars(parent):
            return library
    return None


class GivenScores(ListSystem):
    """Given scores of all items for all users, without any training.

    Made by :func:`of_scores`.
    """

    def __init__(self, scores: Any) -> None:
        self._scores = scores

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of users and of items."""
        n_users, n_items = self._scores.shape
        return int(n_users), int(n_items)

    def fit(self, train: csr_array) -> Self:
        """Check that there are scores for all users and items.

        Raises
        ------
        ValueError
            The ratings have another shape.
        """
        if self.shape != train.shape:
            raise ValueError(
                f"The scores have the shape {self.shape}, but they must have the shape "
                f"{train.shape}, for all users and items in the order of the ratings' codes."
            )
        return self

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of all items for some users, shape (n, n_items)."""
        rows = self._scores[users]
        if not issparse(rows):
            return np.asarray(rows)
        entries = rows.tocoo()
        scores = np.full(rows.shape, np.nan, dtype=rows.dtype)
        scores[entries.row, entries.col] = entries.data
        return scores


def of_scores(scores: Any) -> GivenScores:
    """Turn scores of all items for all users into a system.

    Parameters
    ----------
    scores : ndarray or sparse array, shape (n_users, n_items)
        Real numbers in the order of the codes of ``data.ratings``; higher is better. Items with
        NaN, or without an entry in a sparse array, are not recommended.

    Returns
    -------
    GivenScores

    Raises
    ------
    ValueError
        The array does not have two dimensions, or has values that are not real numbers.

    Examples
    --------
    >>> of_scores(np.array([[0.5, np.nan], [1.0, 2.0]])).score(np.array([0]))
    array([[0.5, nan]])
    """
    if len(scores.shape) != 2 or np.dtype(scores.dtype).kind not in "buif":
        raise ValueError(
            f"The scores have the shape {scores.shape} and the type {scores.dtype}, but they must "
            "be real numbers of the shape (n_users, n_items)."
        )
    if issparse(scores):
        # Duplicate entries of a pair must be added to be one score, and may need more bits.
        scores = csr_array(scores.astype(np.result_type(scores.dtype, np.float32)))
        scores.sum_duplicates()
    if np.ma.isMaskedArray(scores):
        scores = np.ma.filled(scores.astype(np.result_type(scores.dtype, np.float32)), np.nan)
    return GivenScores(scores)
