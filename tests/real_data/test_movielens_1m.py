# SPDX-License-Identifier: MIT
"""Numbers of MovieLens 1M that are in print or were released with the papers."""

from __future__ import annotations

import numpy as np
import pytest
from real_data.movielens import MovieLens, needs_movielens
from scipy.stats import spearmanr

from receval.protocols.protocol import Protocol
from reproduction.studies._shared.tables import dataset_statistics
from reproduction.studies.bellogin2017 import popularity
from reproduction.studies.canamares2020 import fig01

pytestmark = [needs_movielens, pytest.mark.costly]

ALL_ITEMS = Protocol("AR", "AI")


def test_table_2_of_valcarce2018(movielens: MovieLens) -> None:
    (row,) = dataset_statistics(movielens.inputs().all_ratings()).to_dict("records")
    assert (row["users"], row["items"], row["ratings"]) == (6040, 3706, 1_000_209)
    assert f"{row['density_percent']:.3f}" == "4.468"
    assert f"{row['item_gini']:.3f}" == "0.634"
    assert f"{row['user_gini']:.3f}" == "0.529"


def test_popularity_has_the_values_released_with_valcarce2018(movielens: MovieLens) -> None:
    precision, ndcg = movielens.measured(
        "user-80", "pop", ALL_ITEMS, 4.0, "P@10", "nDCG(depth=100)"
    )
    assert precision == pytest.approx(0.1428, rel=0.04)
    assert ndcg == pytest.approx(0.2233, rel=0.04)


def test_pure_svd_is_as_precise_as_released_with_valcarce2018(movielens: MovieLens) -> None:
    (precision,) = movielens.measured("user-80", "puresvd", ALL_ITEMS, 4.0, "P@10")
    assert precision >= 0.28


def test_half_of_the_users_and_45_per_cent_of_the_items_have_100_ratings_or_less(
    movielens: MovieLens,
) -> None:
    results = fig01.data(movielens.inputs())
    at_100 = results[results["ratings"] == 100].set_index("side")["share"]
    # Section 2.3 of canamares2020: "around 50 %" and "about 45 %".
    assert at_100["user"] == pytest.approx(0.518, abs=5e-4)
    assert at_100["item"] == pytest.approx(0.459, abs=5e-4)


def test_popular_items_are_liked_more_often(movielens: MovieLens) -> None:
    ratings = movielens.ratings
    counts = np.bincount(ratings.items, minlength=ratings.n_items)
    liked = np.bincount(ratings.items[ratings.values >= 5], minlength=ratings.n_items)
    assert spearmanr(counts, liked / counts).statistic == pytest.approx(0.39, abs=0.005)

    results = popularity.data_fig07(movielens.inputs(segments=10, relevance_threshold=5))
    deciles = [0.274, 0.197, 0.165, 0.157, 0.125, 0.125, 0.121, 0.121, 0.134, 0.097]
    # Many rare items have as many ratings: the order of these moves the last deciles by .003.
    assert results["positive_ratio"].tolist() == pytest.approx(deciles, abs=0.003)
    assert results["positive_ratio"][0] == pytest.approx(0.274, abs=5e-4)


def test_figure_7_has_100_segments_of_37_or_38_items(movielens: MovieLens) -> None:
    results = popularity.data_fig07(movielens.inputs(segments=100, relevance_threshold=5))
    assert set(results["items"]) == {37, 38}
    assert results["items"].sum() == 3706
    assert results["mean_ratings"].is_monotonic_decreasing


def test_a_random_system_finds_one_relevant_item_in_a_hundred_by_chance(
    movielens: MovieLens,
) -> None:
    protocol = Protocol("1R", "TI", 99, 5.0)
    (precision,) = movielens.measured("coin-flip-80", "random", protocol, 5.0, "P@10")
    # Ten of a hundred places, a tenth each.
    assert precision == pytest.approx(0.0100, abs=0.0005)


def test_popularity_is_below_a_tenth_under_ar_ti_an(movielens: MovieLens) -> None:
    (precision,) = movielens.measured("coin-flip-80", "pop", Protocol("AR", "TI"), 5.0, "P@10")
    # Figure 2 of bellogin2017 shows .08.
    assert 0.07 <= precision <= 0.09
