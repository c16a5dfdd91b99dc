"""The values of one system for every user: what a comparison of two systems is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.multiverse.decisions import ListForm


@dataclass(frozen=True)
class UserValues:
    """Values of one system for every user, a row a metric, on one form of its lists.

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
        """Measure a system's lists for every user.

        Parameters
        ----------
        lists : JudgedLists
            One list a user (AR).
        labels : sequence of str
            Of metrics, all on full or all on condensed lists.
        form : {"full", "condensed"}
            The lists that must not be empty for a user to be covered.
        """
        values = evaluate([parse(label) for label in labels], lists)
        return cls(values, lists.view(form == "condensed").lengths > 0)
