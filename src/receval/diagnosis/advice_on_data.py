# SPDX-License-Identifier: MIT
"""How to split ratings, which items to rank, what is relevant: rules and their reasons."""

from __future__ import annotations

from receval.diagnosis.advice import Advice, as_percent
from receval.diagnosis.findings import DataFindings
from receval.figures.printed_numbers import fixed, significant
from receval.storage.messages import how_many

MUCH_FUTURE = 0.05
"""Share of test ratings whose user's future trains, from which on a random split leaks."""

MANY_COLD = 0.5
"""Share of test ratings of users without training, above which a split of the whole dataset by
time tests systems on users whom they know nothing of."""

FEW_USERS = 200
"""Users who can be tested, below which a split by time of the whole dataset leaves too few."""

MOST_TESTABLE = 0.8
"""Share of users with enough ratings for a fifth of them to test, below which one of each tests."""

SAME_ORDER = 0.9
"""Kendall's tau from which on two orders of systems count as the same one."""

MUCH_POPULARITY = 0.25
"""Share of Pop's ratio that goes with popularity levelled, from which on this is reported, too."""


def recommended_split(
    testable_users: float,
    own_future: float | None,
    temporal_cold_users: float | None,
    temporal_test_users: int | None,
) -> str:
    """Return which split is recommended, by its name of :data:`.COMPARED_SPLITS`.

    By time where time is known and a random split leaks; else within users.

    ==================================================================  ========================
    data                                                                split
    ==================================================================  ========================
    no timestamps, or hardly any test rating has its user's future in   random, a fifth of each
    train (:data:`MUCH_FUTURE`)                                         user's ratings
    the same, but many users too short for it (:data:`MOST_TESTABLE`)   one rating of each user
    timestamps                                                          by time, of all ratings
    timestamps, but most of the test would be of users without          by time, of each user
    training (:data:`MANY_COLD`), or few users left (:data:`FEW_USERS`)
    ==================================================================  ========================

    Examples
    --------
    >>> recommended_split(1.0, None, None, None), recommended_split(1.0, 0.6, 0.1, 5000)
    ('user-ratio', 'temporal')
    """
    if own_future is None or own_future < MUCH_FUTURE:
        return "leave-out" if testable_users < MOST_TESTABLE else "user-ratio"
    cold, left = temporal_cold_users, temporal_test_users
    is_too_cold = cold is None or left is None or cold > MANY_COLD or left < FEW_USERS
    return "temporal, by user" if is_too_cold else "temporal"


def advice_on_split(found: DataFindings) -> Advice:
    """Tell the split that :func:`recommended_split` returns."""
    name = recommended_split(
        found.testable_users,
        found.own_future,
        found.temporal_cold_users,
        found.temporal_test_users,
    )
    if name in ("user-ratio", "leave-out"):
        why = (
            "there are no timestamps that order ratings, so that no split by time can be made and "
            "what systems know of the future stays unknown"
            if found.own_future is None
            else f"of {as_percent(found.own_future)} of the test ratings alone does the user's "
            "future train"
        )
        if name == "leave-out":
            return Advice(
                "Split",
                "One random rating of each user tests and all others train, in five repetitions "
                "(leave-out).",
                f"{_sentence(why)}; a fifth of the ratings would leave only "
                f"{as_percent(found.testable_users)} of the users with a test rating.",
            )
        return Advice(
            "Split",
            "A random fifth of each user's ratings tests and the others train, in five "
            "repetitions (user-ratio, train_ratio=0.8, folds=5).",
            f"{_sentence(why)}; {as_percent(found.testable_users)} of the users have a test "
            "rating.",
        )
    leak = (
        f"Under a random split {as_percent(found.own_future or 0.0)} of the test ratings are older "
        "than a training rating of the same user"
    )
    cold = found.temporal_cold_users
    left = found.temporal_test_users
    if name == "temporal, by user" or cold is None or left is None:
        measured = (
            "and no split of the whole dataset by time could be made"
            if cold is None or left is None
            else f"and by time for the dataset as a whole {as_percent(cold)} of them are of users "
            f"without training ratings, which leaves {how_many(left, 'user')}"
        )
        return Advice(
            "Split",
            "The last fifth of each user's ratings tests and those before train (temporal, "
            "scope=user).",
            f"{leak}, {measured}; other users' future still trains.",
        )
    items = found.temporal_cold_items or 0.0
    return Advice(
        "Split",
        "The newest fifth of all ratings tests and those before train (temporal, scope=all); users "
        "and items without training ratings are counted and reported.",
        f"{leak}; by time none are. Of the test ratings {as_percent(cold)} are then of users, and "
        f"{as_percent(items)} of items, without training ratings; {how_many(left, 'user')} "
        "with training ratings can be tested.",
    )


def advice_on_protocol(found: DataFindings) -> Advice:
    """Rank all items; whether samples would keep the order here is told as the reason."""
    same = found.sampled_agreement >= SAME_ORDER
    return Advice(
        "Protocol",
        "Systems rank all items that the user has not rated in train (AR AI-AN); no candidates are "
        "sampled.",
        "With sampled candidates (1R TI-NN) the order of the systems tried here "
        + (
            f"stays nearly as it is (Kendall's tau {fixed(found.sampled_agreement, 2)}), so that "
            "nothing is gained by them, and values are not comparable: "
            if same
            else f"changes (Kendall's tau {fixed(found.sampled_agreement, 2)}), and so do values: "
        )
        + f"Random's expected P@10 is {significant(found.random_all_items)} by all items and "
        f"{significant(found.random_one_relevant)} by samples.",
    )


def advice_on_popularity(found: DataFindings) -> Advice:
    """Ask for a design that levels popularity where much of Pop's lead goes with it."""
    share = found.popularity_share
    ratio = f"Pop has {significant(found.pop_ratio)} times the P@10 of Random (AR TI-AN)"
    if share is None:
        return Advice(
            "Popularity",
            "Popularity is a baseline among the systems.",
            f"{ratio}; there is no lead, or no design that levels popularity, to tell what of it "
            "is the number of an item's ratings.",
        )
    if share < MUCH_POPULARITY:
        return Advice(
            "Popularity",
            "Popularity is a baseline among the systems.",
            f"{ratio}, of which levelling popularity takes only {as_percent(max(share, 0.0))} on a "
            "logarithmic scale: other designs would tell little more.",
        )
    return Advice(
        "Popularity",
        "Results are also reported with popularity levelled (1R on a uniform test, or P1R), with "
        "popularity as a baseline in both.",
        f"{ratio}; on a logarithmic scale {as_percent(min(share, 1.0))} of this factor goes "
        "when all "
        "target items have as many test ratings, so that who recommends popular items is "
        f"ahead for that alone. The Gini coefficient of items is {fixed(found.item_gini, 2)}.",
    )


def advice_on_relevance(found: DataFindings) -> Advice:
    """Say from which value on ratings are relevant, and how many are."""
    if found.different_values == 1:
        return Advice(
            "Relevance",
            "All test ratings are relevant.",
            "All ratings have the same value: nothing tells liked from disliked items.",
        )
    return Advice(
        "Relevance",
        f"Test ratings of {found.threshold:g} or more are relevant.",
        f"{as_percent(found.relevant_share)} of the ratings are relevant, of "
        f"{found.different_values} different values; the others are judged and not relevant."
        if found.relevant_share < 1
        else "All ratings are relevant.",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
