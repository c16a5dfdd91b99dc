"""What the figures of valcarce2018 say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.statistics.correlation import kendall_tau_b
from receval.studies._shared.message import Message
from receval.studies.metric_studies.message_parts import (
    MAP_READING,
    P_VALUE_READING,
    STABILITY_READING,
    Said,
    ahead,
    all_above,
    at_level,
    behind,
    both,
    mean_agreement,
    message,
    numbers_of,
    power,
    taus,
)

GROWS = 0.7
"""Kendall's tau with the cut-off from which on we say that something grows with it."""

DEEP = 50
"""The paper's deeper cut-offs are those above."""


def cut_offs_agree(results: pd.DataFrame) -> Message:
    """Figure 1: the smallest cut-off of nDCG differs most from the others."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = mean_agreement(rows)
        smallest = min(means.index, key=_cut_off)
        return behind(means, [smallest])

    claim = (
        "The smallest cut-off of nDCG orders the systems least like the others, by its mean tau "
        "with them"
    )
    return message(results, MAP_READING, claim, say)


def deeper_is_more_robust(results: pd.DataFrame) -> Message:
    """Figures 2 and 3: robustness grows with the cut-off of nDCG."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = taus(rows).mean()
        by_depth = means[sorted(means.index, key=_cut_off)]
        depths = [[float(_cut_off(name)) for name in by_depth.index]]
        growth = float(kendall_tau_b(depths, [by_depth.to_numpy()]).item())
        ends = [by_depth.index[0], by_depth.index[-1]]
        said = f"mean tau {numbers_of(by_depth, ends)}; tau with the cut-off {two_decimals(growth)}"
        return said, growth >= GROWS and by_depth.iloc[0] == by_depth.min()

    reading = STABILITY_READING.format(kept="fewer judgments")
    return message(results, reading, "The deeper the cut-off of nDCG, the more robust it is", say)


def deeper_tells_more_apart(results: pd.DataFrame) -> Message:
    """Figure 4: cut-offs above 50 have more discriminative power than the others."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        values = power(rows)
        deep = [name for name in values.index if _cut_off(name) > DEEP]
        return behind(values, deep, "these")

    claim = (
        f"nDCG tells more pairs of systems apart with cut-offs above {DEEP}: its sums of p-values"
    )
    return message(results, P_VALUE_READING, claim, say)


def agreement_of_seven(results: pd.DataFrame) -> Message:
    """Figure 5: MRR differs most, on BeerAdvocate bpref; MAP agrees with nDCG."""

    def say(dataset: str, rows: pd.DataFrame) -> Said:
        odd = "bpref" if dataset == "beeradvocate" else "MRR"
        pairs = rows.set_index(["metric_a", "metric_b"])["tau"]
        near = pairs["MAP", "nDCG"]
        text, holds = behind(mean_agreement(rows), [odd])
        return f"{text}, MAP with nDCG {two_decimals(near)}", holds and near >= 0.9

    claim = (
        "One metric has the least mean tau with the others, MRR, or bpref on BeerAdvocate, while "
        "MAP and nDCG order the systems alike"
    )
    return message(results, MAP_READING, claim, say)


def robust_to_sparsity(results: pd.DataFrame) -> Message:
    """Figure 6: all metrics are robust to sparsity, P and nDCG most."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, holds = all_above(at_level(table, 50), 0.9)
        return both((f"{half} with half", holds), ahead(table.mean(), ["P", "nDCG"]))

    claim = (
        "With half of the test ratings every metric keeps a tau above .9, and P and nDCG have the "
        "highest mean taus"
    )
    return message(results, STABILITY_READING.format(kept="fewer test ratings"), claim, say)


def robust_to_popularity(results: pd.DataFrame) -> Message:
    """Figure 7: MRR is the least robust to the popularity bias, and P among the most."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = taus(rows).mean()
        text, holds = behind(means, ["MRR"])
        best = means.nlargest(2)
        return f"{text}; best {numbers_of(best, best.index)}", holds and "P" in best.index

    claim = (
        "When the most popular items go, MRR keeps the order of the systems worst, and P is one of "
        "the two metrics that keep it best"
    )
    return message(results, STABILITY_READING.format(kept="ever fewer items"), claim, say)


def power_of_seven(results: pd.DataFrame) -> Message:
    """Figure 8: P and nDCG have the most discriminative power."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        return behind(power(rows), ["P", "nDCG"])

    claim = "P and nDCG tell the systems apart best: their sums of p-values"
    return message(results, P_VALUE_READING, claim, say)


def _cut_off(name: str) -> int:
    return int(str(name).partition("@")[2])


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": cut_offs_agree,
    "fig02": deeper_is_more_robust,
    "fig03": deeper_is_more_robust,
    "fig04": deeper_tells_more_apart,
    "fig05": agreement_of_seven,
    "fig06": robust_to_sparsity,
    "fig07": robust_to_popularity,
    "fig08": power_of_seven,
}
"""By the names of the figures."""
