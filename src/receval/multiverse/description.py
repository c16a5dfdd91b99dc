# SPDX-License-Identifier: MIT
"""Describe decisions in words: titles for figures and pages, and sentences for a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.multiverse.decisions import (
    BOOTSTRAP_SAMPLES,
    DECISIONS,
    GEOMETRIC_EPSILON,
    Configuration,
    MetricDecision,
)
from receval.splits.kinds import SelectionSpec

if TYPE_CHECKING:
    from receval.figures.specification_curve import Decision

NO_DIFFERENCE = "no significant difference"
"""The text for the verdict that no system wins."""

TITLES = {
    "selection": "Data selection",
    "split": "Train/test split",
    "users": "Users",
    "non_computable": "Items without score",
    "lists": "Lists",
    "metric": "Metric",
    "aggregation": "Aggregation",
    "coverage": "Coverage",
    "test": "Test",
}

_LEVELS = {
    "selection": {"all": "all ratings"},
    "users": {"trained": "with training ratings", "all": "all users"},
    "non_computable": {
        "none": "left out",
        "random": "random order",
        "popularity": "by popularity",
        "average": "by average rating",
    },
    "aggregation": {
        "test-weighted": "weighted by test ratings",
        "positive-weighted": "weighted by positive ratings",
        "geometric": "geometric mean",
    },
    "coverage": {"full": "full average", "reduced": "reduced average"},
    "test": {
        "t": "t-test",
        "t-log": "t-test of logs",
        "sign": "sign test",
        "wilcoxon": "Wilcoxon",
        "bootstrap": "bootstrap share",
    },
}

_METRICS = {"tau": "Kendall's tau"}

_GAINS = {"g1": "binary gain", "g2": "exponential gain"}

_SELECTION = {
    "share": "{} of the ratings",
    "headless": "without the top {} of items",
    "users": "users with {}+ ratings",
    "items": "items with {}+ ratings",
    "users, items": "users, items with {}+ ratings",
}


_OF_SPLIT = {"random": "", "user": ", by user", "time": ", by time"}


def decision_title(decision: str) -> str:
    """Return the title of a decision with the paper's label, such as ``A1 Data selection``."""
    return f"{DECISIONS[decision]} {TITLES[decision]}"


def level_title(decision: str, level: str) -> str:
    """Return the title of a level, given its short words in a CSV file."""
    if decision == "selection" and level != "all":
        words = [word.partition("-") for word in level.split("+")]
        if {kind for kind, *_ in words} >= {"users", "items"} and words[-1][2] == words[-2][2]:
            words = [*words[:-2], ("users, items", "-", words[-1][2])]
        return ", ".join(_selection(kind, number) for kind, _, number in words)
    if decision == "split":
        if level == "own":
            return "one's own split"
        kind, _, share = level.partition("-")
        ratio = share.removeprefix("0")
        return f"{ratio} for training{_OF_SPLIT[kind]}"
    if decision == "metric":
        name, _, rest = level.partition("-")
        details = re.sub(r"-?phi0?", ", phi = ", rest).removeprefix(", ")
        for gain, title in _GAINS.items():
            details = details.replace(gain, title)
        return ", ".join(filter(None, (_METRICS.get(name, name), details)))
    return _LEVELS.get(decision, {}).get(level, level)


def decisions_of(universes: pd.DataFrame, names: Sequence[str]) -> list[Decision]:
    """Return the level of each decision in each universe, with levels in order of appearance.

    Decisions that are the same in all universes are left out.
    """
    # Imported late: sentences do not need the drawing code.
    from receval.figures.specification_curve import Decision

    found = []
    for name in names:
        codes, levels = pd.factorize(universes[name].astype(str))
        if len(levels) > 1:
            titles = tuple(level_title(name, level) for level in levels)
            found.append(Decision(decision_title(name), titles, np.asarray(codes)))
    return found


def _selection(kind: str, number: str) -> str:
    if kind in ("share", "headless"):
        percent = f"{100 * float(number):.10f}".rstrip("0").rstrip(".").removeprefix("0")
        number = "half" if kind == "share" and percent == "50" else f"{percent} %"
    return _SELECTION[kind].format(number)


def describe(configuration: Configuration, threshold: float = 4.0) -> str:
    """Describe all decisions of a configuration in one sentence, from data selection to the test.

    The order is that of Cañamares et al. (2020), section 3. Ratings from the threshold on are
    relevant.

    Examples
    --------
    >>> from receval.multiverse import Configuration, describe
    >>> print(describe(Configuration()))
    We use all ratings, put each into Train with probability 0.5 and otherwise into Test, leave out
    users without training ratings, ...
    """
    selected = _selected(configuration.selection)
    clauses = [
        *selected,
        _split(configuration, selected),
        {
            "trained": "leave out users without training ratings",
            "all": "keep users without training ratings",
        }[configuration.users],
        {
            "none": "do not rank items that a system cannot score",
            "random": "rank items that a system cannot score behind the others in random order",
            "popularity": (
                "rank items that a system cannot score behind the others by their number of "
                "training ratings"
            ),
            "average": (
                "rank items that a system cannot score behind the others by their average "
                "training rating"
            ),
        }[configuration.non_computable],
        {
            "full": (
                "rank all other items outside the user's training ratings and count unrated ones "
                "as non-relevant"
                if configuration.non_computable == "none"
                else "rank all items outside the user's training ratings and count unrated ones as "
                "non-relevant"
            ),
            "condensed": "condense the rankings to the user's test items",
        }[configuration.lists],
        f"measure {_metric(configuration.metric, threshold)}",
        _average(configuration, threshold),
        f"compare systems by {_test(configuration)}",
    ]
    return f"We {', '.join(clauses[:-1])}, and {clauses[-1]}."


