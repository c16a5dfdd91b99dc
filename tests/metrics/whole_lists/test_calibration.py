# SPDX-License-Identifier: MIT
"""How far lists are from the tastes of users."""

from __future__ import annotations

from dataclasses import replace
from math import log, log2, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.whole_lists.made_lists import measured
from metrics.whole_lists.test_diversity import _random, with_genres
from scipy.sparse import csr_array

import receval as rv
from receval.metrics.metric import WeightedMean
from receval.metrics.registry import parse_any
from receval.metrics.whole_lists.calibration import BiasDisparity, Miscalibration


def _value(*own: int, train: tuple[int, ...] = (0, 1, 3), **parameters: object) -> float:
    lists = with_genres(measured(own, train=[(0, item) for item in train]))
    metric = Miscalibration(cutoff=3, feature="genre", **parameters)
    return float(metric.per_user(lists)[0])


def test_the_divergence_of_a_hand_worked_list() -> None:
    # Training items A, AB and C: p = (1/2, 1/6, 1/3). The list A, B: q = (1/2, 1/2, 0).
    p, q = (1 / 2, 1 / 6, 1 / 3), (1 / 2, 1 / 2, 0.0)
    mixed = [0.99 * b + 0.01 * a for a, b in zip(p, q, strict=True)]

    kl = sum(a * log(a / b) for a, b in zip(p, mixed, strict=True))
    assert _value(0, 2) == pytest.approx(kl, rel=1e-12)
    hellinger = sqrt(1 - sum(sqrt(a * b) for a, b in zip(p, q, strict=True)))
    assert _value(0, 2, divergence="hellinger") == pytest.approx(hellinger, rel=1e-12)
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    shannon = sum(a * log2(a / m) / 2 for a, m in zip(p, middle, strict=True)) + sum(
        b * log2(b / m) / 2 for b, m in zip(q, middle, strict=True) if b
    )
    assert _value(0, 2, divergence="jensen-shannon") == pytest.approx(shannon, rel=1e-12)


def test_the_first_ranks_can_count_more() -> None:
    share = 1 / (1 + 1 / log2(3))
    wanted = sqrt(1 - sqrt(share * 0.5) - sqrt((1 - share) * 0.5))

    found = _value(0, 2, train=(0, 2), divergence="hellinger", weights="log2")

    assert found == pytest.approx(wanted, rel=1e-12)


def test_a_list_like_the_profile_is_calibrated_whatever_items_without_a_value_it_has() -> None:
    assert _value(0, 4, 2, train=(0, 2)) == 0.0
    assert _value(0, 2, train=(1, 4), divergence="hellinger") == pytest.approx(0.0, abs=1e-8)


@pytest.mark.each(
    ("divergence", "largest"), [("kl", log(100)), ("jensen-shannon", 1.0), ("hellinger", 1.0)]
)
def test_a_list_without_a_value_has_the_largest_divergence(divergence: str, largest: float) -> None:
    assert _value(4, divergence=divergence) == pytest.approx(largest)
    assert _value(divergence=divergence) == pytest.approx(largest)
    assert _value(0, train=(4,), divergence=divergence) == 0.0


def test_ratings_can_weight_the_profile() -> None:
    lists = with_genres(measured([0, 0], train=[(0, 0), (0, 0), (0, 0), (0, 2)]))

    found = Miscalibration(
        cutoff=2, feature="genre", divergence="hellinger", profile="ratings"
    ).per_user(lists)

    assert found[0] == pytest.approx(sqrt(1 - sqrt(0.75)))


@given(st.integers(0, 2**32 - 1))
def test_the_divergence_is_that_of_a_loop_over_users_and_items(seed: int) -> None:
    lists, genres = _random(seed)
    wanted = []
    for user, row in zip(lists.users, lists.items, strict=True):
        shares = []
        train = np.flatnonzero(lists.fold.train[[user], :].toarray()[0])
        for items in (train, [item for item in row[:4] if item >= 0]):
            known = [item for item in items if genres[item]]
            own = dict.fromkeys("ABCD", 0.0)
            for item in known:
                for genre in genres[item]:
                    own[genre] += 1 / len(genres[item]) / len(known)
            shares.append(own)
        p, q = shares
        if not sum(p.values()):
            wanted.append(0.0)
        elif not sum(q.values()):
            wanted.append(-log(0.2))
        else:
            terms = (a * log(a / (0.8 * q[g] + 0.2 * a)) for g, a in p.items() if a)
            wanted.append(max(0.0, sum(terms)))

    found = Miscalibration(cutoff=4, feature="genre", alpha=0.2).per_user(lists)

    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def _biased(form: str, users: list[int] | None = None) -> float:
    """Return the bias of two users towards the value b, which items 2 and 3 of five have."""
    train = [(0, 0), (0, 2), (1, 0), (1, 1), (1, 3), (1, 4)]
    lists = measured([3, 1], [2], [4], n_items=5, train=train)
    kinds = csr_array(np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0]]))
    lists = replace(
        lists,
        lists=lists.lists.of_users(np.array([0, 1, 2] if users is None else users)),
        item_features={"kind": kinds},
        feature_values={"kind": ("a", "b")},
    )
    metric = parse_any(f"BiasDisparity(feature=kind,value=b,form={form})@2")
    assert isinstance(metric, BiasDisparity)
    return float(metric.per_user(lists).mean())


