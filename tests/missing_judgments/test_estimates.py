# SPDX-License-Identifier: MIT
"""Estimates by propensities against worlds in which everything is known."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace as Namespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.missing_judgments.estimators import (
    AdditiveMetric,
    WeightedSums,
    additive_metric_of,
    effective_size,
    unbiased_estimates,
)
from receval.missing_judgments.propensities import (
    CandidatePairs,
    KnownPropensities,
    PopularityPropensities,
    SamplePropensities,
    StratifiedPropensities,
)
from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, TRAIN, UNBIASED, Fold, Judgments, Split
from receval.splits.split_ratings import SplitRatings, split

N_USERS, N_ITEMS, DRAWS = 40, 30, 300
METRICS = ("P@5", "DCG@5", "Recall@5")


class ChosenWorld:
    """Users who like popular items, and rate what they like more often: both spoil estimates."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        fame = 1 / np.sqrt(1 + np.arange(N_ITEMS))
        self.liked = rng.random((N_USERS, N_ITEMS)) < 0.15 + 0.5 * fame
        self.train = rng.random((N_USERS, N_ITEMS)) < 0.3 * fame
        self.chance = np.clip((0.15 + 0.6 * fame) * np.where(self.liked, 1.0, 0.5), 0, 1)
        self.scores = {
            "famous": np.tile(fame, (N_USERS, 1)),
            "unknown": np.tile(-fame, (N_USERS, 1)),
        }

    def observed(self, seed: int, n_random: int = 0) -> SplitRatings:
        """Draw what is rated, and some random items of each user beside."""
        rng = np.random.default_rng([seed, 7])
        seen = (rng.random(self.liked.shape) < self.chance) & ~self.train
        noise = np.where(self.train, 2.0, rng.random(self.liked.shape))
        drawn = np.argsort(np.argsort(noise, axis=1), axis=1) < n_random
        codes = TRAIN * self.train + TEST * seen + UNBIASED * (drawn & ~self.train)
        users, items = np.nonzero(codes)
        ratings = Ratings(
            users=users.astype(np.int32),
            items=items.astype(np.int32),
            values=np.where(self.liked[users, items], 5, 1).astype(np.float32),
            user_ids=np.arange(N_USERS).astype(np.str_),
            item_ids=np.arange(N_ITEMS).astype(np.str_),
        )
        parts = Split((codes[users, items].astype(np.uint8),))
        return SplitRatings(ratings, parts, {"kind": "chosen"}, seed=1)

    def truth(self, system: str, metric: str) -> float:
        """Count in the complete matrix, user by user."""
        kind, cutoff = metric.split("@")
        worths, relevant = [], 0
        for user in range(N_USERS):
            candidates = np.flatnonzero(~self.train[user])
            order = candidates[np.argsort(-self.scores[system][user, candidates])]
            hits = self.liked[user, order]
            relevant += hits.sum()
            top = hits[: int(cutoff)]
            gains = top / np.log2(np.arange(2, len(top) + 2)) if kind == "DCG" else top
            worths.append(gains.sum() / (int(cutoff) if kind == "P" else 1))
        return sum(worths) / (relevant if kind == "Recall" else N_USERS)


@pytest.fixture(scope="module")
def world() -> ChosenWorld:
    return ChosenWorld(1)


@pytest.fixture(scope="module")
def estimates(world: ChosenWorld) -> pd.DataFrame:
    """Estimates of many draws of what is observed of one world, by known propensities."""
    tables = [
        unbiased_estimates(
            world.observed(seed, n_random=6),
            world.scores,
            metrics=METRICS,
            propensities=KnownPropensities(world.chance),
            relevant=4,
        ).assign(draw=seed)
        for seed in range(DRAWS)
    ]
    return pd.concat(tables, ignore_index=True)


@pytest.mark.costly
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("system", ["famous", "unknown"])
def test_estimates_are_the_full_information_value_on_average(world, estimates, system, metric):
    real = world.truth(system, metric)
    own = estimates[(estimates["system"] == system) & (estimates["metric"] == metric)]
    found = own.groupby("estimator")["value"].agg(["mean", "std"])
    error = found["std"] / np.sqrt(DRAWS)
    exact = ["MAR"] if metric == "Recall@5" else ["IPS", "MAR"]
    for estimator in exact:
        # Four standard errors; MAR's recall is a ratio, whose bias is far below them.
        assert abs(found["mean"][estimator] - real) < 4 * error[estimator], estimator
    # A ratio's bias is of the order of 1/n: allowed a hundredth of the value beside.
    assert abs(found["mean"]["SNIPS"] - real) < 4 * error["SNIPS"] + 0.01 * real
    assert abs(found["mean"]["naive"] - real) > 10 * error["naive"]


