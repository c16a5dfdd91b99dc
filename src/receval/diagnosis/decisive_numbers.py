# SPDX-License-Identifier: MIT
"""Compute the numbers that decide on recommendations from the tables of a diagnosis."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from receval.data.ratings import Ratings
from receval.diagnosis.findings import DataFindings
from receval.diagnosis.recommendation import recommended_split
from receval.splits.random_splits import ceiling_of_share
from receval.statistics.pairs import system_pairs

LEVEL, POWER = 0.05, 0.8


def share_of_testable_users(ratings: Ratings) -> float:
    """Return the share of users with a test rating if a fifth of each user's ratings is tested."""
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    return float(np.mean(sizes > ceiling_of_share(sizes, 0.8)))


@dataclass(frozen=True)
class SplitNumbers:
    """The numbers that decide on the split, named as in :class:`.DataFindings`."""

    testable_users: float
    own_future: float | None
    temporal_cold_users: float | None
    temporal_cold_items: float | None
    temporal_test_users: int | None

    @classmethod
    def of(cls, ratings: Ratings, cold: pd.DataFrame, future: pd.DataFrame | None) -> SplitNumbers:
        """Return the numbers from tables that are indexed by split."""
        random = "user-ratio" if "user-ratio" in cold.index else "random-ratio"
        by_time = cold.loc["temporal"] if "temporal" in cold.index else None
        # If equal timestamps leave most of the order to chance, no split by time was made.
        is_ordered = future is not None and {random, "temporal, by user"}.issubset(future.index)
        return cls(
            testable_users=share_of_testable_users(ratings),
            own_future=float(future.loc[random, "own_future"])
            if is_ordered and future is not None
            else None,
            temporal_cold_users=None if by_time is None else float(by_time["cold_user_share"]),
            temporal_cold_items=None if by_time is None else float(by_time["cold_item_share"]),
            temporal_test_users=None
            if by_time is None
            else int(by_time["test_users"] - by_time["cold_users"]),
        )

    @property
    def recommended(self) -> str:
        """The name of the recommended split."""
        return recommended_split(
            self.testable_users,
            self.own_future,
            self.temporal_cold_users,
            self.temporal_test_users,
        )


def smallest_difference(values: np.ndarray, n_users: int | None = None) -> float:
    r"""Return the difference of means that a paired test detects in four of five experiments.

    .. math:: (z_{1 - \alpha / 2} + z_{1 - \beta})\, s / \sqrt n

    Here :math:`s` is the standard deviation of the users' differences (the median over pairs of
    systems), :math:`\alpha = .05` two-sided and :math:`1 - \beta = .8`.

    Parameters
    ----------
    n_users : int, optional
        The number of users of the experiment, by default those with values.

    Notes
    -----
    The normal approximation (Sakai 2018, "Laboratory experiments in information retrieval",
    chapter 6, on sample sizes).

    Examples
    --------
    Equal numbers of differences of 1 and -1 have a standard deviation of nearly 1:

    >>> values = np.array([[1.0, 0.0] * 200, [0.0, 1.0] * 200])
    >>> round(smallest_difference(values), 3)
    0.14
    """
    first, second = system_pairs(len(values))
    if not len(first) or values.shape[1] < 2:
        return float("nan")
    spreads = np.std(values[first] - values[second], axis=1, ddof=1)
    factor = ndtri(1 - LEVEL / 2) + ndtri(POWER)
    return float(factor * np.median(spreads) / np.sqrt(n_users or values.shape[1]))


@dataclass(frozen=True)
class DecisiveNumbers:
    """Tables of a diagnosis, indexed by the names of their rows.

    Attributes
    ----------
    size : Series
        Indexed by quantity.
    cold : DataFrame
        Indexed by split.
    future : DataFrame or None
        Indexed by split.
    designs : DataFrame
        Indexed by design.
    shares, metrics : DataFrame
    agreement : DataFrame or None
    unbiased_judgments : int
    differences : ndarray of float64, shape (n_systems, n_users)
        Values of users under the shallow precision.
    sampled_agreement : float
    """

    size: pd.Series
    cold: pd.DataFrame
    future: pd.DataFrame | None
    designs: pd.DataFrame
    shares: pd.DataFrame
    metrics: pd.DataFrame
    agreement: pd.DataFrame | None
    unbiased_judgments: int
    differences: np.ndarray
    sampled_agreement: float

    def findings(self, ratings: Ratings, threshold: float) -> DataFindings:
        """Return the numbers that decide on the design of an experiment with these ratings."""
        splits = SplitNumbers.of(ratings, self.cold, self.future)
        test_users = int(self.cold.loc[splits.recommended, "test_users"])
        levelled = self.shares.dropna(subset=["popularity_share"])
        sparse = self.shares.dropna(subset=["sparsity_share"])
        sparse = sparse[sparse["design"].str.startswith("AR")]
        return DataFindings(
            users=ratings.n_users,
            items=ratings.n_items,
            ratings=len(ratings),
            density=float(self.size["density"]),
            item_gini=float(self.size["item_gini"]),
            **asdict(splits),
            threshold=threshold,
            relevant_share=float(self.size["relevant_share"]),
            different_values=int(self.size["different_values"]),
            random_all_items=float(self.designs.loc["AR AI-AN", "random_expected"]),
            random_one_relevant=float(self.designs.loc["1R TI-NN", "random_expected"]),
            sampled_agreement=self.sampled_agreement,
            pop_ratio=float(self.designs.loc["AR TI-AN", "ratio"]),
            popularity_share=_first(levelled, "popularity_share"),
            sparsity_share=_first(sparse, "sparsity_share"),
            metrics=tuple(
                (str(row.metric), float(row.p_value_sum), float(row.tau))
                for row in self.metrics.itertuples()
            ),
            equal_metrics=tuple(
                (str(row.metric), str(row.same_as))
                for row in self.metrics.itertuples()
                if row.metric != row.same_as
            ),
            pairs=int(self.metrics["pairs"].iloc[0]),
            test_users=test_users,
            precision=str(self.metrics["metric"].iloc[0]),
            smallest_difference=smallest_difference(self.differences, test_users),
            disliked_agreement=self._tau("liked with disliked, observed", "P@10"),
            unbiased_judgments=self.unbiased_judgments,
            unbiased_agreement=self._tau("observed with unbiased", "P@10"),
            unbiased_anti_agreement=self._tau("observed with unbiased", "antiP@10"),
        )

    def _tau(self, comparison: str, metric: str) -> float | None:
        if self.agreement is None:
            return None
        own = self.agreement
        found = own[(own["comparison"] == comparison) & (own["metric"] == metric)]["tau"].dropna()
        return float(found.iloc[0]) if len(found) else None


def _first(table: pd.DataFrame, column: str) -> float | None:
    return float(table[column].iloc[0]) if len(table) else None
