# SPDX-License-Identifier: MIT
"""Sampled metrics over all samples: enumerated on small lists, and drawn with fixed seeds."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from receval.data.ratings_table import read_ratings
from receval.evaluation.measuring import named_metrics
from receval.evaluation.runs import evaluate_runs
from receval.sampled_metrics.audit import audit_samples
from receval.sampled_metrics.rank_corrections import (
    chances_of_sampled_ranks,
    estimated_by_least_squares,
    estimated_by_rank,
    most_likely_ranks,
)
from receval.sampled_metrics.sampled_candidates import SamplingOdds
from receval.sampled_metrics.sampled_moments import (
    RARE,
    AuditedMoments,
    full_cutoffs,
    swap_probability,
)
from receval.splits.split_ratings import split

METRICS = ("Recall@2", "nDCG@3", "RR")
N_USERS, N_ITEMS = 60, 40

Scores = dict[str, dict[str, float]]


def made(seed: int, quality: float) -> Scores:
    """Return scores of all items, in which each user's relevant item is lifted."""
    rng = np.random.default_rng(seed)
    scores = rng.random((N_USERS, N_ITEMS))
    scores[np.arange(N_USERS), np.arange(N_USERS) % N_ITEMS] += quality
    return {
        f"u{user}": {f"i{item}": float(scores[user, item]) for item in range(N_ITEMS)}
        for user in range(N_USERS)
    }


TEST = {
    "user": [f"u{user}" for user in range(N_USERS)],
    "item": [f"i{user % N_ITEMS}" for user in range(N_USERS)],
    "rating": [1] * N_USERS,
}
RUNS = {"good": made(1, 0.3), "poor": made(2, 0.2)}


def rank_values(rank: int) -> dict[str, float]:
    return {
        "Recall@2": float(rank <= 2),
        "nDCG@3": 1 / np.log2(rank + 1) if rank <= 3 else 0.0,
        "RR": 1 / rank,
    }


@pytest.mark.costly
def test_expectation_and_variance_are_those_of_all_samples() -> None:
    scores = {"ann": dict(zip("abcdefg", (7.0, 6, 5, 4, 3, 2, 1), strict=True))}
    test = {"user": ["ann"], "item": ["c"], "rating": [1]}
    audit = audit_samples(test, {"mine": scores}, sampled=3, metrics=METRICS)
    above = {"a", "b"}
    drawn = [rank_values(1 + len(above & set(sample))) for sample in combinations("abdefg", 3)]
    found = audit.values.set_index("metric")
    for metric in METRICS:
        own = np.array([values[metric] for values in drawn])
        assert found.loc[metric, "expected"] == pytest.approx(own.mean())
        assert found.loc[metric, "sd"] == pytest.approx(own.std())
        assert found.loc[metric, "full"] == pytest.approx(rank_values(3)[metric])


@pytest.mark.costly
def test_the_full_value_is_that_of_a_full_ranking_under_1r() -> None:
    audit = audit_samples(TEST, RUNS, sampled=10, metrics=METRICS)
    full = evaluate_runs(TEST, RUNS, protocols="1R AI-AN", metrics=METRICS, depth="whole")
    expected = full.summary().set_index(["metric", "system"])["mean"]
    found = audit.values.set_index(["metric", "system"])["full"]
    for key in found.index:
        assert found[key] == pytest.approx(expected[key])


@pytest.mark.costly
def test_the_probability_of_another_order_is_that_of_simulated_samples() -> None:
    sampled = 8
    audit = audit_samples(TEST, RUNS, sampled=sampled, metrics=METRICS)
    rng = np.random.default_rng(3)
    above = {
        name: np.array(
            [
                sum(score > own[f"i{number % N_ITEMS}"] for score in own.values())
                for number, own in enumerate(scores.values())
            ]
        )
        for name, scores in RUNS.items()
    }
    ranks = {
        name: 1 + rng.hypergeometric(own, N_ITEMS - 1 - own, sampled, (20_000, N_USERS))
        for name, own in above.items()
    }
    for row in audit.pairs.itertuples():
        tables = np.array([0.0, *(rank_values(rank)[row.metric] for rank in range(1, 41))])
        difference = (tables[ranks["good"]] - tables[ranks["poor"]]).mean(axis=1)
        # Half of the equal ones are to be put in the other order by a coin, as the normal has it.
        other = np.mean(np.sign(difference) == -np.sign(row.full_difference))
        other += 0.5 * np.mean(np.abs(difference) < 1e-12)
        assert row.swap_probability == pytest.approx(other, abs=0.02)
        assert 0.01 < other < 0.9


@pytest.mark.costly
def test_all_candidates_are_enough_and_leave_nothing_to_chance() -> None:
    audit = audit_samples(TEST, RUNS, sampled=39, metrics=METRICS)
    assert audit.values["sd"].max() < 1e-7
    assert np.allclose(audit.values["expected"], audit.values["full"])
    assert audit.pairs["swap_probability"].max() == 0


