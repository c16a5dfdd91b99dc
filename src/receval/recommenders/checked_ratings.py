"""What recommenders accept as ratings, and as their order."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

RatingMatrix: TypeAlias = "csr_array[np.float32, tuple[int, int]]"
Order: TypeAlias = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


def checked_matrix(
    name: str, what: str, matrix: RatingMatrix, shape: tuple[int, int] | None = None
) -> RatingMatrix:
    """Return a matrix as systems learn from it: sorted, no repeated entries, int32, float32.

    Parameters
    ----------
    name : str
        Of the recommender, for the messages.
    what : str
        ``"training"`` or ``"test"``, for the messages.
    matrix : csr_array
        Left as it is.
    shape : tuple of int, optional
        What its shape must be.

    Raises
    ------
    ValueError
        If the matrix has no entry, one that is not finite, or another shape.
    TypeError
        If it is not a sparse matrix.
    """
    if not issparse(matrix):
        raise TypeError(
            f"{name}.fit takes the {what} ratings as a sparse matrix (scipy.sparse.csr_array), "
            f"but got {type(matrix).__name__}."
        )
    ratings: RatingMatrix = csr_array(matrix)
    if shape is not None and ratings.shape != shape:
        raise ValueError(
            f"{name}.fit got {what} ratings of shape {ratings.shape}, but training ratings of "
            f"shape {shape}: both must have the same users and items."
        )
    if ratings.dtype != np.float32:
        ratings = ratings.astype(np.float32)
    if not ratings.has_canonical_format:
        ratings = ratings.copy()
        ratings.sum_duplicates()
    if not ratings.nnz:
        raise ValueError(
            f"{name}.fit got a {what} matrix of shape {ratings.shape} without any rating: "
            "there is nothing to learn from."
        )
    if not np.isfinite(ratings.data).all():
        raise ValueError(
            f"{name}.fit got {what} ratings that are not finite: every rating must be a number."
        )
    # One index type means one compiled version of every kernel.
    ratings.indices = ratings.indices.astype(np.int32, copy=False)
    ratings.indptr = ratings.indptr.astype(np.int32, copy=False)
    return ratings


def checked_order(
    order: Order, shape: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return an order of users and of items as int32.

    Raises
    ------
    ValueError
        If one of them does not have every code once.
    """
    for what, codes, size in zip(("users", "items"), order, shape, strict=True):
        if np.shape(codes) != (size,) or not np.array_equal(np.sort(codes), np.arange(size)):
            raise ValueError(
                f"The order of the {what} must have every code from 0 to {size - 1} once, but it "
                f"has the shape {np.shape(codes)} and {len(np.unique(codes))} different codes."
            )
    users, items = order
    return users.astype(np.int32), items.astype(np.int32)


def refuse_negative(system: object, ratings: RatingMatrix, amounts: str) -> None:
    """Stop if a rating is negative.

    Parameters
    ----------
    system : object
        The recommender; its class is named in the message.
    ratings : csr_array of float32, shape (n_rows, n_columns)
        The training ratings.
    amounts : str
        What the system takes ratings as, for example ``"counts"``.

    Raises
    ------
    ValueError
        If a rating is negative.
    """
    if ratings.data.min() < 0:
        raise ValueError(
            f"{type(system).__name__} takes ratings as {amounts}, but the smallest is "
            f"{ratings.data.min()}: ratings must be at least 0."
        )


def positive_ratings(system: object, ratings: RatingMatrix) -> RatingMatrix:
    """Return the ratings above 0, those that count where ratings are frequencies.

    Parameters
    ----------
    system, ratings
        As in :func:`refuse_negative`; the ratings are left as they are.

    Raises
    ------
    ValueError
        If a rating is negative.
    """
    refuse_negative(system, ratings, "frequencies")
    positive: RatingMatrix = ratings.copy()
    positive.eliminate_zeros()
    return positive
