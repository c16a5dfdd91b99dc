# SPDX-License-Identifier: MIT
"""What the figures of valcarce2018 say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.statistics.correlation import kendall_tau_b
from receval.studies._shared.message import DATASETS, Message, in_a_row
from receval.studies.metric_studies.message_parts import (
    MAP_READING,
    P_VALUE_READING,
    STABILITY_READING,
    DatasetFinding,
    ahead,
    all_above,
    at_level,
    behind,
    by_dataset,
    highest,
    lowest,
    mean_agreement,
    message,
    numbers_of,
    odd_one,
    of_equal_lists,
    of_groups,
    power,
    range_of,
    recall_beside_p,
    taus,
)

GROWS = 0.7
"""Kendall's tau with the cut-off from which on we say that something grows with it."""

DEEP = 50
"""The paper's deeper cut-offs are those above."""


SPARSE = STABILITY_READING.format(when="with fewer test ratings")
UNPOPULAR = STABILITY_READING.format(when="without the most popular items")

ODD = {"beeradvocate": "bpref"}
"""The metric that orders the systems least like the others, where it is not MRR."""

FIRST_AND_LAST = {
    "ml-1m": ("nDCG", "MRR"),
    "librarything": ("nDCG", "Recall"),
    "beeradvocate": ("P", "bpref"),
}
"""The metrics with the most and the least discriminative power in the paper's table 3."""


def cut_offs_agree(results: pd.DataFrame) -> Message:
    """Figure 1: the smallest cut-off of nDCG differs most from the others."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        means = mean_agreement(rows)
        smallest = min(means.index, key=_cut_off)
        said = (
            f"mean taus with the others are {of_groups(means, [smallest], others='these')}, the "
            f"least of all that of {lowest(means)}"
        )
        return DatasetFinding(
            said, {f"{smallest} orders them least like the others": behind(means, [smallest])}
        )

    claim = "The smallest cut-off of nDCG orders the systems least like the other cut-offs"
    return message(results, MAP_READING, claim, say)


def deeper_is_more_robust_to_sparsity(results: pd.DataFrame) -> Message:
    """Figure 2: robustness to sparsity grows with the cut-off of nDCG."""
    claim = "The deeper the cut-off of nDCG, the more robust it is to missing ratings"
    return message(results, SPARSE, claim, _growth)


def deeper_is_more_robust_to_popularity(results: pd.DataFrame) -> Message:
    """Figure 3: robustness to the popularity bias grows with the cut-off of nDCG."""
    claim = "The deeper the cut-off of nDCG, the more robust it is when the most popular items go"
    return message(results, UNPOPULAR, claim, _growth)


def _growth(_: str, rows: pd.DataFrame) -> DatasetFinding:
    means = taus(rows).mean()
    by_depth = means[sorted(means.index, key=_cut_off)]
    depths = [[float(_cut_off(name)) for name in by_depth.index]]
    growth = float(kendall_tau_b(depths, [by_depth.to_numpy()]).item())
    said = (
        f"the mean tau is {two_decimals(by_depth.iloc[0])} for {by_depth.index[0]} and "
        f"{two_decimals(by_depth.iloc[-1])} for {by_depth.index[-1]}, and Kendall's tau "
        f"between mean tau and cut-off is {two_decimals(growth)}"
    )
    parts = {
        "the mean tau grows with the cut-off": growth >= GROWS,
        f"it is least for {by_depth.index[0]}": bool(by_depth.iloc[0] == by_depth.min()),
    }
    return DatasetFinding(said, parts)


def deeper_tells_more_apart(results: pd.DataFrame) -> Message:
    """Figure 4: cut-offs above 50 have more discriminative power than the others."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        values = power(rows)
        deep = [name for name in values.index if _cut_off(name) > DEEP]
        shallow = values.drop(deep)
        said = (
            f"the sums of p-values, each pair counted once, are {range_of(values[deep])} above "
            f"@{DEEP} and {range_of(shallow)} up to there{of_equal_lists(rows)}"
        )
        parts = {
            f"{in_a_row(deep[-1:])} has the least": values.idxmin() == deep[-1],
            f"all above @{DEEP} have less than all others": behind(values, deep),
        }
        return DatasetFinding(said, parts, ours=behind(values, deep))

    claim = "nDCG tells more pairs of systems apart with deeper cut-offs"
    return message(results, P_VALUE_READING, claim, say)


