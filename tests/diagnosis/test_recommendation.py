# SPDX-License-Identifier: MIT
"""The recommended experimental section follows from the measured numbers by its rules."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from receval.diagnosis.recommendation import (
    FEW_USERS,
    MANY_COLD,
    MOST_TESTABLE,
    MUCH_FUTURE,
    MUCH_POPULARITY,
    SAME_ORDER,
    DataFindings,
    advice_on_disliked_items,
    advice_on_judgments,
    advice_on_metrics,
    advice_on_popularity,
    advice_on_protocol,
    advice_on_relevance,
    advice_on_reporting,
    advice_on_split,
    advice_on_test,
    metrics_in_order,
    recommendation,
)

FOUND = DataFindings(
    users=6040,
    items=3706,
    ratings=1_000_209,
    density=0.0447,
    item_gini=0.63,
    testable_users=1.0,
    threshold=4.0,
    relevant_share=0.58,
    different_values=5,
    own_future=0.8,
    temporal_cold_users=0.1,
    temporal_cold_items=0.02,
    temporal_test_users=1500,
    random_all_items=0.0055,
    random_one_relevant=0.01,
    sampled_agreement=0.56,
    pop_ratio=24.3,
    popularity_share=0.73,
    sparsity_share=0.99,
    metrics=(("P@10", 0.5, 0.9), ("nDCG@10", 0.3, 0.95), ("nDCG@100", 0.4, 0.97)),
    equal_metrics=(),
    pairs=36,
    test_users=6040,
    precision="P@10",
    smallest_difference=0.0049,
    disliked_agreement=-0.56,
    unbiased_judgments=0,
    unbiased_agreement=None,
    unbiased_anti_agreement=None,
)


def test_ratings_are_split_by_time_where_a_random_split_knows_the_future() -> None:
    advice = advice_on_split(FOUND)
    assert "scope=all" in advice.sentence
    assert "80 % of the test ratings" in advice.reason
    assert "1,500 users" in advice.reason


@pytest.mark.each(
    "change",
    [
        {"temporal_cold_users": MANY_COLD + 0.01},
        {"temporal_test_users": FEW_USERS - 1},
        {"temporal_cold_users": None, "temporal_test_users": None},
    ],
)
def test_users_are_split_by_their_own_time_where_most_of_the_newest_ratings_are_cold(
    change: dict[str, float | None],
) -> None:
    advice = advice_on_split(replace(FOUND, **change))
    assert "scope=user" in advice.sentence
    assert "The future of other users is still in train" in advice.reason


@pytest.mark.parametrize("own_future", [None, MUCH_FUTURE / 2])
def test_splits_are_random_without_times_or_without_a_future_in_train(
    own_future: float | None,
) -> None:
    found = replace(FOUND, own_future=own_future)
    assert "user-ratio" in advice_on_split(found).sentence
    short = advice_on_split(replace(found, testable_users=0.5))
    assert "leave-out" in short.sentence
    assert "50 % of the users" in short.reason


@pytest.mark.each(
    ("change", "name"),
    [
        ({"temporal_cold_users": MANY_COLD}, "temporal"),
        ({"temporal_test_users": FEW_USERS}, "temporal"),
        ({"own_future": MUCH_FUTURE}, "temporal"),
        ({"own_future": None, "testable_users": MOST_TESTABLE}, "user-ratio"),
    ],
)
def test_limits_themselves_are_enough_for_a_split(change: dict[str, float], name: str) -> None:
    assert replace(FOUND, **change).recommended_split == name


def test_all_items_are_ranked_and_samples_are_said_to_change_the_order_or_not() -> None:
    assert "changes (Kendall's tau .56)" in advice_on_protocol(FOUND).reason
    same = advice_on_protocol(replace(FOUND, sampled_agreement=SAME_ORDER))
    assert "is nearly the same" in same.reason
    assert "no candidates are sampled" in same.sentence


def test_popularity_is_levelled_where_much_of_the_lead_of_pop_goes_with_it() -> None:
    assert "levelled" in advice_on_popularity(FOUND).sentence
    little = replace(FOUND, popularity_share=MUCH_POPULARITY - 0.05)
    assert "levelled" not in advice_on_popularity(little).sentence
    assert "20 %" in advice_on_popularity(little).reason
    # Where Pop is behind Random once levelled, the share is more than one.
    assert (
        "100 % of this factor" in advice_on_popularity(replace(FOUND, popularity_share=1.2)).reason
    )
    unknown = advice_on_popularity(replace(FOUND, popularity_share=None))
    assert "no lead, or no design" in unknown.reason


def test_the_threshold_is_told_with_the_share_of_what_reaches_it() -> None:
    assert advice_on_relevance(FOUND).sentence == "Test ratings of 4 or more are relevant."
    assert "58 %" in advice_on_relevance(FOUND).reason
    implicit = replace(FOUND, different_values=1, relevant_share=1.0)
    assert advice_on_relevance(implicit).sentence == "All test ratings are relevant."
    reason = advice_on_relevance(replace(FOUND, relevant_share=1.0)).reason
    assert reason == "All ratings are relevant."


def test_metrics_are_ordered_by_the_sum_of_both_ranks_and_then_by_power() -> None:
    # Ranks: P 2 + 2, nDCG@10 0 + 1, nDCG@100 1 + 0: the latter two are equal.
    assert [label for label, _, _ in metrics_in_order(FOUND.metrics)] == [
        "nDCG@10", "nDCG@100", "P@10",
    ]  # fmt: skip
    without = (("RR@10", 0.1, math.nan), ("P@10", 0.1, 0.2))
    assert metrics_in_order(without)[0][0] == "P@10"


def test_the_second_metric_is_of_another_kind_than_the_first() -> None:
    sentence = advice_on_metrics(FOUND).sentence
    assert sentence == "The main metric is nDCG@10; P@10 is reported beside it."


def test_no_metric_is_recommended_where_none_tells_systems_apart() -> None:
    tied = replace(FOUND, metrics=(("P@10", 30.0, 0.9), ("RR@10", 36.0, 0.2)))
    assert advice_on_metrics(tied).sentence.startswith("No metric is recommended")


def test_the_test_says_what_difference_it_can_find() -> None:
    advice = advice_on_test(FOUND)
    assert "Holm" in advice.sentence
    assert ".0049 in P@10" in advice.reason
    assert "over 1 user." in advice_on_test(replace(FOUND, test_users=1)).reason


def test_disliked_items_are_spoken_of_where_ratings_can_tell_them() -> None:
    assert advice_on_disliked_items(replace(FOUND, disliked_agreement=None)) is None
    agreeing = advice_on_disliked_items(replace(FOUND, disliked_agreement=1.0))
    assert agreeing is not None
    assert "not needed" in agreeing.sentence
    opposed = advice_on_disliked_items(FOUND)
    assert opposed is not None
    assert "nobody can say" in opposed.reason
    judged = advice_on_disliked_items(replace(FOUND, unbiased_judgments=100))
    assert judged is not None
    assert "which of the two metrics to trust" in judged.reason


def test_values_are_called_observed_unless_unbiased_judgments_confirm_them() -> None:
    assert "observed values" in advice_on_judgments(FOUND).sentence
    judged = replace(FOUND, unbiased_judgments=2984, unbiased_agreement=0.3)
    assert "2,984 judgments" in advice_on_judgments(judged).sentence
    assert "confirmed" not in advice_on_judgments(judged).sentence
    tied = advice_on_judgments(replace(judged, unbiased_agreement=float("nan")))
    assert "By the 2,984 judgments of items drawn at random, all systems" in tied.reason
    confirmed = replace(judged, unbiased_agreement=1.0, unbiased_anti_agreement=-0.5)
    assert "confirmed" in advice_on_judgments(confirmed).sentence
    assert "\N{MINUS SIGN}.50 by antiP@10" in advice_on_judgments(confirmed).reason


def test_sizes_are_reported_and_the_density_of_the_test_is_named() -> None:
    advice = advice_on_reporting(FOUND)
    assert "6,040 users, 3,706 items, 1,000,209 ratings" in advice.sentence
    assert "99 % of it were due to the density" in advice.reason
    assert (
        "density of the test" not in advice_on_reporting(replace(FOUND, sparsity_share=None)).reason
    )


def test_a_section_has_each_subject_once_and_every_sentence_a_reason() -> None:
    advice = recommendation(FOUND)
    subjects = [own.subject for own in advice]
    assert len(set(subjects)) == len(subjects) == 9
    assert all(own.sentence.endswith(".") and own.reason.endswith(".") for own in advice)
    implicit = replace(FOUND, disliked_agreement=None)
    assert len(recommendation(implicit)) == 8