@pytest.fixture(scope="module")
def estimates_of_worlds():
    """Estimates of many worlds, whose users are drawn anew with each."""
    tables = []
    for seed in range(150):
        world = ChosenWorld(100 + seed)
        table = unbiased_estimates(
            world.observed(seed, n_random=6),
            {"famous": world.scores["famous"]},
            metrics="P@5",
            propensities=KnownPropensities(world.chance),
            relevant=4,
        )
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


@pytest.mark.costly
@pytest.mark.parametrize("estimator", ["IPS", "SNIPS", "MAR"])
def test_intervals_hold_the_value_of_the_population_of_users_as_often_as_they_say(
    estimates_of_worlds, estimator
):
    # As users are drawn anew, the standard error is that of the estimate.
    found = estimates_of_worlds[estimates_of_worlds["estimator"] == estimator]
    assert len(found) == 150
    middle = found["value"].mean()
    held = ((found["low"] <= middle) & (middle <= found["high"])).mean()
    # Of 150 intervals of 95 %: fewer than 88 % or so come once in ten thousand.
    assert held > 0.88
    assert found["standard_error"].mean() == pytest.approx(found["value"].std(), rel=0.2)


def test_with_every_judgment_and_propensity_one_all_estimators_agree(world):
    everything = ChosenWorld(1)
    everything.chance = np.ones_like(world.chance)
    data = everything.observed(0, n_random=N_ITEMS)
    assert len(next(data.folds()).unbiased) == (~world.train).sum()
    table = unbiased_estimates(
        data,
        world.scores,
        metrics=METRICS,
        propensities=KnownPropensities(everything.chance),
        relevant=4,
    )
    for (system, metric), own in table.groupby(["system", "metric"]):
        assert own["value"].to_numpy() == pytest.approx(world.truth(system, metric))
    assert set(table["clipped"]) == {0.0}


def test_propensities_of_the_sample_recover_those_of_rating_values():
    rng = np.random.default_rng(3)
    liked = rng.random((200, 100)) < 0.3
    chance = np.where(liked, 0.4, 0.1)
    seen = rng.random(liked.shape) < chance
    users, items = np.nonzero(seen)
    test = Judgments.from_pairs(users, items, np.where(liked[users, items], 5, 1), 200)
    drawn = rng.random(liked.shape) < 0.3
    users, items = np.nonzero(drawn)
    sample = Judgments.from_pairs(users, items, np.where(liked[users, items], 5, 1), 200)
    fold = Fold(csr_array(liked.shape, dtype=np.float32), test, sample)
    own = SamplePropensities().of(fold, Protocol("AR", "AI"))
    for value, real in ((5, 0.4), (1, 0.1)):
        assert own[test.values == value] == pytest.approx(real, rel=0.08)


def test_popularity_propensities_are_powers_scaled_to_the_number_of_test_ratings():
    world = ChosenWorld(1)
    fold = next(world.observed(0).folds())
    for power in (0.5, 1.0):
        protocol = Protocol("AR", "AI")
        own = PopularityPropensities(power).of(fold, protocol)
        counts = np.bincount(fold.test.items, minlength=N_ITEMS) + world.train.sum(axis=0)
        weights = counts.astype(float) ** power
        scale = len(fold.test) / (weights * ~world.train).sum()
        assert own == pytest.approx(np.minimum(1, scale * weights[fold.test.items]))
    alike = PopularityPropensities(0.0).of(fold, Protocol("AR", "AI"))
    assert alike == pytest.approx(len(fold.test) / (~world.train).sum())


def test_yangs_estimate_is_snips_normalised_by_user():
    world = ChosenWorld(2)
    data = world.observed(3)
    table = unbiased_estimates(
        data, world.scores, metrics="Recall@5", relevant=4, normalised="user"
    ).set_index(["system", "estimator"])
    fold = next(data.folds())
    popularity = np.bincount(data.ratings.items, minlength=N_ITEMS)
    shares = []
    for user in range(N_USERS):
        rows = range(fold.test.indptr[user], fold.test.indptr[user + 1])
        liked = [int(fold.test.items[row]) for row in rows if fold.test.values[row] >= 4]
        if liked:
            candidates = np.flatnonzero(~world.train[user])
            order = candidates[np.argsort(-world.scores["famous"][user, candidates])]
            weight = {item: 1 / popularity[item] for item in liked}
            hits = sum(weight[item] for item in liked if item in order[:5])
            shares.append(hits / sum(weight.values()))
    own = table.loc["famous", "SNIPS"]
    assert own["value"] == pytest.approx(np.mean(shares))
    assert own["standard_error"] == pytest.approx(np.std(shares, ddof=1) / np.sqrt(len(shares)))
    assert own["users"] == len(shares)


