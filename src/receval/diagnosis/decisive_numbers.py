# SPDX-License-Identifier: MIT
"""Compute the numbers that decide on recommendations from the tables of a diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from receval.data.ratings import Ratings
from receval.diagnosis.recommendation import DataFindings, SplitFindings
from receval.splits.random_splits import ceiling_of_share
from receval.statistics.pairs import system_pairs

LEVEL, POWER = 0.05, 0.8


def share_of_testable_users(ratings: Ratings) -> float:
    """Return the share of users with a test rating if a fifth of each user's ratings is tested."""
    sizes = np.bincount(ratings.users, minlength=ratings.n_users)
    return float(np.mean(sizes > ceiling_of_share(sizes, 0.8)))


def split_findings(
    ratings: Ratings, cold: pd.DataFrame, future: pd.DataFrame | None
) -> SplitFindings:
    """Return the numbers that decide on the split, from tables of cold start and leakage."""
    cold = cold.set_index("split")
    random = "user-ratio" if "user-ratio" in cold.index else "random-ratio"
    own_future = None
    if future is not None and {random, "temporal, by user"}.issubset(future["split"]):
        # If equal timestamps leave most of the order to chance, no split by time was made.
        own_future = float(future.set_index("split").loc[random, "own_future"])
    if "temporal" not in cold.index:
        by_time: dict[str, Any] = dict.fromkeys(
            ("temporal_cold_users", "temporal_cold_items", "temporal_test_users")
        )
    else:
        row = cold.loc["temporal"]
        by_time = {
            "temporal_cold_users": float(row["cold_user_share"]),
            "temporal_cold_items": float(row["cold_item_share"]),
            "temporal_test_users": int(row["test_users"] - row["cold_users"]),
        }
    testable = share_of_testable_users(ratings)
    return SplitFindings(testable_users=testable, own_future=own_future, **by_time)


def smallest_difference(values: np.ndarray, n_users: int | None = None) -> float:
    r"""Return the difference of means that a paired test detects in four of five experiments.

    .. math:: (z_{1 - \alpha / 2} + z_{1 - \beta})\, s / \sqrt n

    Here :math:`s` is the standard deviation of the users' differences (the median over pairs of
    systems), :math:`\alpha = .05` two-sided and :math:`1 - \beta = .8`. By default, n is the number
    of users with values. This is the normal approximation (Sakai 2018, "Laboratory experiments in
    information retrieval", chapter 6, on sample sizes).

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


def data_findings(
    ratings: Ratings,
    threshold: float,
    splits: SplitFindings,
    tables: Mapping[str, Any],
    *,
    unbiased_judgments: int,
    differences: np.ndarray,
    sampled_agreement: float,
) -> DataFindings:
    """Return the numbers that decide on the design of an experiment with these ratings.

    The tables are those of a :class:`.Diagnosis`; ``differences`` are the values of users under
    the shallow precision, shape (n_systems, n_users).
    """
    size = tables["size"].set_index("quantity")["value"]
    designs = tables["designs"].set_index("design")
    shares, metrics = tables["shares"], tables["metrics"]
    cold = tables["cold"].set_index("split")
    test_users = int(cold.loc[splits.recommended_split, "test_users"])
    return DataFindings(
        **asdict(splits),
        users=ratings.n_users,
        items=ratings.n_items,
        ratings=len(ratings),
        density=float(size["density"]),
        item_gini=float(size["item_gini"]),
        threshold=threshold,
        relevant_share=float(size["relevant_share"]),
        different_values=int(size["different_values"]),
        random_all_items=float(designs.loc["AR AI-AN", "random_expected"]),
        random_one_relevant=float(designs.loc["1R TI-NN", "random_expected"]),
        sampled_agreement=sampled_agreement,
        pop_ratio=float(designs.loc["AR TI-AN", "ratio"]),
        popularity_share=_first(shares["popularity_share"]),
        sparsity_share=_first(shares["sparsity_share"][shares["design"].str.startswith("AR")]),
        metrics=tuple(zip(metrics["metric"], metrics["p_value_sum"], metrics["tau"], strict=True)),
        equal_metrics=tuple(
            (metric, other)
            for metric, other in zip(metrics["metric"], metrics["same_as"], strict=True)
            if metric != other
        ),
        pairs=int(metrics["pairs"].iloc[0]),
        test_users=test_users,
        precision=str(metrics["metric"].iloc[0]),
        smallest_difference=smallest_difference(differences, test_users),
        disliked_agreement=_tau(tables["agreement"], "liked with disliked, observed", "P@10"),
        unbiased_judgments=unbiased_judgments,
        unbiased_agreement=_tau(tables["agreement"], "observed with unbiased", "P@10"),
        unbiased_anti_agreement=_tau(tables["agreement"], "observed with unbiased", "antiP@10"),
    )


def _tau(agreement: pd.DataFrame | None, comparison: str, metric: str) -> float | None:
    if agreement is None:
        return None
    is_wanted = (agreement["comparison"] == comparison) & (agreement["metric"] == metric)
    return _first(agreement["tau"][is_wanted])


def _first(values: pd.Series) -> float | None:
    """Return the first value that is there."""
    there = values.dropna()
    return float(there.iloc[0]) if len(there) else None
