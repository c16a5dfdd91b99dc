# SPDX-License-Identifier: MIT
"""Checks of the parameters and training ratings that a recommender is given.

Parameters are declared: the annotation of a field of a recommender's dataclass says which values
it accepts, such as ``topics: AtLeastOne = 50`` or ``decay: Annotated[float, Number(0, 1)]``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from receval.storage.messages import how_many, quoted

LARGEST = float(np.finfo(np.float32).max)

LARGEST_SEED = 2**32 - 1
"""The largest seed that scikit-learn accepts."""


def _interval(lowest: float, highest: float | None, above: bool) -> str:
    bound = f"above {lowest}" if above else f"of at least {lowest}"
    return bound if highest is None else f"{bound} and at most {highest}"


@dataclass(frozen=True)
class Whole:
    """Whole numbers from ``lowest`` to ``highest``, both included; a bool or 3.0 is none."""

    lowest: int
    highest: int | None = None
    converted = int

    def accepts(self, value: Any) -> bool:
        return bool(
            isinstance(value, int | np.integer)
            and not isinstance(value, bool)
            and value >= self.lowest
            and (self.highest is None or value <= self.highest)
        )

    def __str__(self) -> str:
        return f"a whole number {_interval(self.lowest, self.highest, above=False)}"


@dataclass(frozen=True)
class Number:
    """Finite numbers from ``lowest``, itself refused if ``above``, to ``highest``, included.

    Numbers beyond single precision, in which systems compute, are not finite.
    """

    lowest: float
    highest: float | None = None
    above: bool = False
    converted = float

    def accepts(self, value: Any) -> bool:
        return bool(
            isinstance(value, int | float | np.integer | np.floating)
            and not isinstance(value, bool)
            and -LARGEST <= value <= LARGEST
            and (value > self.lowest if self.above else value >= self.lowest)
            and (self.highest is None or value <= self.highest)
        )

    def __str__(self) -> str:
        return f"a finite number {_interval(self.lowest, self.highest, self.above)}"


class OneOf:
    """Some names."""

    converted = str

    def __init__(self, *names: str) -> None:
        self.names = names

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.names

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.names))}"


class Flag:
    """True or False."""

    converted = bool

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "True or False"


Accepted: TypeAlias = Whole | Number | OneOf | Flag
AtLeastOne: TypeAlias = Annotated[int, Whole(1)]
NonNegative: TypeAlias = Annotated[float, Number(0)]
Positive: TypeAlias = Annotated[float, Number(0, above=True)]
Seed: TypeAlias = Annotated[int, Whole(0)]
LibRecSeed: TypeAlias = Annotated[int | None, Whole(0)]


def checked_parameter(system: object, name: str, value: Any, kind: Accepted) -> Any:
    """Return a parameter that a kind accepts; else say which system and parameter is wrong."""
    if not kind.accepts(value):
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {quoted(value)}, but it must be "
            f"{kind}."
        )
    return kind.converted(value)


def check_parameters(system: Any) -> None:
    """Check all parameters with declared kinds, which may be None where the annotation says so."""
    for name, (kind, is_optional) in _declared(system.__class__).items():
        value = getattr(system, name)
        if not (value is None and is_optional):
            setattr(system, name, checked_parameter(system, name, value, kind))


@cache
def _declared(system: Any) -> dict[str, tuple[Accepted, bool]]:
    """Return the kind of each parameter that has one, and whether None is accepted too."""
    hints = get_type_hints(system.__init__, include_extras=True)
    return {
        name: (hint.__metadata__[0], type(None) in get_args(hint.__origin__))
        for name, hint in hints.items()
        if hasattr(hint, "__metadata__")
    }


def refuse_divergence(system: object, learning_rate: float, last_loss: float) -> None:
    """Raise an error if the loss of the last epoch is not finite."""
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

    There are more factors than independent rows of the matrix, or an unreasonable number of steps.
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


def refuse_beyond_rank(system: object, factors: int, n_users: int, n_items: int) -> None:
    """Refuse more factors than the smaller side of the matrix."""
    most = min(n_users, n_items)
    if factors > most:
        raise ValueError(
            f"{type(system).__name__}: the parameter factors is {factors}, but a matrix of "
            f"{n_users} users and {n_items} items allows at most {most}."
        )


RatingMatrix: TypeAlias = "csr_array[np.float32, tuple[int, int]]"
Order: TypeAlias = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


def checked_matrix(
    name: str, what: str, matrix: RatingMatrix, shape: tuple[int, int] | None = None
) -> RatingMatrix:
    """Return a checked matrix for training: sorted, without repeated entries, int32 and float32.

    The matrix is not changed. The message of an error names the recommender and what the matrix is,
    ``"training"`` or ``"test"``. It must be sparse (else `TypeError`), with at least one entry, all
    finite, and of the given shape, if any.
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
    return with_short_indices(ratings)


def with_short_indices(matrix: RatingMatrix) -> RatingMatrix:
    """Change the index type of a matrix to int32, for which alone kernels are compiled."""
    matrix.indices = matrix.indices.astype(np.int32, copy=False)
    matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix


def checked_order(
    order: Order, shape: tuple[int, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Check that an order of users and of items has every code once; return it as int32."""
    for what, codes, size in zip(("users", "items"), order, shape, strict=True):
        if np.shape(codes) != (size,) or not np.array_equal(np.sort(codes), np.arange(size)):
            raise ValueError(
                f"The order of the {what} must contain every code from 0 to {size - 1} exactly "
                f"once, but it has the shape {np.shape(codes)} and {len(np.unique(codes))} "
                "different codes."
            )
    users, items = order
    return users.astype(np.int32), items.astype(np.int32)


def refuse_negative(system: object, ratings: RatingMatrix, amounts: str) -> None:
    """Raise an error if a training rating is negative; `amounts` says what ratings mean."""
    if ratings.data.min() < 0:
        raise ValueError(
            f"{type(system).__name__} takes ratings as {amounts}, but the smallest is "
            f"{ratings.data.min()}: ratings must be at least 0."
        )


def positive_ratings(system: object, ratings: RatingMatrix) -> RatingMatrix:
    """Return a copy of the ratings above 0, for systems that treat ratings as frequencies."""
    refuse_negative(system, ratings, "frequencies")
    positive: RatingMatrix = ratings.copy()
    positive.eliminate_zeros()
    return positive