def test_clipping_bounds_the_weights_and_is_counted(world):
    arguments = {"metrics": "P@5", "relevant": 4, "propensities": KnownPropensities(world.chance)}
    free, clipped = (
        unbiased_estimates(world.observed(0), world.scores, clip=clip, **arguments)
        for clip in (0.0, 0.3)
    )
    rows = free["estimator"] == "IPS"
    assert (free["clipped"] == 0).all()
    assert (clipped[rows]["clipped"] > 0.2).all()
    assert (clipped[rows]["effective_size"] > free[rows]["effective_size"]).all()
    assert (clipped[rows]["value"] <= free[rows]["value"]).all()


def test_a_user_counts_once_over_several_folds():
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((30, 20)) < 0.4)
    ratings = read_ratings({"user": users, "item": items, "rating": np.ones(len(users))})
    scores = {"same": rng.random((ratings.n_users, ratings.n_items))}
    data = split(ratings, "k-fold", folds=3)
    both = unbiased_estimates(data, scores, metrics=["P@5", "DCG@5"])
    assert set(both["users"]) == {ratings.n_users}
    assert both[both["estimator"] == "naive"]["judgments"].tolist() == [len(ratings)] * 2


def test_standard_errors_are_those_worked_by_hand():
    sums = WeightedSums(
        worths=np.array([2.0, 0.0, 4.0]),
        weights=np.array([4.0, 4.0, 8.0]),
        sizes=np.array([6.0, 6.0, 6.0]),
        lists=np.ones(3),
    )
    ips = sums.ips()
    assert (ips.value, ips.standard_error) == (2.0, pytest.approx(2 / np.sqrt(3)))
    snips = sums.snips("all", per_relevant=False)
    # The ratio is 6/16 and leaves .5, -1.5 and 1.
    assert snips.value == pytest.approx(6 / 16 * 6)
    assert snips.standard_error == pytest.approx(np.sqrt(3.5 * 3 / 2) / 16 * 6)
    assert sums.snips("user", per_relevant=True).value == pytest.approx((0.5 + 0 + 0.5) / 3)
    assert effective_size(np.array([])) == 0


@pytest.mark.each(
    ("arguments", "message"),
    [
        ({"metrics": "nDCG@5"}, "not a sum over relevant items"),
        ({"metrics": "P"}, "Give a cut-off"),
        ({"protocol": "1R TI-NN sampled=5"}, "Estimates need the whole list of a user"),
        ({"protocol": "AR TI-AN"}, "items that somebody judged"),
        ({"clip": 1.5}, "at least 0 and below 1"),
        ({"propensities": SamplePropensities()}, "no unbiased judgments"),
        ({"propensities": [PopularityPropensities()] * 2}, "have the same name"),
        (
            {"propensities": Namespace(label="none", of=lambda fold, _: 0 * fold.test.values)},
            "above 0",
        ),
        ({"propensities": KnownPropensities(np.ones((2, 2)))}, r"have the shape \(2, 2\)"),
        (
            {"propensities": KnownPropensities(np.zeros((N_USERS, N_ITEMS)))},
            "must be above 0 and at most 1",
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_a_sentence(world, arguments, message):
    with pytest.raises(ValueError, match=message):
        unbiased_estimates(world.observed(0), world.scores, relevant=4, **arguments)


def test_a_value_that_the_sample_lacks_is_named():
    test = Judgments.from_pairs([0, 0], [0, 1], [5, 3], n_users=1)
    sample = Judgments.from_pairs([0], [2], [5], n_users=1)
    fold = Fold(csr_array((1, 4), dtype=np.float32), test, sample)
    with pytest.raises(ValueError, match="has no rating of 3"):
        SamplePropensities().of(fold, Protocol("AR", "AI"))
    with pytest.raises(ValueError, match="divided into 0 strata"):
        StratifiedPropensities(0)


def test_candidates_are_the_items_of_the_protocol_without_the_users_own():
    train = csr_array(np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=np.float32))
    test = Judgments.from_pairs([0, 0, 1, 2], [1, 3, 0, 0], [5, 5, 5, 5], n_users=3)
    fold = Fold(train, test)
    of = partial(CandidatePairs.of, fold, test)
    everything, trained = of(Protocol("AR", "AI")), of(Protocol("AR", "train"))
    assert everything.sizes.tolist() == [2, 3, 4]
    assert everything.judged.tolist() == [False, True, True, True]
    assert trained.sizes.tolist() == [0, 1, 0]
    assert trained.judged.tolist() == [False, False, True, False]
    of_items = np.array([1.0, 2.0, 4.0, 8.0])
    assert everything.sum_over_candidates(fold, of_items).tolist() == [12, 13, 15]


def test_labels_of_metrics_are_read_in_their_usual_forms():
    assert additive_metric_of("dcg@7") == AdditiveMetric("DCG", 7)
    assert additive_metric_of("recall@3").label == "Recall@3"
