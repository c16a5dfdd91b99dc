# SPDX-License-Identifier: MIT
"""Metrics of whole lists agree with plain loops over users and items on random lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.whole_lists.made_lists import measured
from metrics.whole_lists.plain_definitions import DEFINITIONS, PlainLists
from scipy.sparse import csr_array

import receval as rv
from receval.metrics.registry import LIST_METRICS, metric_class, parse_any
from receval.metrics.whole_lists.exposure import _relative_deviation
from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers, RecommendedLists


def random_lists(seed: int) -> RecommendedLists:
    """Return lists of unrated candidates for users of whom some are not averaged."""
    rng = np.random.default_rng(seed)
    n_users, n_items = int(rng.integers(3, 7)), int(rng.integers(6, 12))
    is_candidate = rng.random(n_items) < 0.9
    is_candidate[:2] = True
    kinds = rng.choice(3, (n_users, n_items), p=[0.5, 0.3, 0.2])
    kinds[rng.random(n_users) < 0.2] = 0
    kinds[0, 0] = 1
    longest = int(rng.integers(5))  # 0: no list has an item
    lists = []
    for user in range(n_users):
        free = rng.permutation(np.flatnonzero(is_candidate & (kinds[user] != 1)))
        lists.append(free[: rng.integers(longest + 1)].tolist())
    users, items = np.nonzero(kinds == 2)
    train = np.argwhere(kinds == 1).tolist()
    test = [(int(u), int(i), float(rng.integers(1, 6))) for u, i in zip(users, items, strict=True)]
    whole = measured(
        *lists, n_items=n_items, train=[(u, i) for u, i in train], test=test, threshold=3.0
    )
    kind = (rng.random((n_items, 3)) < 0.5).astype(float)
    kept = np.flatnonzero(rng.random(n_users) < 0.8)
    kept = kept if len(kept) else np.array([0])
    return replace(
        whole,
        lists=whole.lists.of_users(kept),
        is_candidate=is_candidate,
        item_features={"kind": csr_array(kind)},
    )


@pytest.mark.costly
@given(seed=st.integers(0, 2**32 - 1))
def test_each_metric_is_the_one_of_its_definition(seed: int) -> None:
    lists = random_lists(seed)
    cut = lists.cut(3)
    plain = PlainLists(cut, 3)
    for label, definition in DEFINITIONS.items():
        metric = parse_any(f"{label}@3")
        assert isinstance(metric, ListMetric)
        wanted = definition(plain)
        values = metric.per_user(lists)
        assert values.shape == (len(lists.users),)
        assert values.mean() == pytest.approx(wanted, rel=1e-10, abs=1e-10), label
        if isinstance(metric, MetricOfAllUsers):
            assert metric.of_all(cut) == pytest.approx(wanted, rel=1e-12, abs=1e-12), label


OF_ALL_USERS = [
    *(name for name in LIST_METRICS if issubclass(metric_class(name), MetricOfAllUsers)),
    "Gini(denominator=others)",
    "ExposureGini(discount=rbp)",
    "ShannonEntropy(base=items,denominator=recommended)",
    "LeastRecommendedShare(share=0.3)",
    "PopularityLift(group=niche)",
    "PopularityLift(group=blockbuster)",
    "InequityOfAttention(discount=rbp)",
    "RSP(feature=kind)",
    "REO(feature=kind)",
    "ItemMAD(feature=kind)",
    "ItemMAD(feature=kind,gain=score,over=hits)",
    "Gini(corrected=true)",
    "ItemCoverage(corrected=true)",
    "ShannonEntropy(corrected=true)",
    "Jain(corrected=true)",
    "FSat(corrected=true)",
    "AID(discount=log)",
    "AIF(discount=log)",
]


@pytest.mark.costly
@given(seed=st.integers(0, 2**32 - 1))
def test_a_metric_of_all_users_is_exact_without_each_user(seed: int) -> None:
    lists = random_lists(seed).cut(3)
    if len(lists.users) < 2:
        return
    others = [
        replace(lists, lists=lists.lists.of_users(np.delete(lists.users, row)))
        for row in range(len(lists.users))
    ]
    for label in OF_ALL_USERS:
        metric = parse_any(f"{label}@3")
        assert isinstance(metric, MetricOfAllUsers)
        wanted = [metric.of_all(own) for own in others]
        assert metric.without_each(lists) == pytest.approx(wanted, rel=1e-11, abs=1e-11), label


@pytest.mark.each(
    ("bounds", "names"),
    [
        ((0.0, 1.0), "ItemCoverage Gini ExposureGini LeastRecommendedShare Jain FSat"),
        ((0.0, np.inf), "ShannonEntropy RSP(feature=kind) REO(feature=kind) ItemMAD AID"),
        # A share that falls to nothing, and two distributions without a common item.
        ((-1.0, np.inf), "PopularityLift"),
        ((0.0, 2.0), "InequityOfAttention"),
        ((-np.inf, np.inf), "HD MME IBO IWO AIF"),
    ],
)
def test_metrics_of_all_users_have_the_bounds_of_their_formulas(
    bounds: tuple[float, float], names: str
) -> None:
    for name in names.split():
        assert parse_any(f"{name}@3").bounds == bounds  # type: ignore[union-attr]


@pytest.mark.each("name", ["RSP", "REO"])
def test_a_deviation_of_n_groups_is_at_most_the_root_of_one_less(name: str) -> None:
    metric = parse_any(f"{name}(feature=kind)@3")
    assert isinstance(metric, MetricOfAllUsers)
    # No item has the last of six values.
    kinds = csr_array(np.hstack([np.eye(5), np.zeros((5, 1))]))
    assert metric.bounds_among({"kind": kinds}) == (0.0, 2.0)
    assert metric.bounds_among({}) == metric.bounds
    alone = np.zeros((1, 5))
    alone[0, 2] = 1.0
    assert _relative_deviation(alone, np.ones((1, 5)))[0] == pytest.approx(2.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.each("label", list(DEFINITIONS))
def test_a_single_candidate_a_single_user_and_no_users_have_finite_values(label: str) -> None:
    metric = parse_any(f"{label}@3")
    assert isinstance(metric, ListMetric)
    features = {"kind": csr_array(np.ones((1, 3)))}
    both = measured([0], [], n_items=1, train=[(1, 0)], test=[(0, 0, 5.0)], threshold=3.0)
    for users in ([], [0], [1], [0, 1]):
        lists = both.lists.of_users(np.array(users, dtype=np.int64))
        own = replace(both, lists=lists, item_features=features)
        values = metric.per_user(own)
        assert values.shape == (len(users),)
        assert np.isfinite(values).all()
        if isinstance(metric, MetricOfAllUsers):
            assert np.isfinite(metric.of_all(own.cut(3)))
            assert np.isfinite(metric.without_each(own.cut(3))).all()


def _metrics_of_training_ratings() -> list[str]:
    modules = ("coverage", "popularity", "novelty", "exposure", "item_fairness", "joint_fairness")
    return [
        name
        for name, where in LIST_METRICS.items()
        if where.partition(":")[0].rpartition(".")[2] in modules and name != "ItemAge"  # of times
    ]


def test_every_metric_of_training_ratings_has_a_plain_definition() -> None:
    defined = {label.partition("(")[0] for label in DEFINITIONS}
    assert defined == set(_metrics_of_training_ratings())


@pytest.mark.costly
def test_every_metric_of_training_ratings_has_an_average_with_an_interval() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.permutation(12 * 15)[:90]
    ratings = {"user": pairs // 15, "item": pairs % 15, "rating": rng.integers(1, 6, 90)}
    halves = rv.split(rv.read_ratings(ratings), "user-ratio", train_ratio=0.5, seed=1)
    labels = [f"{name}@3" for name in _metrics_of_training_ratings()]

    summary = rv.evaluate(
        halves, {"Pop": rv.Popularity(), "Random": rv.Random(seed=2)}, metrics=labels, relevant=3
    ).summary()

    assert summary["metric"].drop_duplicates().tolist() == labels
    assert np.isfinite(summary["mean"]).all()
    # Values at a bound, such as 1 of a share, have no interval.
    told = summary[np.isfinite(summary["low"])]
    assert len(told) > 0.9 * len(summary)
    assert (told["low"] <= told["mean"]).all()
    assert (told["mean"] <= told["high"]).all()
    means = summary.pivot_table(index="metric", columns="system", values="mean")
    assert means.loc["ARP@3", "Pop"] > means.loc["ARP@3", "Random"]
    assert means.loc["Unexpectedness@3", "Pop"] < means.loc["Unexpectedness@3", "Random"]
