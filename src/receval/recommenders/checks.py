# SPDX-License-Identifier: MIT
"""Checks of the parameters and training ratings that a recommender is given."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from receval.storage.messages import how_many, quoted

LARGEST = float(np.finfo(np.float32).max)


def _interval(lowest: float, highest: float | None, above: bool) -> str:
    bound = f"above {lowest}" if above else f"of at least {lowest}"
    return bound if highest is None else f"{bound} and at most {highest}"


def integer(
    system: object, name: str, value: object, *, lowest: int, highest: int | None = None
) -> int:
    """Return a parameter after checking that it is a whole number in ``lowest..highest``.

    Parameters
    ----------
    system : object
        The recommender under construction; its class is named in the message.
    name : str
        Name of the parameter.
    value : object
        The given value.
    lowest, highest : int
        Accepted range, both ends included; no upper end when ``highest`` is None.

    Raises
    ------
    ValueError
        If the value is not a whole number (a bool or 3.0 is not) or lies outside the range.
    """
    accepted = (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and value >= lowest
        and (highest is None or value <= highest)
    )
    if not accepted:
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {quoted(value)}, but it must be a "
            f"whole number {_interval(lowest, highest, above=False)}."
        )
    return int(cast("int", value))


def optional_integer(system: object, name: str, value: object, *, lowest: int) -> int | None:
    """Return a parameter after checking that it is None or a whole number (:func:`integer`)."""
    return None if value is None else integer(system, name, value, lowest=lowest)


def real(
    system: object,
    name: str,
    value: object,
    *,
    lowest: float,
    highest: float | None = None,
    above: bool = False,
) -> float:
    """Return a parameter after checking that it is a finite number in ``lowest..highest``.

    Numbers beyond single precision, in which systems compute, are not finite.

    Parameters
    ----------
    system, name, value
        As in :func:`integer`.
    lowest, highest : float
        Accepted range, both ends included; no upper end when ``highest`` is None.
    above : bool
        Whether the lower end itself is refused.

    Raises
    ------
    ValueError
        If the value is not a number, not finite, or outside the range.
    """
    accepted = (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and -LARGEST <= value <= LARGEST
        and (value > lowest if above else value >= lowest)
        and (highest is None or value <= highest)
    )
    if not accepted:
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {quoted(value)}, but it must be a "
            f"finite number {_interval(lowest, highest, above)}."
        )
    return float(cast("float", value))


def choice(system: object, name: str, value: object, accepted: Collection[str]) -> str:
    """Return a parameter after checking that it is one of the accepted names.

    Raises
    ------
    ValueError
        If the value is none of the accepted names.
    """
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {quoted(value)}, but it must be one "
            f"of {', '.join(map(repr, accepted))}."
        )
    return value


def refuse_divergence(system: object, learning_rate: float, last_loss: float) -> None:
    """Raise an error if the loss of the last epoch is not finite.

    Parameters
    ----------
    system : object
        The recommender; its class is named in the message.
    learning_rate : float
        Its learning rate.
    last_loss : float
        Loss of the last epoch.

    Raises
    ------
    ValueError
        If the loss is not finite.
    """
    if not math.isfinite(last_loss):
        raise ValueError(
            f"{type(system).__name__} diverged: the parameter learning_rate is {learning_rate}, "
            "which is too large for these ratings; choose a smaller one."
        )


FEWEST_BOUND = 1000
"""So many factors, topics and the like are allowed for data of any size."""

MOST_STEPS = 1_000_000
"""The limit of iterations, each of which stores a number, and of neighbours."""

_OF_RANK = ("factors", "topics")
_OF_STEPS = ("iterations", "epochs", "sweeps", "steps", "user_updates", "power_iterations")
_OF_NEIGHBOURS = ("neighbours", "nearest_items")
_OF_USERS = ("group_size",)


def refuse_beyond_data(
    system: object, parameters: Mapping[str, object], n_users: int, n_items: int
) -> None:
    """Refuse parameters that need far more memory than the data can justify.

    Parameters
    ----------
    system : object
        The recommender; its class is named in the message.
    parameters : mapping
    n_users, n_items : int

    Raises
    ------
    ValueError
        There are more factors than independent rows of the matrix, or an unreasonable number of
        steps.
    """
    bounds = {
        **dict.fromkeys(_OF_RANK, max(FEWEST_BOUND, min(n_users, n_items))),
        **dict.fromkeys(_OF_USERS, max(FEWEST_BOUND, n_users)),
        **dict.fromkeys(_OF_NEIGHBOURS, max(MOST_STEPS, n_users, n_items)),
        **dict.fromkeys(_OF_STEPS, MOST_STEPS),
        "samples_per_user": max(FEWEST_BOUND, n_items),
    }
    for name, most in bounds.items():
        value = parameters.get(name)
        if isinstance(value, int) and value > most:
            raise ValueError(
                f"{type(system).__name__}: the parameter {name} is {quoted(value)}, but for "
                f"{how_many(n_users, 'user')} and {how_many(n_items, 'item')} it must be at most "
                f"{most:,}."
            )


RatingMatrix: TypeAlias = "csr_array[np.float32, tuple[int, int]]"
Order: TypeAlias = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


def checked_matrix(
    name: str, what: str, matrix: RatingMatrix, shape: tuple[int, int] | None = None
) -> RatingMatrix:
    """Return a checked matrix for training: sorted, without repeated entries, int32 and float32.

    Parameters
    ----------
    name : str
        Name of the recommender, for the messages.
    what : str
        ``"training"`` or ``"test"``, for the messages.
    matrix : csr_array
        Not changed.
    shape : tuple of int, optional
        The required shape.

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
    # With one index type, every kernel is compiled only once.
    ratings.indices = ratings.indices.astype(np.int32, copy=False)
    ratings.indptr = ratings.indptr.astype(np.int32, copy=False)
    return ratings


def checked_order(
    order: Order, shape: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Check an order of users and of items, and return it as int32.

    Raises
    ------
    ValueError
        If one of them does not contain every code once.
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
    """Raise an error if a rating is negative.

    Parameters
    ----------
    system : object
        The recommender; its class is named in the message.
    ratings : csr_array of float32, shape (n_rows, n_columns)
        The training ratings.
    amounts : str
        What ratings mean to the system, for example ``"counts"``.

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
    """Return the ratings above 0, for systems that treat ratings as frequencies.

    Parameters
    ----------
    system, ratings
        As in :func:`refuse_negative`; the ratings are not changed.

    Raises
    ------
    ValueError
        If a rating is negative.
    """
    refuse_negative(system, ratings, "frequencies")
    positive: RatingMatrix = ratings.copy()
    positive.eliminate_zeros()
    return positive
