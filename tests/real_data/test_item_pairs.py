# SPDX-License-Identifier: MIT
"""Shares of item pairs and correlations of menamaldonado2021 on MovieLens 1M and CM100k."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from declared_files import files_in
from real_data.movielens import DATASET, SETTINGS, MovieLens, needs_movielens
from real_files import CM100K, MIRROR, needs

from receval.data.ratings import Ratings
from receval.splits.kinds import make_split
from receval.splits.split import TRAIN
from receval.theory.item_pairs import ItemPairs, item_pairs
from receval.theory.rating_probabilities import RatingProbabilities
from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import resolve
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs
from reproduction.studies.menamaldonado2021 import item_curves, pairs_of_items
from reproduction.studies.menamaldonado2021.lemma_cases import lemma1_predicts_disagreement

pytestmark = pytest.mark.costly

needs_cm100k = needs(CM100K)


# --- MovieLens 1M -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def all_pairs(movielens: MovieLens) -> ItemPairs:
    return item_pairs(RatingProbabilities.of_ratings(movielens.ratings, 4), "rated")


def steeper_than_both(pairs: ItemPairs) -> float:
    steeper = (pairs.steeper_than_relevance > 0) & (pairs.steeper_than_non_relevance > 0)
    return pairs.share(steeper)


@needs_movielens
def test_optimal_rankings_disagree_on_the_published_share_of_pairs(all_pairs: ItemPairs) -> None:
    disagree = all_pairs.observed_precision * all_pairs.observed_anti_precision < 0
    assert (all_pairs.n_items, all_pairs.n_pairs) == (3706, 6_865_365)
    assert all_pairs.share(disagree) == pytest.approx(0.8246, abs=5e-5)
    assert all_pairs.share(disagree) == pytest.approx(0.824, abs=1e-3)


@needs_movielens
def test_lemma_1_holds_for_all_pairs_but_those_of_average_ratings_of_0_or_1(
    all_pairs: ItemPairs, movielens: MovieLens
) -> None:
    predicted = lemma1_predicts_disagreement(
        all_pairs.popularity,
        all_pairs.relevance,
        all_pairs.steeper_than_relevance,
        all_pairs.steeper_than_non_relevance,
    )
    disagree = all_pairs.observed_precision * all_pairs.observed_anti_precision < 0
    assert all_pairs.count((predicted != disagree) & (all_pairs.relevance != 0)) == 0
    # Annex B on flat relevance fails where all ratings of both items are relevant, or none is.
    counts = RatingProbabilities.of_ratings(movielens.ratings, 4)
    exceptions = 0
    for average in (0, 1):
        train = counts.train[counts.p_relevant_given_train == average]
        _, repeated = np.unique(train, return_counts=True)
        exceptions += (len(train) ** 2 - (repeated**2).sum()) // 2
    assert all_pairs.count(predicted != disagree) == exceptions == 11_501


@needs_movielens
def test_the_published_steepness_is_that_of_popularity_itself_in_training_folds(
    all_pairs: ItemPairs, movielens: MovieLens
) -> None:
    assert steeper_than_both(all_pairs) == pytest.approx(0.6617, abs=5e-5)
    split = make_split(
        movielens.ratings,
        SETTINGS.splits["random-folds"],
        SETTINGS.seed,
        DATASET,
        "random-folds",
        {},
    )
    in_train = split.codes[0] & TRAIN > 0
    train = RatingProbabilities.of_ratings(movielens.ratings, 4, in_train)
    assert steeper_than_both(item_pairs(train, "rated")) == pytest.approx(0.649, abs=2e-3)
    # The paper states 63.3 %; the mean of the five folds is 63.35 %.
    of_popularity = item_pairs(train, "rated", "popularity")
    assert steeper_than_both(of_popularity) == pytest.approx(0.633, abs=2e-3)


@needs_movielens
def test_all_pairs_of_movielens_are_counted_within_ten_seconds(movielens: MovieLens) -> None:
    counts = RatingProbabilities.of_ratings(movielens.ratings, 4)
    item_pairs(counts.select(np.arange(3)), "rated")
    started = time.perf_counter()
    item_pairs(counts, "rated")
    assert time.perf_counter() - started < 10


@needs_movielens
def test_correlations_of_the_optimal_rankings(movielens: MovieLens) -> None:
    inputs = movielens.inputs(relevance_threshold=4)
    assert stated(item_curves.data_fig06(inputs), "coefficient") == {
        item_curves.TAU_OF_OPTIMA: pytest.approx(-0.653, abs=5e-4)
    }
    assert stated(item_curves.data_fig07(inputs), "coefficient") == {
        "Pearson's r of precision and popularity": pytest.approx(0.929, abs=5e-4),
        "Pearson's r of precision and average_rating": pytest.approx(0.384, abs=5e-4),
        "Pearson's r of anti_precision and popularity": pytest.approx(-0.879, abs=5e-4),
        "Pearson's r of anti_precision and average_rating": pytest.approx(-0.105, abs=5e-4),
        "Pearson's r of popularity and average_rating": pytest.approx(0.347, abs=5e-4),
    }


# --- CM100k -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cm100k(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    folder = tmp_path_factory.mktemp("cm100k")
    spec = SETTINGS.datasets["cm100k"]
    found = resolve("cm100k", spec, folder / "raw", [MIRROR], network=False)
    prepare(obtain("cm100k", spec, found, folder / "raw"), spec, folder / "cm100k")
    parameters = {
        **SETTINGS.studies["menamaldonado2021"].artifacts["fig15"].parameters,
        "relevance_threshold": 3,
    }
    return ArtifactInputs(
        files_in(folder),
        ArtifactDescription(parameters=parameters, datasets=("cm100k",), absent=("yahoo-r3",)),
    )


def stated(results: pd.DataFrame, column: str) -> dict[str, float]:
    rows = results[results["statement"] != ""]
    return dict(zip(rows["statement"], rows[column], strict=True))


@needs_cm100k
def test_shares_of_pairs_in_cm100k_are_the_published_ones(cm100k: ArtifactInputs) -> None:
    results = pairs_of_items.data_fig09(cm100k)
    statements = results[results["statement"] != ""].set_index(["metric", "statement"])
    shares = statements["share_of_pairs"]
    for (metric, statement), share, within in (
        (("", "popularity and relevance agree"), 0.6933, 5e-5),
        (("", "odds are steeper than relevance"), 0.7510, 5e-5),
        (("", "odds are steeper than non-relevance"), 0.9049, 5e-5),
        (("", "observed and real optimum agree for both metrics"), 0.183, 5e-4),
        (("precision", "observed and real optimum agree"), 0.641, 5e-4),
        (("precision", "lemma 3 holds"), 0.812, 5e-4),
        # The paper has 42.1 % and 75.3 %, which no reading of ours gives.
        (("anti-precision", "observed and real optimum agree"), 0.452, 5e-4),
        (("anti-precision", "lemma 3 holds"), 0.7835, 5e-5),
    ):
        assert shares[metric, statement] == pytest.approx(share, abs=within), statement
    areas = results[(results["metric"] == "precision") & (results["statement"] == "")]
    agree = areas["popularity_and_relevance"] == "agree"
    steeper = areas["steepness"] == "steeper"
    four = [
        areas.loc[column & row, "share_of_pairs"].sum()
        for column in (agree, ~agree)
        for row in (steeper, ~steeper)
    ]
    assert four == pytest.approx([0.6416, 0.0516, 0.2123, 0.0944], abs=1e-4)


@needs_cm100k
def test_rating_in_cm100k_depends_on_items_and_on_relevance(cm100k: ArtifactInputs) -> None:
    found = stated(item_curves.data_fig10(cm100k), "probability")
    assert found["p(train | rel)"] == pytest.approx(0.247, abs=5e-4)
    assert found["items with p(train | rel, i) > p(train | i)"] == pytest.approx(0.902, abs=5e-4)
    assert found["items nearer to the line p(train | i)"] == pytest.approx(0.670, abs=5e-4)
    (correlation,) = stated(item_curves.data_fig15(cm100k), "coefficient").values()
    assert correlation == pytest.approx(0.579, abs=5e-4)


@needs_cm100k
def test_no_pair_of_cm100k_is_lost(cm100k: ArtifactInputs) -> None:
    ratings: Ratings = cm100k.ratings("cm100k")
    pairs = item_pairs(RatingProbabilities.of_judgments(ratings, 3), "all")
    assert (pairs.n_items, pairs.pairs.sum()) == (1054, 554_931)