def _selected(selection: SelectionSpec) -> list[str]:
    """Return the steps of a selection, in the order in which they are applied."""
    part = "all" if selection.share is None else f"a random {100 * selection.share:.12g}% of the"
    removed = []
    if selection.head_removed is not None:
        removed.append(f"remove the {100 * selection.head_removed:.12g}% most rated items")
    few = [
        f"{side}s with fewer than {number} ratings"
        for side, number in (
            ("user", selection.min_user_ratings),
            ("item", selection.min_item_ratings),
        )
        if number > 1
    ]
    if few:
        removed.append(f"remove {' and '.join(few)}, repeatedly, until none of these is left")
    return [f"{'start from' if removed else 'use'} {part} ratings", *removed]


def _split(configuration: Configuration, selected: list[str]) -> str:
    share = configuration.split.train_ratio
    if configuration.split.kind == "random":
        each = "each" if len(selected) == 1 else "each rating that is left"
        return f"put {each} into Train with probability {share:.12g} and otherwise into Test"
    ratings = "ratings" if len(selected) == 1 else "ratings that are left"
    if configuration.split.kind == "own":
        return f"put the {ratings} into Train and Test as in one's own split"
    if configuration.split.kind == "time":
        earliest = f"{100 * share:.12g}% of the {ratings}"
        return f"put the earliest {earliest} into Train and the rest into Test"
    return (
        f"put a random {100 * share:.12g}% of each user's {ratings} into Train and the rest into "
        "Test"
    )


def _metric(metric: MetricDecision, threshold: float) -> str:
    name = metric.name + (f"@{metric.depth}" if metric.depth else "")
    relevant = _relevant(threshold)
    gain = {
        "g1": f"gain 1 for {relevant} and 0 for others",
        "g2": "gain (2^(r-1) - 1) / (2^(r_max-1) - 1) for a rating r",
        None: "",
    }[metric.gain]
    going_on = f"phi = {metric.phi}" if metric.phi is not None else ""
    if metric.name == "P":
        return f"{name} with {relevant} as relevant"
    if metric.name == "tau":
        return f"Kendall's {name} with the order of the test ratings"
    if metric.name == "RBO":
        return f"{name} ({going_on}) with the order of the test ratings"
    if metric.name == "RBP":
        return f"{name} with {gain} ({going_on}), and its residual"
    return f"{name} with {gain}"


def _relevant(threshold: float) -> str:
    # Thresholds have single precision, as ratings have: .7 would have more digits.
    return f"ratings of at least {threshold:.7g}"


def _average(configuration: Configuration, threshold: float) -> str:
    words = {
        "mean": "take its mean",
        "median": "take its median",
        "test-weighted": "take its mean weighted by the users' numbers of test ratings",
        "positive-weighted": (
            f"take its mean weighted by the users' numbers of test {_relevant(threshold)}"
        ),
        "geometric": (
            f"take its epsilon-adjusted geometric mean (epsilon = {GEOMETRIC_EPSILON:g})"
        ),
    }[configuration.aggregation]
    if configuration.coverage == "reduced":
        return f"{words} over those of these users who get a recommendation"
    users = "these users" if configuration.users == "trained" else "users"
    return (
        f"{words} over all {users} with test ratings, counting 0 for those without a recommendation"
    )


def _test(configuration: Configuration) -> str:
    """Describe the test; under the reduced average, it compares the users whom both cover."""
    users = "users" if configuration.coverage == "full" else "the users who get one from both"
    aggregation = configuration.aggregation
    if aggregation == "median":
        inner = "sign test"
    elif aggregation == "geometric":
        inner = "paired t-test of the logarithms"
    else:
        inner = "paired t-test" + (" of the weighted values" if "weighted" in aggregation else "")
    return {
        "t": f"a two-tailed {inner} over {users}",
        "t-log": f"a two-tailed {inner} over {users}",
        "sign": f"a two-tailed sign test over {users}",
        "wilcoxon": f"Wilcoxon's signed-rank test over {users}",
        "bootstrap": (
            f"the share of {BOOTSTRAP_SAMPLES} bootstrap samples of {users} in which a two-tailed "
            f"{inner} rejects at .05"
        ),
    }[configuration.test]
