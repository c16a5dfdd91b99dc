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
    Said,
    ahead,
    all_above,
    at_level,
    behind,
    by_dataset,
    mean_agreement,
    message,
    numbers_of,
    odd_one,
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

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = mean_agreement(rows)
        smallest = min(means.index, key=_cut_off)
        said = f"mean taus with the others are {of_groups(means, [smallest], others='these')}"
        return said, behind(means, [smallest])

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


def _growth(_: str, rows: pd.DataFrame) -> Said:
    means = taus(rows).mean()
    by_depth = means[sorted(means.index, key=_cut_off)]
    depths = [[float(_cut_off(name)) for name in by_depth.index]]
    growth = float(kendall_tau_b(depths, [by_depth.to_numpy()]).item())
    said = (
        f"the mean tau is {two_decimals(by_depth.iloc[0])} for {by_depth.index[0]} and "
        f"{two_decimals(by_depth.iloc[-1])} for {by_depth.index[-1]}, and Kendall's tau "
        f"between mean tau and cut-off is {two_decimals(growth)}"
    )
    return said, growth >= GROWS and by_depth.iloc[0] == by_depth.min()


def deeper_tells_more_apart(results: pd.DataFrame) -> Message:
    """Figure 4: cut-offs above 50 have more discriminative power than the others."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        values = power(rows)
        deep = [name for name in values.index if _cut_off(name) > DEEP]
        shallow = values.drop(deep)
        said = (
            f"the sums of p-values are {range_of(values[deep])} above @{DEEP} and "
            f"{range_of(shallow)} up to there"
        )
        return said, behind(values, deep)

    claim = "nDCG tells more pairs of systems apart with deeper cut-offs"
    return message(results, P_VALUE_READING, claim, say)


def agreement_of_seven(results: pd.DataFrame) -> Message:
    """Figure 5: MRR differs most, on BeerAdvocate bpref; MAP agrees with nDCG."""

    def say(dataset: str, rows: pd.DataFrame) -> Said:
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
        return said, behind(means, [odd]) and near >= 0.9

    claim = f"{odd_one(results, 'MRR orders', ODD)}, and MAP and nDCG order them alike"
    return message(results, MAP_READING, claim, say)


def robust_to_sparsity(results: pd.DataFrame) -> Message:
    """Figure 6: all metrics are robust to sparsity, P and nDCG most."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        table = taus(rows)
        half, means, most = at_level(table, 50), table.mean(), ["P", "nDCG"]
        said = (
            f"the least tau with half of them is {two_decimals(half.min())}, and mean taus are "
            f"{of_groups(means, most)}"
        )
        return said, all_above(half, 0.9) and ahead(means, most)

    claim = (
        "With half of the test ratings every metric nearly keeps the order of the systems, and P "
        "and nDCG keep it best"
    )
    return message(results, SPARSE, claim, say)


def robust_to_popularity(results: pd.DataFrame) -> Message:
    """Figure 7: MRR is the least robust to the popularity bias, and P among the most."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        means = taus(rows).mean()
        best = means.nlargest(2)
        said = (
            f"mean taus are {of_groups(means, ['MRR'])}, the highest those of "
            f"{numbers_of(best, best.index)}"
        )
        return said, behind(means, ["MRR"]) and "P" in best.index

    claim = (
        "When the most popular items go, MRR keeps the order of the systems worst, and P is one of "
        "the two metrics that keep it best"
    )
    return message(results, UNPOPULAR, claim, say, recall_beside_p(results))


def power_of_seven(results: pd.DataFrame) -> Message:
    """Figure 8: P and nDCG have the most discriminative power."""

    def say(_: str, rows: pd.DataFrame) -> Said:
        values = power(rows).sort_values(kind="stable")
        named = [name for name in ("P", "nDCG") if name in values.index]
        rest = values.drop(named)
        said = (
            f"the least sums of p-values are those of {numbers_of(values, named)}, then comes "
            f"{numbers_of(rest, rest.index[:1])}, and the largest is that of "
            f"{numbers_of(rest, rest.index[-1:])}"
        )
        return said, behind(values, named)

    claim = "P and nDCG tell the systems apart best"
    return message(results, P_VALUE_READING, claim, say, _other_ends(results))


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
