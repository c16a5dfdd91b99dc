# SPDX-License-Identifier: MIT
"""Diversity of lists, and the subtopics of their relevant items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import log2, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.whole_lists.made_lists import measured
from scipy.sparse import csr_array

import receval as rv
from receval.metrics.registry import parse_any
from receval.metrics.whole_lists.calibration import Miscalibration
from receval.metrics.whole_lists.diversity import (
    AlphaNDCG,
    ExpectedReciprocalRankOfSubtopics,
    FeatureEntropy,
    FeatureVariety,
    IntraListDiversity,
    SubtopicRecall,
)
from receval.metrics.whole_lists.list_metric import ListMetric, RecommendedLists

# Items 0 to 5: A, AB, B, C, none, AC.
GENRES = (("A",), ("A", "B"), ("B",), ("C",), (), ("A", "C"))


def with_genres(
    lists: RecommendedLists, genres: Sequence[Sequence[str]] = GENRES
) -> RecommendedLists:
    """Return lists with the feature genre."""
    labels = sorted({value for own in genres for value in own} | {"A"})
    table = [[float(label in own) for label in labels] for own in genres]
    return replace(lists, item_features={"genre": csr_array(np.array(table))})


def _random(seed: int) -> tuple[RecommendedLists, list[list[str]]]:
    rng = np.random.default_rng(seed)
    n_users, n_items = int(rng.integers(1, 5)), int(rng.integers(3, 10))
    genres = [
        list(rng.choice(list("ABCD"), rng.integers(0, 4), replace=False)) for _ in range(n_items)
    ]
    own = [rng.permutation(n_items)[: rng.integers(0, 6)] for _ in range(n_users)]
    train = {(int(rng.integers(n_users)), int(rng.integers(n_items))) for _ in range(8)}
    test = [
        (user, int(item), float(rng.integers(1, 4)))
        for user in range(n_users)
        for item in rng.permutation(n_items)[: rng.integers(0, n_items)]
    ]
    lists = measured(*own, n_items=n_items, train=sorted(train), test=test, threshold=2.0)
    return with_genres(lists, genres), genres


@given(st.integers(0, 2**32 - 1), st.sampled_from(["jaccard", "cosine", "co-ratings", "hamming"]))
def test_diversity_is_that_of_a_loop_over_pairs(seed: int, distance: str) -> None:
    lists, genres = _random(seed)
    sets = [set(own) for own in genres]
    if distance == "co-ratings":
        train = lists.fold.train.toarray() > 0
        sets = [set(np.flatnonzero(train[:, item])) for item in range(len(genres))]
    wanted = []
    for row in lists.items:
        distances = []
        for i, j in combinations([item for item in row[:4] if item >= 0], 2):
            if sets[i] and sets[j]:
                common = len(sets[i] & sets[j])
                divisor = len(sets[i] | sets[j])
                if distance != "jaccard":
                    divisor = sqrt(len(sets[i]) * len(sets[j]))
                different = len(sets[i] ^ sets[j])
                distances.append(different if distance == "hamming" else 1 - common / divisor)
        wanted.append(sum(distances) / max(1, len(distances)))

    found = IntraListDiversity(cutoff=4, feature="genre", distance=distance).per_user(lists)

    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["none", "log", "rbp"]))
def test_entropy_and_variety_are_those_of_counts_of_values(seed: int, discount: str) -> None:
    lists, genres = _random(seed)
    weights = {"none": [1] * 4, "log": [1 / log2(r + 1) for r in range(1, 5)]}
    weights["rbp"] = [0.85**r for r in range(4)]
    entropies, varieties = [], []
    for row in lists.items:
        sums: dict[str, float] = {}
        for item, weight in zip(row[:4], weights[discount], strict=False):
            for value in genres[item] if item >= 0 else []:
                sums[value] = sums.get(value, 0) + weight
        shares = [own / sum(sums.values()) for own in sums.values()]
        entropies.append(-sum(share * log2(share) for share in shares))
        varieties.append(len(sums) / 4)

    metric = FeatureEntropy(cutoff=4, feature="genre", discount=discount, phi=0.85)
    np.testing.assert_allclose(metric.per_user(lists), entropies, rtol=1e-12, atol=1e-12)
    variety = FeatureVariety(cutoff=4, feature="genre").per_user(lists)
    np.testing.assert_allclose(variety, varieties, rtol=1e-12)


def test_diversity_does_not_depend_on_blocks_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    lists, _ = _random(7)
    metric = IntraListDiversity(cutoff=4, feature="genre")
    whole = metric.per_user(lists)
    assert np.ptp(whole) > 0

    for most in (1, 2, 3, len(lists.users) - 1):
        monkeypatch.setattr("receval.metrics.whole_lists.diversity._MOST_ITEMS", most)
        np.testing.assert_array_equal(metric.per_user(lists), whole)


@pytest.mark.each("block", [1, 2, 3, 99])
def test_values_of_features_do_not_depend_on_blocks_of_users(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = [
        AlphaNDCG(cutoff=4, feature="genre"),
        ExpectedReciprocalRankOfSubtopics(cutoff=4, feature="genre"),
        SubtopicRecall(cutoff=4, feature="genre"),
        FeatureEntropy(cutoff=4, feature="genre", discount="rbp"),
        FeatureVariety(cutoff=4, feature="genre"),
        Miscalibration(cutoff=4, feature="genre"),
    ]
    wanted = [metric.per_user(_random(7)[0]) for metric in metrics]
    lists, genres = _random(7)
    n_users, n_values = len(lists.users), len({genre for own in genres for genre in own})
    entries = n_values * (min(block, n_users - 1) + 1) - 1
    monkeypatch.setattr("receval.metrics.whole_lists.list_metric._BLOCK_ENTRIES", entries)
    np.testing.assert_array_equal([metric.per_user(lists) for metric in metrics], wanted)
    assert (np.ptp(wanted, axis=1) > 0).all()


def _subtopic_values(
    lists: RecommendedLists, genres: Sequence[Sequence[str]], k: int, alpha: float
) -> list[tuple[float, float, float]]:
    """Return alpha-nDCG, ERR-IA and subtopic recall of each user, item by item."""
    test = lists.fold.test
    found = []
    for user, row in zip(lists.users, lists.items, strict=True):
        own = test.items[(test.users == user) & (test.values >= lists.threshold)].tolist()
        topics = {genre for item in own for genre in genres[item]}
        listed = [int(item) for item in row[:k] if item >= 0]

        def gains(items: Sequence[int], own: Sequence[int] = own) -> list[float]:
            seen: dict[str, int] = {}
            result = []
            for item in items:
                gain = 0.0
                for genre in genres[item] if item in own else ():
                    gain += (1 - alpha) ** seen.get(genre, 0)
                    seen[genre] = seen.get(genre, 0) + 1
                result.append(gain)
            return result

        best: list[int] = []
        while len(best) < min(k, len(own)):
            rest = [item for item in sorted(own) if item not in best]
            best.append(max(rest, key=lambda item: gains([*best, item])[-1]))
        dcg, ideal = (
            sum(g / log2(r + 2) for r, g in enumerate(gains(items))) for items in (listed, best)
        )
        err = sum(g / (r + 1) for r, g in enumerate(gains(listed))) * alpha
        met = {genre for item in listed if item in own for genre in genres[item]}
        n = max(1, len(topics))
        found.append((dcg / ideal if ideal else 0.0, err / n, len(met) / n))
    return found


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_subtopic_metrics_are_those_of_their_definitions(seed: int, alpha: float) -> None:
    lists, genres = _random(seed)

    found = [
        AlphaNDCG(cutoff=4, feature="genre", alpha=alpha).per_user(lists),
        ExpectedReciprocalRankOfSubtopics(cutoff=4, feature="genre", stop=alpha).per_user(lists),
        SubtopicRecall(cutoff=4, feature="genre").per_user(lists),
    ]

    wanted = np.array(_subtopic_values(lists, genres, 4, alpha)).T
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


FIXTURE = json.loads((Path(__file__).parent / "subtopics_ndeval.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("alpha", FIXTURE["values"])
@pytest.mark.parametrize("k", [5, 10, 20])
def test_subtopic_metrics_have_the_values_of_ndeval(alpha: str, k: int) -> None:
    pairs = [(user, item) for user, own in FIXTURE["test"].items() for item in own]
    genres = FIXTURE["genres"]
    labels = {
        "alpha-nDCG": f"alpha_nDCG(alpha={alpha},feature=genre)@{k}",
        "ERR-IA": f"ERR_IA(feature=genre,normalisation=highest,stop={alpha})@{k}",
        "strec": f"SubtopicRecall(feature=genre)@{k}",
    }

    result = rv.evaluate_runs(
        {"user": [user for user, _ in pairs], "item": [item for _, item in pairs]},
        {"mine": FIXTURE["runs"]},
        metrics=list(labels.values()),
        depth="whole",
        item_features={"item": list(genres), "genre": ["|".join(own) for own in genres.values()]},
    )

    table = result.per_user().set_index("user")
    for theirs, ours in zip(labels, result.metrics, strict=True):
        # Users whose relevant items have no subtopic are not in their judgments.
        wanted = {u: own[f"{theirs}@{k}"] for u, own in FIXTURE["values"][alpha].items()}
        np.testing.assert_allclose(
            table[ours].loc[list(wanted)], list(wanted.values()), rtol=1e-12, atol=1e-12
        )


@pytest.mark.each("label", ["ILD@3", "alpha_nDCG@3", "Miscalibration@3"])
def test_a_metric_of_a_feature_says_that_it_needs_its_name(label: str) -> None:
    metric = parse_any(label)
    assert isinstance(metric, ListMetric)
    with pytest.raises(ValueError, match="needs the name of a feature"):
        metric.per_user(measured([0, 1, 2]))


def test_a_metric_of_an_unknown_feature_names_the_known_ones() -> None:
    lists = with_genres(measured([0, 1, 2]))
    with pytest.raises(ValueError, match="'year' of items, but the features are genre"):
        IntraListDiversity(cutoff=2, feature="year").per_user(lists)


@pytest.mark.each(
    ("label", "told"),
    [
        ("alpha_nDCG(alpha=1.5)@3", "alpha of alpha_nDCG is 1.5"),
        ("ERR_IA(stop=-1)@3", "stop of ERR_IA is -1"),
        ("Miscalibration(alpha=0)@3", "alpha of Miscalibration is 0"),
        ("ILD(distance=euclid)@3", "distance of ILD"),
    ],
)
def test_parameters_out_of_range_are_refused(label: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_any(label)
