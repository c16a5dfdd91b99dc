# SPDX-License-Identifier: MIT
"""The numbers of a diagnosis that its recommendations are made from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DataFindings:
    """What was found out about ratings, as far as it decides on an experiment.

    Shares lie between 0 and 1; None stands for what these ratings do not allow to be measured.

    Attributes
    ----------
    users, items, ratings : int
    density : float
    item_gini : float
        Inequality of items by ratings.
    testable_users : float
        Share of users with a test rating if a fifth of each user's ratings test.
    threshold : float
        Ratings at or above it are relevant.
    relevant_share : float
        Of the ratings.
    different_values : int
        Of ratings.
    own_future : float or None
        Share of test ratings of the random split whose user trains with a younger one; None without
        timestamps that order ratings.
    temporal_cold_users : float or None
        Share of the test ratings under the split by time that are of users without training.
    temporal_cold_items : float or None
        And of items without training.
    temporal_test_users : int or None
        Users with training and test ratings under the split by time.
    random_all_items, random_one_relevant : float
        Expected P@10 of Random under AR AI-AN and 1R TI-NN.
    sampled_agreement : float
        Kendall's tau of the orders of systems by all items and by sampled ones.
    pop_ratio : float
        Pop's P@10 over Random's, under AR TI-AN.
    popularity_share : float or None
        Share of this ratio, on a logarithmic scale, that goes with popularity levelled.
    sparsity_share : float or None
        How far Pop's lead is proportional to the density of the test.
    metrics : tuple of (str, float, float)
        Label, sum of p-values, and Kendall's tau with a tenth of the test ratings.
    equal_metrics : tuple of (str, str)
        A metric, and another one of which it is a multiple under this split, user by user.
    pairs : int
        Of systems, of whose p-values these are sums.
    test_users : int
        Users who are averaged.
    precision : str
        Label of the precision that differences are told of.
    smallest_difference : float
        Of this precision, that a paired test of so many users finds in four of five experiments.
    disliked_agreement : float or None
        Kendall's tau of the orders of systems by liked and by disliked items, observed.
    unbiased_judgments : int
        Judgments of items that were drawn at random.
    unbiased_agreement : float or None
        Kendall's tau of the orders of systems by observed and by unbiased precision.
    unbiased_anti_agreement : float or None
        The same of anti-precision.
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
