# SPDX-License-Identifier: MIT
"""Train and score several settings of one recommender together, to share computations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.checks import checked_matrix
from receval.recommenders.one_thread import on_one_thread


def alike_but_for(models: Sequence[Recommender], names: Collection[str]) -> list[list[int]]:
    """Group models that differ only in some parameters.

    Parameters
    ----------
    models : sequence of Recommender
    names : collection of str
        Parameters in which the models of a group may differ.

    Returns
    -------
    list of list of int
        Positions in ``models``, each once; groups in the order of their first models.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for position, model in enumerate(models):
        others = (pair for pair in model.parameters.items() if pair[0] not in names)
        groups.setdefault((type(model), *others), []).append(position)
    return list(groups.values())


class _Trained(Protocol):
    epochs: int


CourseModel = TypeVar("CourseModel", bound=_Trained)


class Course(Generic[CourseModel]):
    """A course of training shared by models that are its states after different numbers of epochs.

    Parameters
    ----------
    models : sequence of Recommender
        Models that differ only in their epochs.

    Attributes
    ----------
    losses : list of float
        Losses of the epochs so far.
    """

    def __init__(self, models: Sequence[CourseModel]) -> None:
        self.models = models
        self.losses: list[float] = []

    @property
    def continues(self) -> bool:
        """Whether there are epochs left."""
        return len(self.losses) < max(model.epochs for model in self.models)

    def finished_with(self, loss: float) -> list[CourseModel]:
        """Record the loss of an epoch, and return the models that are finished after it.

        Models must copy the arrays, because the course goes on to change them.
        """
        self.losses.append(loss)
        return [model for model in self.models if model.epochs == len(self.losses)]


class Family:
    """Recommenders of one class that differ only in the parameters of ``SHARED_OVER``.

    The results are bitwise those of :meth:`receval.recommenders.base.Recommender.fit` and of
    scoring for each recommender alone. Each class decides in ``_fit_family`` and ``_score_family``
    what settings share, such as the neighbours of the largest neighbourhood or the epochs of the
    longest training.

    Parameters
    ----------
    models : sequence of Recommender
        At least one, not fitted, grouped as by :func:`families`; no oracles.

    Raises
    ------
    ValueError
        If they cannot be trained together.
    """

    def __init__(self, models: Sequence[Recommender]) -> None:
        if len(families(models)) != 1 or models[0].reads_test:
            raise ValueError(
                "A family is at least one recommender, all of one class, no oracles, with equal "
                "parameters but for those that the class names in SHARED_OVER; these are "
                f"{[(type(model).__name__, model.parameters) for model in models]}."
            )
        self.models = models

    def __len__(self) -> int:
        return len(self.models)

    def fit(self, train: RatingMatrix) -> Self:
        """Fit all of them to the training ratings.

        Parameters
        ----------
        train : csr_array of float32, shape (n_users, n_items)
            As for :meth:`receval.recommenders.base.Recommender.fit`.

        Raises
        ------
        ValueError, TypeError
            As for that method, for any of them.
        """
        kind = type(self.models[0])
        ratings = checked_matrix(kind.__name__, "training", train)
        for model in self.models:
            model.check_size(*ratings.shape)
        for model in self.models:
            model.n_users_, model.n_items_ = ratings.shape
        with on_one_thread():
            kind._fit_family(self.models, ratings)
        return self

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score every item for some users under every setting.

        Parameters
        ----------
        users : ndarray of int64, shape (n,)
            Codes of users.

        Returns
        -------
        ndarray of float32, shape (n_settings, n, n_items)
            In the order of the models; NaN if a score cannot be computed.
        """
        first = self.models[0]
        scores = np.full((len(self), len(users), first.n_items_), np.nan, dtype=np.float32)
        step = first._users_at_a_time
        for start in range(0, len(users), step):
            block = slice(start, start + step)
            type(first)._score_family(self.models, users[block], scores[:, block])
        return scores


def families(models: Sequence[Recommender]) -> list[list[int]]:
    """Group recommenders into families.

    Parameters
    ----------
    models : sequence of Recommender
        All of one class.

    Returns
    -------
    list of list of int
        Positions in ``models``, each once; those of one list can make a :class:`Family`.
    """
    return alike_but_for(models, type(models[0]).SHARED_OVER) if models else []
