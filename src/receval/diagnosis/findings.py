# SPDX-License-Identifier: MIT
"""The numbers of a diagnosis on which its recommendations are based."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DataFindings:
    """Findings on ratings that decide on the design of an experiment.

    Shares are between 0 and 1; None means that these ratings do not allow the measurement.

    Attributes
    ----------
    users, items, ratings : int
    density : float
    item_gini : float
        Gini coefficient of the ratings of items.
    testable_users : float
        Share of users with a test rating if a fifth of each user's ratings is tested.
    threshold : float
        Ratings at or above it are relevant.
    relevant_share : float
        Share of relevant ratings.
    different_values : int
        Number of different values of the ratings.
    own_future : float or None
        Share of test ratings of the random split for which the user has a later training rating;
        None without timestamps that order ratings.
    temporal_cold_users : float or None
        Share of the test ratings under the split by time that are of users without training
        ratings.
    temporal_cold_items : float or None
        The same for items without training ratings.
    temporal_test_users : int or None
        Users with training and test ratings under the split by time.
    random_all_items, random_one_relevant : float
        Expected P@10 of Random under AR AI-AN and 1R TI-NN.
    sampled_agreement : float
        Kendall's tau between the orders of systems with all and with sampled candidates.
    pop_ratio : float
        Pop's P@10 over Random's, under AR TI-AN.
    popularity_share : float or None
        Share of this ratio, on a logarithmic scale, that disappears when popularity is levelled.
    sparsity_share : float or None
        Degree to which Pop's lead is proportional to the density of the test.
    metrics : tuple of (str, float, float)
        Label, sum of p-values, and Kendall's tau with a tenth of the test ratings.
    equal_metrics : tuple of (str, str)
        A metric, and another of which it is a multiple for every user under this split.
    pairs : int
        Number of pairs of systems over which p-values are summed.
    test_users : int
        Number of users who are averaged.
    precision : str
        Label of the precision to which ``smallest_difference`` refers.
    smallest_difference : float
        Difference in precision that a paired test with these users detects in four of five
        experiments.
    disliked_agreement : float or None
        Kendall's tau between the orders of systems by observed liked and disliked items.
    unbiased_judgments : int
        Number of judgments of randomly drawn items.
    unbiased_agreement : float or None
        Kendall's tau between the orders of systems by observed and by unbiased precision.
    unbiased_anti_agreement : float or None
        The same for anti-precision.
    """

    users: int
    items: int
    ratings: int
    density: float
    item_gini: float
    testable_users: float
    threshold: float
    relevant_share: float
    different_values: int
    own_future: float | None
    temporal_cold_users: float | None
    temporal_cold_items: float | None
    temporal_test_users: int | None
    random_all_items: float
    random_one_relevant: float
    sampled_agreement: float
    pop_ratio: float
    popularity_share: float | None
    sparsity_share: float | None
    metrics: tuple[tuple[str, float, float], ...]
    equal_metrics: tuple[tuple[str, str], ...]
    pairs: int
    test_users: int
    precision: str
    smallest_difference: float
    disliked_agreement: float | None
    unbiased_judgments: int
    unbiased_agreement: float | None
    unbiased_anti_agreement: float | None