@pytest.mark.each(
    ("form", "users", "value"),
    [
        # Two of three listed items have b, as half of the items with a value.
        ("recommendations", None, (2 / 3) / (1 / 2)),
        ("training", None, (2 / 5) / (1 / 2)),
        ("disparity", None, (2 / 3) / (2 / 5) - 1),
        ("disparity", [0], (1 / 2) / (1 / 2) - 1),
        ("disparity", [1], 1 / (1 / 3) - 1),
    ],
)
def test_bias_disparity_compares_sums_over_the_users_who_are_averaged(
    form: str, users: list[int] | None, value: float
) -> None:
    assert _biased(form, users) == pytest.approx(value, rel=1e-12)


@pytest.mark.each(
    ("label", "words"),
    [
        ("BiasDisparity(feature=kind)@2", r"needs a value, but the values of kind are 'a', 'b'"),
        ("BiasDisparity(feature=kind,value=c)@2", r"has the value 'c', but .* are 'a', 'b'"),
    ],
)
def test_a_value_that_the_feature_lacks_is_refused(label: str, words: str) -> None:
    test = {"user": [1, 1, 2], "item": ["x", "y", "x"]}
    run = {1: {"x": 2.0, "z": 1.0}, 2: {"z": 1.0}}
    with pytest.raises(ValueError, match=words):
        rv.evaluate_runs(
            test,
            {"mine": run},
            train={"user": [1, 2], "item": ["w", "y"]},
            metrics=label,
            item_features={"item": list("wxyz"), "kind": list("abab")},
        )


def test_bias_disparity_has_groups_of_users_with_intervals_and_is_saved(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    users = [f"u{number:02d}" for number in range(40)]
    items = [f"i{number:02d}" for number in range(12)]
    train = {"user": np.repeat(users, 3), "item": rng.choice(items[:8], 120)}
    test = {"user": users, "item": items[8:] * 10}
    run = {user: {item: rng.random() for item in rng.permutation(items)[:6]} for user in users}
    label = "BiasDisparity(feature=kind,value=a)@5"
    forms = [label, *(f"{label[:-3]},form={form})@5" for form in ("recommendations", "training"))]
    result = rv.evaluate_runs(
        test,
        {"mine": run, "other": {user: {"i01": 1.0} for user in users}},
        train=pd.DataFrame(train).drop_duplicates(),
        metrics=forms,
        item_features={"item": items, "kind": list("aabb") * 3},
        depth="whole",
    )
    own = result.by_group({"user": users, "half": ["x", "y"] * 20}).summary()
    found = own.pivot_table(index=["system", "group"], columns="metric", values="mean")
    ours, listed, trained = (found[rv.metric(form).label] for form in forms)
    np.testing.assert_allclose(ours, listed / trained - 1, rtol=1e-12)
    mine = own[own["system"] == "mine"]
    assert (mine["low"] < mine["mean"]).all()
    result.save(tmp_path / "saved")
    loaded = rv.load_result(tmp_path / "saved")
    assert loaded.by_group({"user": users, "half": ["x", "y"] * 20}).summary().to_csv() == (
        own.to_csv()
    )


@pytest.mark.costly
def test_the_interval_of_bias_disparity_holds_for_most_samples() -> None:
    rng = np.random.default_rng(5)
    # Shares of half in training, and of 60 % in lists: the disparity is .2.
    n_users, found = 60, 0
    for _ in range(300):
        own, base = (
            WeightedMean(rng.binomial(sizes, share) / sizes, sizes.astype(float))
            for sizes, share in (
                (rng.integers(3, 8, n_users), 0.6),
                (rng.integers(3, 30, n_users), 0.5),
            )
        )
        values = replace(own, base=base).contributions
        half = 2.0 * values.std(ddof=1) / np.sqrt(n_users)
        found += abs(values.mean() - 0.2) <= half
    assert 0.9 * 300 <= found <= 0.99 * 300
