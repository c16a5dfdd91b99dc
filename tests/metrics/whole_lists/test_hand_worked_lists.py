# SPDX-License-Identifier: MIT
"""Metrics of whole lists on lists small enough to compute by hand, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from math import log2, sqrt

import numpy as np
import pytest
from metrics.whole_lists.made_lists import measured
from scipy.sparse import csr_array

from receval.metrics.aliases import any_metric
from receval.metrics.registry import parse_any
from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers, RecommendedLists
from receval.metrics.whole_lists.popularity import popularity_groups

# Items 0 to 4 have 4, 2, 1, 1 and 0 of 8 training ratings of 4 users.
TRAIN = [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (0, 2), (1, 3)]
SECOND = 1 / log2(3)  # the attention of rank 2


def _lists(*lists: list[int], **options: object) -> RecommendedLists:
    own = [*lists, *([[]] * (4 - len(lists)))]
    whole = measured(*own, n_items=5, train=TRAIN, **options)
    return replace(whole, lists=whole.lists.of_users(np.arange(len(lists))))


def _values(label: str, lists: RecommendedLists) -> list[float]:
    metric = parse_any(label)
    assert isinstance(metric, ListMetric)
    if isinstance(metric, MetricOfAllUsers):
        return [metric.of_all(lists.cut(metric.cutoff or 0))]
    return metric.per_user(lists).tolist()


@pytest.mark.each(
    ("label", "values"),
    [
        ("ARP(unit=share)@2", [0.25, 2.5 / 8, 0.0]),
        # Among the four rated items, 4 has the rank 4, 2 the rank 3, and 1 the mean rank 1.5.
        ("ARP(unit=quantile)@2", [0.5, (1 + 1.5 / 4) / 2, 0.0]),
        ("APLT(by=items,head=0.5)@2", [0.5, 0.5, 0.0]),
        ("APLT(by=count,head=1)@2", [0.5, 0.5, 0.0]),
        ("EPC@2", [0.5, 0.375, 0.0]),
    ],
)
def test_popularity_and_novelty_of_lists(label: str, values: list[float]) -> None:
    assert _values(label, _lists([0, 4], [3, 0], [])) == pytest.approx(values)


def test_unexpected_items_are_those_that_the_most_popular_items_lack() -> None:
    # User 3 rated item 0, so items 1 and 2 are the most popular ones that it can get.
    lists = _lists([1], [2], [1], [3, 1], test=[(3, 3, 1.0)])

    assert _values("Unexpectedness@2", lists)[3] == 0.5
    assert _values("Serendipity@2", lists)[3] == 0.5
    assert _values("Unexpectedness(primitive=3)@2", lists)[3] == 0.0
    assert _values("Serendipity@2", lists)[0] == 0.0


def test_serendipity_by_ranks_is_how_far_relevant_items_stand_above_their_popularity() -> None:
    # Popularity ranks of items 0 to 3: 1, 2, 3, 3; item 4 has no rating, and so the rank 6.
    lists = _lists([4, 0], [3, 2], test=[(0, 4, 1.0), (0, 0, 1.0), (1, 2, 1.0)])

    assert _values("Serendipity(form=ranks)@2", lists) == pytest.approx([(5 / 5) / 2, (1 / 5) / 2])


@pytest.mark.each(
    ("label", "value"),
    [
        # Item 0 has the gain 2^2 - 1 and 0, item 1 the gain 0, and item 2 the gain 2^1 - 1.
        ("ItemMAD(feature=kind)@2", 1.5 - (0 + 1) / 2),
        ("ItemMAD(feature=kind,gain=exp-steps-from-0)@2", (63 / 2) - 31 / 2),
        ("ItemMAD(feature=kind,gain=binary)@2", 0.5 - 0.5),
        # Scores of hits alone: item 0 has 2, and item 2 has 1.
        ("ItemMAD(feature=kind,gain=score,over=hits)@2", 2 - 1),
    ],
)
def test_deviations_of_groups_of_items_are_differences_of_their_mean_gains(
    label: str, value: float
) -> None:
    test = [(0, 0, 5.0), (1, 2, 4.0), (1, 0, 1.0), (2, 3, 1.0)]
    lists = measured([0, 1], [0, 2], [1, 2], n_items=4, test=test, threshold=4.0)
    kinds = np.array([[1, 0], [0, 1], [0, 1], [0, 0]])

    assert _values(label, replace(lists, item_features={"kind": csr_array(kinds)})) == [value]


def test_popularity_lift_of_a_taste_counts_its_users_alone() -> None:
    train = [(user, item) for user in range(5) for item in range(5) if user == item or item == 0]
    train = [pair for pair in train if pair != (4, 0)]
    # Item 0 has 4 ratings and is the popular one. User 4 has none of it, and user 0 only it.
    lists = measured([0], [0], [0], [0], [0], n_items=5, train=train)

    assert _values("PopularityLift(group=niche)@1", lists) == pytest.approx([3.0])
    assert _values("PopularityLift(group=blockbuster)@1", lists) == pytest.approx([0.0])
    assert _values("PopularityLift(group=diverse)@1", lists) == pytest.approx([(12 - 7.5) / 7.5])


def test_popularity_is_miscalibrated_by_the_distance_of_shares_of_head_middle_and_tail() -> None:
    # Item 0 is the head, items 1 and 2 the middle; users 2 and 3 rated only item 0.
    lists = _lists([1], [0, 1], [0], [3])

    values = _values("PopularityMiscalibration@2", lists)
    divergences = _values("PopularityMiscalibration(form=divergence)@2", lists)

    assert values[2:] == [0.0, 1.0]
    # User 1 has thirds of head, middle and tail, and a list of head and middle.
    middle = (5 / 12, 5 / 12, 1 / 6)
    expected = sum(log2(1 / 3 / m) / 6 for m in middle) + sum(log2(0.5 / m) / 4 for m in middle[:2])
    assert divergences[1] == pytest.approx(expected)
    assert values[1] == pytest.approx(sqrt(expected))


@pytest.mark.each(
    ("label", "value"),
    [
        # Items are in 2, 1, 1 and 0 lists.
        ("ShannonEntropy(base=items)@2", 0.75),
        ("LeastRecommendedShare(share=0.5)@2", 0.25),
        ("ExposureGini(discount=none)@2", 0.375),
        # Between 2/4 and 1, which is possible with 4 recommendations of 4 items.
        ("Jain(corrected=true)@2", 1 / 3),
        ("FSat(corrected=true)@2", 0.5),
    ],
)
def test_evenness_of_recommendations(label: str, value: float) -> None:
    lists = measured([0, 1], [0, 2], n_items=4)

    assert _values(label, lists) == pytest.approx([value])


@pytest.mark.each("metric", ["ItemCoverage", "ShannonEntropy", "Jain", "FSat", "Gini"])
@pytest.mark.each(
    ("n_users", "n_items", "k"), [(4, 3, 1), (5, 4, 2), (7, 5, 3), (2, 5, 2), (3, 3, 2)]
)
def test_corrected_metrics_are_at_their_ends_for_the_most_and_least_equal_lists(
    metric: str, n_users: int, n_items: int, k: int
) -> None:
    own = [[(user * k + place) % n_items for place in range(k)] for user in range(n_users)]
    equal, same = (measured(*lists, n_items=n_items) for lists in (own, [range(k)] * n_users))
    label = f"{metric}(corrected=true)@{k}"
    # The Gini index is of inequality.
    best, worst = (0.0, 1.0) if metric == "Gini" else (1.0, 0.0)
    assert _values(label, equal) == pytest.approx([best], abs=1e-12)
    if metric != "FSat" or n_users * k >= n_items:  # A share of less than one is reached by all.
        assert _values(label, same) == pytest.approx([worst], abs=1e-12)


def _with_kinds(*lists: list[int], test: list[tuple[int, int, float]]) -> RecommendedLists:
    """Return lists of four items, of which the first two are of one kind, and the last of both."""
    kinds = csr_array(np.array([[1, 0], [1, 0], [0, 1], [1, 1]]))
    return replace(measured(*lists, n_items=4, test=test), item_features={"kind": kinds})


def test_attention_of_groups_is_compared_with_the_candidates() -> None:
    lists = _with_kinds([0, 2], [3], [], test=[])

    values = _values("AWRF(feature=kind)@2", lists)

    # Of the candidates, 2.5 of 4 are of the first kind; an item of both counts half for each.
    assert values == pytest.approx([abs(1 / (1 + SECOND) - 0.625), 0.125, 1.0])
    assert _values("AWRF(feature=kind,target=equal)@2", lists)[1] == 0.0


def test_expected_exposure_of_single_items() -> None:
    # The only relevant item should have the exposure 1, and the other three .5 / 3 each.
    lists = _with_kinds([0, 1], test=[(0, 1, 1.0)])

    assert _values("EED@2", lists) == pytest.approx([1.25])
    assert _values("EER@2", lists) == pytest.approx([0.5 / 3 + 0.5])
    assert _values("EEL@2", lists) == pytest.approx([(5 / 6) ** 2 + 0.5**2 + 2 / 36])


@pytest.mark.each(
    ("by", "head", "tail", "groups"),
    [
        ("ratings", 0.4, 0.2, [0, 2, 1, 2, 2]),
        ("ratings", 0.5, 0.5, [0, 2, 0, 2, 2]),
        ("items", 0.25, 0.25, [0, 2, 1, 1, 2]),
        ("count", 4, 1, [0, 2, 1, 2, 2]),
    ],
)
def test_items_are_grouped_by_popularity(
    by: str, head: float, tail: float, groups: list[int]
) -> None:
    counts = np.array([5, 1, 4, 1, 0])

    assert popularity_groups(counts, head, tail, by).tolist() == groups


@pytest.mark.each(
    ("label", "why"),
    [
        ("APLT(head=1.5)@10", "must lie between 0 and 1"),
        ("APLT(by=count,head=-1)@10", "at least 0"),
        ("MiddleShare(head=0.7,tail=0.7)@10", "more than 1 together"),
        ("MiddleShare(by=count,head=2,tail=5)@10", "at least the tail"),
        ("EFD(discount=rbp,phi=1)@10", "phi of EFD is 1"),
        ("LeastRecommendedShare(share=0)@10", "between 0 and 1"),
        ("Unexpectedness(primitive=0)@10", "at least 1"),
        ("ARP(unit=stars)@10", "must be one of ratings, share, quantile"),
    ],
)
def test_impossible_parameters_are_refused(label: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_any(label)


@pytest.mark.each("name", ["AWRF", "EEL", "RSP", "REO"])
def test_an_unknown_feature_of_items_is_refused(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"groups of items by 'colour'.*There are kind, popularity"
    ):
        _values(f"{name}(feature=colour)@1", _with_kinds([0], test=[]))


@pytest.mark.each("label", ["ARP@1", "APLT@1", "EPC@1", "PopularityLift@1", "RSP@1"])
def test_metrics_of_training_ratings_are_refused_without_any(label: str) -> None:
    metric = parse_any(label)
    assert isinstance(metric, ListMetric)

    with pytest.raises(ValueError, match=r"training ratings, but there are none\. Give"):
        metric.per_user(measured([0], [1], n_items=3))


@pytest.mark.each(
    ("name", "label"),
    [
        ("Average Popularity@10", "ARP@10"),
        ("MIUF@5", "SelfInformation@5"),
        ("PopREO@10", "REO@10"),
        ("UPD@10", "PopularityMiscalibration(form=divergence)@10"),
        ("EE-L@10", "EEL@10"),
        ("Gini-w@10", "ExposureGini@10"),
    ],
)
def test_names_of_other_tools_and_papers_are_found(name: str, label: str) -> None:
    assert any_metric(name).label == label


def test_ifd_and_hd_are_those_of_the_released_code() -> None:
    orders = ([0, 1, 2, 3, 4], [2, 0, 1, 3, 4], [1, 3, 0, 2, 4], [3, 2, 0, 1, 4])
    liked = [(0, 1, 1.0), (0, 4, 1.0), (1, 2, 1.0), (2, 4, 1.0), (3, 3, 1.0)]
    values = _values("IFD(form=ratio)@5", measured(*orders, n_items=5, test=liked))
    assert values == pytest.approx([(SECOND - 1 / log2(6)) / 4, 0.0, 0.0, 0.0])
    assert np.mean(values) == pytest.approx(0.015254809146057244, rel=1e-14)
    # With one relevant item for each user nothing hangs on how its sort orders equal ones.
    liked = [(0, 1, 1.0), (1, 2, 1.0), (2, 4, 1.0), (3, 1, 1.0)]
    (value,) = _values("HD@3", measured(*orders, n_items=5, test=liked))
    assert value == pytest.approx(0.20710678118654752, rel=1e-14)


def test_attention_that_falls_to_0_needs_two_ranks() -> None:
    with pytest.raises(ValueError, match="IAA@1 is not defined"):
        parse_any("IAA@1")
