# SPDX-License-Identifier: MIT
"""CM100k with popularity against relevance (figure 16 of menamaldonado2021).

The released draw has other random numbers than ours: both must be draws of one distribution.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from real_data.movielens import ROOT
from real_files import CM100K, needs
from splits.generated_ratings import cm100k, rng_for

from receval.data.ratings import Ratings
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.recommenders.training_ratings import relevance_grades
from receval.splits.anti_popular_familiarity import (
    ItemFamiliarity,
    anti_popular_rates,
    split_with_anti_popular_familiarity,
    with_anti_popular_familiarity,
)
from receval.splits.kinds import make_split
from receval.splits.split import Split, fold
from reproduction.config.settings import load_settings

pytestmark = needs(CM100K)
POSITIVE_FROM = 3


def generator_of_none(*names: str | int) -> np.random.Generator:
    raise AssertionError("LibRec's ties are not drawn")


@pytest.fixture(scope="module")
def ratings() -> Ratings:
    return cm100k()


@pytest.fixture(scope="module")
def before(ratings: Ratings) -> ItemFamiliarity:
    return ItemFamiliarity.of(ratings, POSITIVE_FROM)


@pytest.fixture(scope="module")
def rates(before: ItemFamiliarity) -> np.ndarray:
    return anti_popular_rates(before.judged, before.relevant, before.known, rng_for("familiarity"))


@pytest.fixture(scope="module")
def split(ratings: Ratings) -> Split:
    spec = load_settings(ROOT / "config", "full").splits["opposed-familiarity-folds"]
    parameters = spec.model_dump(exclude={"kind", "selection"})
    order = "least-liked-first"
    assert parameters == {"relevant_from": POSITIVE_FROM, "folds": 5, "train_order": order}
    return split_with_anti_popular_familiarity(ratings, rng_for, **parameters)


def test_before_the_redraw_popularity_and_relevance_agree(split: Split) -> None:
    assert split.metadata["known_before"] == 11_594
    assert split.metadata["never_known_before"] == 30
    assert split.metadata["relevant_share_of_known_before"] == pytest.approx(0.632, abs=0.0005)
    assert split.metadata["known_relevant_correlation_before"] == pytest.approx(0.57, abs=0.005)


def test_after_it_they_are_opposed(split: Split) -> None:
    # -.91 in the released data.
    assert split.metadata["known_relevant_correlation"] == pytest.approx(-0.91, abs=0.02)


def test_known_judgments_are_as_many_as_the_rates_make_them(
    ratings: Ratings, rates: np.ndarray, split: Split
) -> None:
    probabilities = rates[ratings.items]
    expected = probabilities.sum()
    error = math.sqrt((probabilities * (1 - probabilities)).sum())
    for found in (split.metadata["known"], 11_257):
        assert found == pytest.approx(expected, abs=4 * error)


def test_few_of_the_known_judgments_are_positive(
    ratings: Ratings, rates: np.ndarray, split: Split
) -> None:
    probabilities = rates[ratings.items]
    relevant = ratings.values >= POSITIVE_FROM
    expected = probabilities[relevant].sum() / probabilities.sum()
    # The variance of a ratio of two sums of independent draws, to the first order.
    spread = probabilities * (1 - probabilities) * (relevant - expected) ** 2
    error = math.sqrt(spread.sum()) / probabilities.sum()
    for found in (split.metadata["relevant_share_of_known"], 0.172):
        assert found == pytest.approx(expected, abs=4 * error)


def test_more_items_are_never_known(
    before: ItemFamiliarity, rates: np.ndarray, split: Split
) -> None:
    chances = (1 - rates) ** before.judged
    error = math.sqrt((chances * (1 - chances)).sum())
    for found in (split.metadata["never_known"], 67):
        assert found == pytest.approx(chances.sum(), abs=4 * error)


def test_knowing_an_item_is_independent_of_liking_it(
    ratings: Ratings, before: ItemFamiliarity, rates: np.ndarray
) -> None:
    known = with_anti_popular_familiarity(ratings, POSITIVE_FROM, rng_for("familiarity")).known
    surplus = (ratings.values >= POSITIVE_FROM) - (before.relevant / before.judged)[ratings.items]
    probabilities = rates[ratings.items]
    error = math.sqrt((probabilities * (1 - probabilities) * surplus**2).sum()) / len(ratings)
    assert abs(((known - probabilities) * surplus).mean()) < 4 * error
    # What users declared is not: within an item they know it rather if they like it.
    declared = (before.known / before.judged)[ratings.items]
    assert ((ratings.known - declared) * surplus).mean() > 40 * error


def test_slim_is_among_the_worst_if_the_rows_are_in_the_order_of_the_released_files(
    ratings: Ratings,
) -> None:
    settings = load_settings(ROOT / "config", "full")
    described = settings.splits["opposed-familiarity-folds"]
    system = settings.systems["librec-slim"]
    protocol = Protocol(candidates="train", ties="librec")
    found = {}
    for order in ("least-liked-first", "rows"):
        spec = described.model_copy(update={"train_order": order})
        made = make_split(ratings, spec, settings.seed, "cm100k", "opposed-familiarity-folds", {})
        data = fold(ratings, made, 0)
        model = make(system.recommender, system.parameters, seed=1)
        met = (data.users_by_appearance, data.items_by_appearance)
        model.fit(relevance_grades(data.train, POSITIVE_FROM), None, met)
        (outcome,) = rank_judged(model, data, [protocol], generator_of_none, "unbiased")
        assert data.unbiased is not None
        lists = JudgedLists.of(data.unbiased, outcome, POSITIVE_FROM, protocol)
        (found[order],) = mean(evaluate([parse("P@10")], lists), lists, "tested")
    # .00083 in the released values, over five folds.
    assert found["least-liked-first"] < 0.0015
    assert found["rows"] > 0.0022