@pytest.mark.costly
def test_enough_is_the_smallest_number_of_negatives_with_which_places_seldom_change() -> None:
    (enough,) = audit_samples(TEST, RUNS, metrics="RR").pairs["enough"]
    assert 1 < enough <= 39
    chances = [
        float(audit_samples(TEST, RUNS, sampled=size, metrics="RR").pairs["swap_probability"][0])
        for size in (int(enough) - 1, int(enough))
    ]
    assert chances[0] >= RARE > chances[1]


@pytest.mark.costly
def test_systems_that_are_equal_have_no_order_to_change() -> None:
    audit = audit_samples(TEST, {"one": RUNS["good"], "same": RUNS["good"]}, metrics="RR")
    assert np.isnan(audit.pairs["swap_probability"][0])
    assert np.isnan(audit.pairs["enough"][0])


def test_without_variance_the_order_is_sure_or_anybodys() -> None:
    zero = np.zeros(3)
    found = swap_probability(np.ones(3), np.array([1.0, -1.0, 0.0]), zero)
    assert found.tolist() == [0.0, 1.0, 0.5]


@pytest.mark.costly
def test_users_values_average_to_those_of_all() -> None:
    audit = audit_samples(TEST, RUNS, sampled=10, metrics=METRICS)
    by_user = audit.by_user.groupby(["metric", "system"])[["full", "expected"]].mean()
    for row in audit.values.itertuples():
        assert by_user.loc[(row.metric, row.system), "full"] == pytest.approx(row.full)
        assert by_user.loc[(row.metric, row.system), "expected"] == pytest.approx(row.expected)


@pytest.mark.each(
    ("runs", "wanted", "told"),
    [
        ({"cut": {"u0": {"i0": 1.0, "i1": 0.5}}, **RUNS}, {}, "'cut' are incomplete. The list of"),
        (RUNS, {"sampled": 0}, "0 candidates cannot be sampled"),
        (RUNS, {"metrics": "Luck"}, "metric"),
        (RUNS, {"metrics": "P"}, "P depends on the length of a list"),
        (RUNS, {"metrics": "bpref"}, "bpref needs all judgments of a list"),
        (RUNS, {"metrics": "IPSHit@10"}, "IPSHit@10 depends on which item is relevant"),
        ({}, {}, "no run to audit"),
    ],
)
def test_what_cannot_be_audited_is_refused(
    runs: dict[str, Scores], wanted: dict[str, object], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        audit_samples(TEST, runs, **wanted)


def test_one_relevant_item_has_the_same_gain_whatever_its_rating() -> None:
    plays = {**TEST, "rating": [3 if user % 2 else 7 for user in range(N_USERS)]}
    own, others = (audit_samples(one, RUNS, sampled=5, relevant=1).values for one in (TEST, plays))
    pd.testing.assert_frame_equal(own, others)


def test_a_corrected_rank_is_right_on_average() -> None:
    """Expected, the estimate of a linear function of the rank is that function."""
    linear = np.arange(11.0)
    chances = chances_of_sampled_ranks(10, 4)
    assert np.allclose(chances @ estimated_by_rank(linear, 10, 4), linear)
    assert np.allclose(chances @ estimated_by_least_squares(linear, chances), linear)


def test_least_squares_have_the_least_bias_and_the_trade_off_less_variance() -> None:
    values = 1 / np.arange(1.0, 31.0)
    chances = chances_of_sampled_ranks(29, 6)
    naive, plain, traded = (
        1 / np.arange(1.0, 8.0),
        estimated_by_least_squares(values, chances),
        estimated_by_least_squares(values, chances, 0.1),
    )

    def bias(function: np.ndarray) -> float:
        return float(np.sum((chances @ function - values) ** 2))

    def variance(function: np.ndarray) -> float:
        return float(np.sum(chances @ function**2 - (chances @ function) ** 2))

    assert bias(plain) < bias(traded) < bias(naive)
    assert variance(traded) < variance(plain)


def test_the_most_likely_ranks_explain_what_was_seen() -> None:
    chances = chances_of_sampled_ranks(20, 5)
    truth = np.zeros(21)
    truth[[1, 12]] = 0.7, 0.3
    seen = truth @ chances
    found = most_likely_ranks(seen, chances) @ chances
    assert np.sum(seen * np.log(seen / found)) < 1e-3
    assert np.sum(seen * np.log(seen / chances.mean(axis=0))) > 0.1


@pytest.mark.costly
def test_systems_on_a_split_are_audited_as_their_whole_runs_are() -> None:
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((30, 25)) < 0.4)
    table = {"user": [f"u{n:02}" for n in users], "item": [f"i{n:02}" for n in items]}
    data = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    scores = {name: rng.random((30, 25)) for name in ("first", "second")}
    found = audit_samples(data, scores, sampled=3, metrics=METRICS)
    (fold,) = data.folds()
    names = data.ratings.user_ids, data.ratings.item_ids
    pairs = {
        part: {"user": names[0][rows], "item": names[1][columns]}
        for part, (rows, columns) in {
            "train": fold.train.nonzero(),
            "test": (fold.test.users, fold.test.items),
        }.items()
    }
    trained = fold.train.toarray() > 0
    runs = {
        name: {
            str(names[0][user]): {
                str(names[1][item]): float(own[user, item])
                for item in np.flatnonzero(~trained[user])
            }
            for user in range(30)
        }
        for name, own in scores.items()
    }
    by_runs = audit_samples(pairs["test"], runs, sampled=3, train=pairs["train"], metrics=METRICS)
    for name in ("values", "pairs", "by_user"):
        own, other = getattr(found, name), getattr(by_runs, name)
        pd.testing.assert_frame_equal(own, other)