def agreement_of_seven(results: pd.DataFrame) -> Message:
    """Figure 5: MRR differs most, on BeerAdvocate bpref; MAP agrees with nDCG."""

    def say(dataset: str, rows: pd.DataFrame) -> DatasetFinding:
        odd = ODD.get(dataset, "MRR")
        pairs = rows.set_index(["metric_a", "metric_b"])["tau"]
        near = pairs["MAP", "nDCG"]
        nearer = pairs["MAP"].drop(["MAP", "nDCG"])
        nearer = nearer[nearer > near].sort_values(ascending=False, kind="stable")
        means = mean_agreement(rows)
        said = (
            f"mean taus with the other metrics are {of_groups(means, [odd])}, and MAP has a tau "
            f"of {two_decimals(near)} with nDCG"
        )
        if len(nearer):
            said += f" and of {range_of(nearer)} with {in_a_row(nearer.index)}"
        parts = {
            f"{odd} orders them least like the others": behind(means, [odd]),
            "MAP and nDCG order them alike": bool(near >= 0.9),
        }
        return DatasetFinding(said, parts)

    claim = f"{odd_one(results, 'MRR orders', ODD)}, and MAP and nDCG order them alike"
    return message(results, MAP_READING, claim, say)


def robust_to_sparsity(results: pd.DataFrame) -> Message:
    """Figure 6: all metrics are robust to sparsity, P and nDCG most."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        table = taus(rows)
        half, means, most = at_level(table, 50), table.mean(), ["P", "nDCG"]
        said = (
            f"the least tau with half of them is {two_decimals(half.min())}, and mean taus are "
            f"{of_groups(means, most)}"
        )
        parts = {
            "with half of them every metric nearly keeps the order": all_above(half, 0.9),
            "P and nDCG keep it best": ahead(means, most),
        }
        return DatasetFinding(said, parts)

    claim = (
        "With half of the test ratings every metric nearly keeps the order of the systems, and P "
        "and nDCG keep it best"
    )
    return message(results, SPARSE, claim, say)


def robust_to_popularity(results: pd.DataFrame) -> Message:
    """Figure 7: MRR is the least robust to the popularity bias, and P among the most."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        means = taus(rows).mean()
        best = means.nlargest(2)
        said = (
            f"mean taus are {of_groups(means, ['MRR'])}, the highest those of "
            f"{numbers_of(best, best.index)}"
        )
        parts = {
            "MRR keeps the order worst": behind(means, ["MRR"]),
            "P keeps it best": means.idxmax() == "P",
        }
        return DatasetFinding(said, parts, ours=behind(means, ["MRR"]) and "P" in best.index)

    finding = (
        "When the most popular items go, MRR keeps the order of the systems worst, and P is one of "
        "the two metrics that keep it best"
    )
    claim = "When the most popular items go, P keeps the order of the systems best and MRR worst"
    return message(results, UNPOPULAR, finding, say, recall_beside_p(results), claim)


def power_of_seven(results: pd.DataFrame) -> Message:
    """Figure 8: P and nDCG have the most discriminative power."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        values = power(rows).sort_values(kind="stable")
        named = [name for name in ("P", "nDCG") if name in values.index]
        rest = values.drop(named)
        said = (
            "the sums of p-values, each pair counted once, are those of "
            f"{numbers_of(values, named)}, the least of the others that of {lowest(rest)} and the "
            f"largest that of {highest(rest)}{of_equal_lists(rows)}"
        )
        parts = {
            "nDCG tells the systems apart best": values.idxmin() == "nDCG",
            "P and nDCG are the two best": behind(values, named),
        }
        return DatasetFinding(said, parts, ours=behind(values, named))

    finding = "P and nDCG tell the systems apart best"
    claim = "nDCG tells the systems apart best, and then P"
    return message(results, P_VALUE_READING, finding, say, _other_ends(results), claim)


def _other_ends(results: pd.DataFrame) -> str:
    """Say which metrics are first and last in the paper, where others are."""
    notes = []
    for dataset, rows in by_dataset(results).items():
        values = power(rows)
        first, last = FIRST_AND_LAST.get(dataset, ("", ""))
        if first and (values.idxmin(), values.idxmax()) != (first, last):
            notes.append(f"{first} first and {last} last on {DATASETS[dataset]}")
    return f"the paper has {in_a_row(notes)}" if notes else ""


def _cut_off(name: str) -> int:
    return int(str(name).partition("@")[2])


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": cut_offs_agree,
    "fig02": deeper_is_more_robust_to_sparsity,
    "fig03": deeper_is_more_robust_to_popularity,
    "fig04": deeper_tells_more_apart,
    "fig05": agreement_of_seven,
    "fig06": robust_to_sparsity,
    "fig07": robust_to_popularity,
    "fig08": power_of_seven,
}
"""By the names of the figures."""
