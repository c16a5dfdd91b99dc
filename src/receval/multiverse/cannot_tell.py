# SPDX-License-Identifier: MIT
"""Find universes that cannot tell any systems apart: no order matters, or too few users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from receval.metrics.lists import JudgedLists
from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.multiverse.exploration import Pair, Universes
from receval.multiverse.verdicts import CANNOT_TELL
from receval.notes import Note
from receval.statistics.pairs import LEVEL
from receval.storage.messages import how_many

REASONS = {
    "no order": "every order has the same value for every user, because all test items of "
    "condensed lists are relevant, or because no list is longer than the cut-off, so only the "
    "choice of items with a score is measured",
    "few users": "too few users can have different values for the test to reach the level .05, "
    "however much they differ",
}
"""Explanations of the values of the column ``reason``."""

_WITHOUT_GAIN = 1.0
"""The rating whose exponential gain is that of unjudged items."""


def users_whose_order_counts(
    lists: Sequence[JudgedLists], configuration: Configuration
) -> NDArray[np.bool_]:
    """Return the users for whom another order of the same candidates could change the value.

    For condensed lists with a binary gain, these are users with a relevant and a non-relevant test
    item; with grades, and for RBO and tau, users with two different ratings. In full lists,
    unjudged items have no gain. For P, the list must also be longer than the cut-off.
    """
    judged = lists[0].full.judged
    n_judged, n_relevant = judged.n_judged, judged.n_relevant
    is_condensed = configuration.lists == "condensed"
    # Systems may score only some candidates, so the longest list is used.
    lengths = np.max([own.full.lengths for own in lists], axis=0)
    sizes = n_judged if is_condensed else np.maximum(lengths, n_judged)
    metric = configuration.metric
    if metric.name in ("RBO", "tau") or metric.gain == "g2":
        lowest, highest = (np.zeros(len(n_judged)) for _ in range(2))
        rows = np.flatnonzero(n_judged > 0)
        starts = judged.starts[rows]
        # No gain is below that of unjudged items.
        values = np.maximum(judged.values, _WITHOUT_GAIN) if metric.gain == "g2" else judged.values
        if len(rows):
            lowest[rows] = np.minimum.reduceat(values, starts)
            highest[rows] = np.maximum.reduceat(values, starts)
        if not is_condensed:
            has_unjudged = sizes > n_judged
            lowest = np.where(has_unjudged, np.minimum(lowest, _WITHOUT_GAIN), lowest)
            highest = np.where(has_unjudged, np.maximum(highest, _WITHOUT_GAIN), highest)
        counts: NDArray[np.bool_] = (n_judged > 0) & (lowest < highest)
        if metric.name == "nDCG":
            # It is 0 if the ideal list has no gain.
            counts &= highest > _WITHOUT_GAIN
    else:
        counts = (n_relevant > 0) & (n_relevant < sizes)
    if metric.name == "P":
        # Without a cut-off the whole list counts.
        counts &= sizes > (metric.depth or np.inf)
    return counts


def fewest_users(n_users: int, configuration: Configuration) -> int:
    r"""Return the number of users whose values must differ for a test to reach the level .05.

    The p-value of the sign test and of Wilcoxon's is at least :math:`2 \cdot 2^{-k}` with k
    differences other than 0. The t statistic of k equal differences among n users is :math:`\sqrt{k
    (n - 1) / (n - k)}`, and less with unequal ones. The bootstrap repeats these tests.
    """
    is_by_sign = configuration.test in ("sign", "wilcoxon")
    if is_by_sign or (configuration.test == "bootstrap" and configuration.aggregation == "median"):
        return int(np.floor(1 - np.log2(LEVEL))) + 1
    critical = float(stdtrit(n_users - 1, 1 - LEVEL / 2)) ** 2
    least = int(np.floor(critical * n_users / (n_users - 1 + critical))) + 1
    return min(least, n_users)


def with_universes_that_cannot_tell(
    found: pd.DataFrame,
    configurations: Sequence[Configuration],
    universes: Universes,
    pairs: Sequence[Pair],
) -> pd.DataFrame:
    """Set the verdict :data:`CANNOT_TELL` where universes of one split cannot tell systems apart.

    The column ``reason`` is added: a key of :data:`REASONS` or empty.
    """
    systems = list(dict.fromkeys(name for pair in pairs for name in pair))
    lists: dict[str, dict[str, JudgedLists]] = {}
    known: dict[tuple[object, ...], tuple[int, int]] = {}
    reasons: dict[tuple[str, ...], str] = {}
    for each in configurations:
        if each.non_computable not in lists:
            lists[each.non_computable] = {name: universes.lists(each, name) for name in systems}
        own = lists[each.non_computable]
        for pair in pairs:
            key = (pair, each.non_computable, each.lists, each.metric, each.users, each.coverage)
            if key not in known:
                both = [own[name] for name in pair]
                compared = both[0].full.n_judged > 0
                if each.users == "trained":
                    compared = compared & universes.has_train(each)
                if each.coverage == "reduced":
                    for one in both:
                        compared = compared & (one.listed(each.lists == "condensed") > 0)
                counts = compared & users_whose_order_counts(both, each)
                known[key] = int(compared.sum()), int(counts.sum())
            n_users, n_counting = known[key]
            if not n_counting:
                reason = "no order"
            else:
                reason = "few users" if n_counting < fewest_users(n_users, each) else ""
            reasons[*pair, *each.levels.values()] = reason
    keys = found[["first", "second", *DECISION_NAMES]].itertuples(index=False, name=None)
    column = [reasons[tuple(map(str, key))] for key in keys]
    is_untold = np.array([bool(reason) for reason in column])
    return found.assign(verdict=found["verdict"].mask(is_untold, CANNOT_TELL), reason=column)


def counts_of_reasons(universes: pd.DataFrame) -> dict[str, int]:
    """Return the number of universes that cannot tell systems apart, by reason."""
    counts = universes["reason"].value_counts() if "reason" in universes else {}
    return {reason: int(counts.get(reason, 0)) for reason in REASONS}


def notes_on_universes(universes: pd.DataFrame) -> tuple[Note, ...]:
    """Return notes on universes that are not counted, and why; empty if all are counted."""
    total, counts = len(universes), counts_of_reasons(universes)
    return tuple(
        Note(
            "cannot-tell",
            f"{count:,} of {how_many(total, 'comparison')} cannot tell and are not counted in any "
            f"share: {REASONS[reason]}.",
        )
        for reason, count in counts.items()
        if count
    )
