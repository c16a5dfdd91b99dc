# SPDX-License-Identifier: MIT
"""Provide judged lists for the decisions that need training, and the values of users."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.multiverse.decisions import Configuration, ListForm


@dataclass(frozen=True)
class UserValues:
    """Values of one system for every user, one row per metric, on one form of its lists.

    Attributes
    ----------
    values : ndarray of float64, shape (n_metrics, n_users)
    covered : ndarray of bool, shape (n_users,)
        Users with a list that is not empty.
    """

    values: NDArray[np.float64]
    covered: NDArray[np.bool_]

    @classmethod
    def of(cls, lists: JudgedLists, labels: Sequence[str], form: ListForm) -> UserValues:
        """Measure the lists of a system for every user.

        Parameters
        ----------
        labels : sequence of str
            Labels of metrics, either all on full or all on condensed lists.
        form : {"full", "condensed"}
            The lists that must not be empty for a user to be covered.
        """
        values = evaluate([parse(label) for label in labels], lists)
        return cls(values, lists.listed(form == "condensed") > 0)


KINDS = {"random": "random-ratio", "user": "user-ratio"}
"""The kind of split in ``splits.yaml`` for each kind of the decision A2."""


class Universes(ABC):
    """The lists of systems under the decisions A1, A2 and B2.

    All other decisions are applied to the judged lists.
    """

    @abstractmethod
    def lists(self, configuration: Configuration, system: str) -> JudgedLists:
        """Return the full lists of a system under a configuration's decisions A1, A2 and B2."""

    @abstractmethod
    def has_train(self, configuration: Configuration) -> NDArray[np.bool_]:
        """Return which users have training ratings under the decisions A1 and A2."""
