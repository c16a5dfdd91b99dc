# SPDX-License-Identifier: MIT
"""Configurations in words: one sentence that says every decision."""

from __future__ import annotations

import re

import numpy as np
import pytest
from multiverse.test_decisions import CHANGES, changed

from receval.multiverse import describe
from receval.multiverse.decisions import Configuration

DECIDED = [
    Configuration(),
    *map(changed, CHANGES),
    changed({"selection": {"share": 0.5, "head_removed": 0.05, "min_user_ratings": 20}}),
    changed({"split": {"kind": "user", "train_ratio": 0.1234567}}),
]


def test_the_starting_configuration_in_words() -> None:
    assert describe(Configuration()) == (
        "We use all ratings, put each into Train with probability 0.5 and otherwise into Test, "
        "leave out users without training ratings, do not rank items that a system cannot score, "
        "rank all other items outside the user's training ratings and count unrated ones as "
        "non-relevant, measure nDCG@10 with gain 1 for ratings of at least 4 and 0 for others, "
        "take its mean over all these users with test ratings, counting 0 for those without a "
        "recommendation, and compare systems by a two-tailed paired t-test over users."
    )


def test_every_level_of_a_decision_has_other_words() -> None:
    assert len({describe(configuration) for configuration in DECIDED}) == len(DECIDED)


@pytest.mark.each("configuration", DECIDED, ids=lambda c: c.name)
def test_a_description_is_one_sentence(configuration: Configuration) -> None:
    sentence = describe(configuration)
    assert re.fullmatch(r"We [^\n]*[^.\s]\.", sentence)
    # A full stop is the last character, or one of decimals.
    assert re.findall(r"\.(?!\d)", sentence) == ["."]
    assert ", and compare systems by " in sentence
    assert not re.search(r"  |,,|None|\bnan\b", sentence)


def test_threshold_ratio_metric_and_test_are_told() -> None:
    decisions = {"split": {"train_ratio": 0.8}, "metric": {"name": "P", "depth": 5}, "test": "sign"}
    sentence = describe(changed(decisions), threshold=float(np.float32(3.7)))
    for words in ("probability 0.8", "P@5 with ratings of at least 3.7 as", "two-tailed sign test"):
        assert words in sentence


def test_weights_by_positives_say_what_is_positive_where_the_metric_does_not() -> None:
    decisions = {"metric": {"gain": "g2"}, "aggregation": "positive-weighted"}
    sentence = describe(changed(decisions), threshold=3)
    assert "weighted by the users' numbers of test ratings of at least 3 over all" in sentence
    assert sentence.endswith("a two-tailed paired t-test of the weighted values over users.")


def test_a_selection_is_told_in_the_order_of_its_steps() -> None:
    selection = {"share": 0.5, "head_removed": 0.07, "min_user_ratings": 20, "min_item_ratings": 10}
    assert describe(changed({"selection": selection})).startswith(
        "We start from a random 50% of the ratings, remove the 7% most rated items, remove users "
        "with fewer than 20 ratings and items with fewer than 10 ratings, repeatedly, until none "
        "of these is left, put each rating that is left into Train with probability 0.5 and "
        "otherwise into Test, "
    )


def test_the_reduced_average_is_tested_on_the_users_of_both_systems() -> None:
    assert describe(changed({"coverage": "reduced"})).endswith(
        "take its mean over those of these users who get a recommendation, and compare systems by "
        "a two-tailed paired t-test over the users who get one from both."
    )


@pytest.mark.each(
    ("aggregation", "inner"),
    [
        ("mean", "paired t-test rejects"),
        ("median", "sign test rejects"),
        ("test-weighted", "paired t-test of the weighted values rejects"),
        ("positive-weighted", "paired t-test of the weighted values rejects"),
        ("geometric", "paired t-test of the logarithms rejects"),
    ],
)
def test_the_bootstrap_says_which_test_it_repeats(aggregation: str, inner: str) -> None:
    assert describe(changed({"aggregation": aggregation, "test": "bootstrap"})).endswith(
        f"the share of 200 bootstrap samples of users in which a two-tailed {inner} at .05."
    )
