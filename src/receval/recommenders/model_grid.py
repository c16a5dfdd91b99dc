# SPDX-License-Identifier: MIT
"""Train and score several settings of one recommender together, to share computations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender, on_one_thread
from receval.recommenders.checks import checked_matrix


def alike_but_for(models: Sequence[Recommender], names: Collection[str]) -> list[list[int]]:
    """Group models that differ only in some parameters, by position.

    Groups are in the order of their first models.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for position, model in enumerate(models):
        others = (pair for pair in model.parameters.items() if pair[0] not in names)
        groups.setdefault((type(model), *others), []).append(position)
    return list(groups.values())


class _Trained(Protocol):
    epochs: int


TrainedModel = TypeVar("TrainedModel", bound=_Trained)


class TrainingRun(Generic[TrainedModel]):
    """A training shared by models that are its states after different numbers of epochs.

    The models differ only in their epochs; ``losses`` are those of the epochs so far.
    """

    def __init__(self, models: Sequence[TrainedModel]) -> None:
        self.models = models
        self.losses: list[float] = []

    @property
    def continues(self) -> bool:
        """Whether there are epochs left."""
        return len(self.losses) < max(model.epochs for model in self.models)

    def finished_with(self, loss: float) -> list[TrainedModel]:
        """Record the loss of an epoch, and return the models that are finished after it.

        Models must copy the arrays, because the run goes on to change them.
        """
        self.losses.append(loss)
        return [model for model in self.models if model.epochs == len(self.losses)]


class ModelGrid:
    """Recommenders of one class that differ only in the parameters of ``SHARED_OVER``.

    The results are bitwise those of :meth:`receval.recommenders.base.Recommender.fit` and of
    scoring for each recommender alone. Each class decides in ``_fit_grid`` and ``_score_grid`` what
    settings share, such as the neighbours of the largest neighbourhood or the epochs of the longest
    training. The models are not fitted yet, grouped as by :func:`model_grids`, and no oracles.
    """

    def __init__(self, models: Sequence[Recommender]) -> None:
        if len(model_grids(models)) != 1 or models[0].reads_test:
            raise ValueError(
                "A family must consist of at least one recommender, all of one class and none an "
                "oracle. Their parameters must be equal, except those that the class names in "
                "SHARED_OVER. The recommenders given are "
                f"{[(type(model).__name__, model.parameters) for model in models]}."
            )
        self.models = models

    def __len__(self) -> int:
        return len(self.models)

    def fit(self, train: RatingMatrix) -> Self:
        """Fit all of them as :meth:`receval.recommenders.base.Recommender.fit` fits one."""
        kind = type(self.models[0])
        ratings = checked_matrix(kind.__name__, "training", train)
        for model in self.models:
            model.check_size(*ratings.shape)
        for model in self.models:
            model.n_users_, model.n_items_ = ratings.shape
        with on_one_thread():
            kind._fit_grid(self.models, ratings)
        return self

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score every item for some users, shape (n_settings, n, n_items).

        Settings are in the order of the models; a score that cannot be computed is NaN.
        """
        first = self.models[0]
        scores = np.full((len(self), len(users), first.n_items_), np.nan, dtype=np.float32)
        step = first._users_at_a_time
        for start in range(0, len(users), step):
            block = slice(start, start + step)
            type(first)._score_grid(self.models, users[block], scores[:, block])
        return scores


def model_grids(models: Sequence[Recommender]) -> list[list[int]]:
    """Group recommenders of one class, by position, into those that make a :class:`ModelGrid`."""
    return alike_but_for(models, type(models[0]).SHARED_OVER) if models else []