def test_all_folds_of_a_split_are_audited_and_users_stay_themselves() -> None:
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((20, 15)) < 0.5)
    data = split(read_ratings({"user": users, "item": items}), "k-fold", folds=2)
    audit = audit_samples(data, {"mine": rng.random((20, 15))}, sampled=2, metrics="RR")
    assert audit.settings["relevant_items"] == len(users)
    assert audit.by_user["user"].tolist() == data.ratings.user_ids.tolist()
    assert audit.by_user["relevant_items"].sum() == len(users)


def test_users_with_fewer_candidates_than_are_sampled_are_counted() -> None:
    rated = {"user": list("aab"), "item": ["x", "y", "x"], "rating": [1] * 3}
    scores = {user: {item: float(place) for place, item in enumerate("xyz")} for user in "ab"}
    notes = {
        sampled: [
            str(note)
            for note in audit_samples(rated, {"mine": scores}, sampled=sampled, metrics="RR").notes
            if note.code == "fewer-candidates"
        ]
        for sampled in (1, 2, 10**9)
    }
    assert notes[1] == []
    assert "2 of 2 users have fewer than 1,000,000,000 items" in notes[10**9][0]
    assert notes[2] == [
        "1 of 2 users have fewer than 2 items to draw from; the smallest number is 1. "
        "For these users, all items are ranked."
    ]


def test_train_data_beside_a_split_are_refused() -> None:
    data = split(read_ratings(TEST), "random-ratio", train_ratio=0.5)
    with pytest.raises(ValueError, match="Leave out train="):
        audit_samples(data, {"mine": np.ones((60, 40))}, train=TEST)


@pytest.mark.costly
def test_the_full_cutoff_is_the_first_at_which_full_recall_reaches_the_sampled_one() -> None:
    audit = audit_samples(TEST, RUNS, sampled=5, metrics=("Recall@2", "P@2", "nDCG@3", "RR"))
    expected = audit.values.set_index(["metric", "system"])["expected"]
    assert set(audit.cutoffs["metric"]) == {"Recall@2", "P@2"}
    for row in audit.cutoffs.itertuples():
        labels = [f"Recall@{k}" for k in (row.full_cutoff - 1, row.full_cutoff)]
        below, reached = (
            evaluate_runs(TEST, {row.system: RUNS[row.system]}, metrics=label.replace(".0", ""))
            .summary()["mean"]
            .item()
            for label in labels
        )
        # A list has one relevant item, so that P@2 is half of Recall@2.
        assert below < expected["Recall@2", row.system] <= reached + 1e-9
        assert row.cutoff == 2
        assert row.share == pytest.approx(row.full_cutoff / N_ITEMS)


def test_a_system_that_samples_never_find_looks_at_nothing() -> None:
    odds = SamplingOdds(
        users=np.array([0, 1]),
        values=np.ones(2, dtype=np.float32),
        above=np.array([4, -1]),
        relevant_above=np.array([0, -1]),
        pools=np.array([4, 4]),
        all_computable=False,
        threshold=1.0,
        maximum_rating=None,
    )
    moments = AuditedMoments({"last": odds}, named_metrics("Recall@1"), 2, None)
    assert full_cutoffs(moments, 1)["full_cutoff"].tolist() == [0]


def test_chances_among_many_candidates_are_the_hypergeometric_ones() -> None:
    chances = chances_of_sampled_ranks(2500, 40)
    for above in (0, 3, 1200, 2470, 2500):
        expected = hypergeom.pmf(np.arange(41), 2500, above, 40)
        np.testing.assert_allclose(chances[above], expected, rtol=1e-9, atol=1e-15)


def test_chances_take_time_by_the_candidates_and_no_more() -> None:
    begun = time.process_time()
    chances_of_sampled_ranks(10_000, 100)
    # By the prime factors of factorials this took a minute.
    assert time.process_time() - begun < 3
