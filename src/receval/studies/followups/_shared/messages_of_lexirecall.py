# SPDX-License-Identifier: MIT
"""What the figures of lexirecall say."""

from __future__ import annotations

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.statistics.multiple_comparisons import discriminative_power
from receval.storage.files import real_values
from receval.studies._shared.message import Message, in_a_row
from receval.studies.followups._shared.lexirecall_lists import LEXIRECALL

HALF = 50
"""Per cent of the test ratings, at which the figure of sparsity is read."""

READING = (
    "A line is Kendall's tau between the order of the systems by a metric {when} and its own order "
    "under the full test set: the higher, the more robust."
)


def under_sparsity(results: pd.DataFrame) -> Message:
    """Return the message of lexirecall with fewer ratings: it is the least robust."""
    taus = _at(results, HALF)
    others = taus.drop(LEXIRECALL)
    return Message(
        READING.format(when="with fewer test ratings"),
        f"Lexirecall loses its order sooner than the others when ratings are removed at random: "
        f"with half of them its tau is {two_decimals(taus[LEXIRECALL])}, that of the others "
        f"{two_decimals(others.min())} ({others.idxmin()}) to {two_decimals(others.max())}.",
        bool(taus[LEXIRECALL] < others.min()),
        claim="Lexirecall loses its order sooner than all others when ratings are removed at "
        "random.",
    )


def under_popularity(results: pd.DataFrame) -> Message:
    """Return the message of lexirecall without popular items: it is the most robust."""
    last = float(real_values(results["kept_percent"]).min())
    taus = _at(results, last)
    others = taus.drop(LEXIRECALL)
    return Message(
        READING.format(when="without the most popular items"),
        f"Lexirecall keeps its order longest when popular items are removed: with {last:g} % of "
        f"the items its tau is {two_decimals(taus[LEXIRECALL])}, that of the others at most "
        f"{two_decimals(others.max())} ({others.idxmax()}).",
        bool(taus[LEXIRECALL] > others.max()),
        claim="Lexirecall keeps its order longest when popular items are removed.",
    )


def of_p_values(results: pd.DataFrame) -> Message:
    """Return the message of p-values: those of lexirecall are smaller than those of recall."""
    p_values = pd.Series(real_values(results["p_value"]), index=results.index)
    sums = p_values.groupby(results["metric"], sort=False).agg(discriminative_power)
    recall = float(sums["Recall"])
    better = sums.index[sums < sums[LEXIRECALL]].tolist()
    beside = f", but more than those of {in_a_row(better)}" if better else ", the least of all"
    return Message(
        "A curve has the largest p-values among all pairs of systems under a metric: the sooner it "
        "falls, the more pairs the metric tells apart.",
        f"Lexirecall has smaller p-values than recall: they sum to "
        f"{two_decimals(sums[LEXIRECALL])}, those of recall to {two_decimals(recall)}"
        f"{beside}.",
        bool(sums[LEXIRECALL] < recall),
        claim="Lexirecall has smaller p-values than recall.",
    )


def _at(results: pd.DataFrame, level: float) -> pd.Series[float]:
    """Return the coefficients of all metrics at the level that is nearest to one."""
    levels = real_values(results["kept_percent"])
    nearest = min(set(levels.tolist()), key=lambda own: (abs(own - level), own))
    own = results[levels == nearest]
    return pd.Series(real_values(own["tau"]), index=own["metric"].tolist())
