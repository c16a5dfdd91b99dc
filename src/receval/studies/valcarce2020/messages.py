# SPDX-License-Identifier: MIT
"""What the figures of valcarce2020 say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import DATASETS, Message, in_a_row
from receval.studies.metric_studies.geometric_messages import (
    active_users_under_geometric_means,
    geometric_metrics_agree,
    missing_items_under_geometric_means,
    missing_ratings_under_geometric_means,
    popular_items_under_geometric_means,
    users_under_geometric_means,
)
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
    lowest,
    mean_agreement,
    message,
    numbers_of,
    odd_one,
    of_equal_lists,
    of_groups,
    power,
    recall_beside_p,
    taus,
)

TOP_HEAVY = ("MRR", "ERR")


ODD = {"beeradvocate": "bpref"}
"""The metric that orders the systems least like the others, where it is not these two."""

RANKS = {"ml-1m": "first", "librarything": "first", "beeradvocate": "fifth"}
"""The rank of nDCG by discriminative power in the paper's text."""


def agreement_of_nine(results: pd.DataFrame) -> Message:
    """Figure 1: MRR and ERR agree with each other and least with the rest."""

    def say(dataset: str, rows: pd.DataFrame) -> DatasetFinding:
        means = mean_agreement(rows)
        if dataset in ODD:
            odd = [ODD[dataset]]
            numbers = f"mean taus with the other metrics are {of_groups(means, odd)}"
            return DatasetFinding(
                numbers, {f"{odd[0]} orders them least like the others": behind(means, odd)}
            )
        mutual = rows.set_index(["metric_a", "metric_b"])["tau"][TOP_HEAVY]
        said = (
            f"mean taus with the other metrics are {of_groups(means, TOP_HEAVY)}, and MRR and ERR "
            f"have a tau of {two_decimals(mutual)} with each other"
        )
        parts = {
            "MRR and ERR agree with each other": bool(mutual > means.max()),
            "they order the systems least like the others": behind(means, TOP_HEAVY),
        }
        return DatasetFinding(said, parts)

    usual = "MRR and ERR agree with each other, and order"
    return message(results, MAP_READING, odd_one(results, usual, ODD), say)


def power_of_nine(results: pd.DataFrame) -> Message:
    """Figure 2: nDCG is among the metrics with the most discriminative power."""

    def say(dataset: str, rows: pd.DataFrame) -> DatasetFinding:
        values = power(rows).sort_values(kind="stable")
        rank = int(values.rank(method="min")["nDCG"])
        named = values.index[: max(3, rank)]
        said = (
            "the least sums of p-values, each pair counted once, are those of "
            f"{numbers_of(values, named)}{of_equal_lists(rows)}"
        )
        fifth = dataset == "beeradvocate"
        parts = {
            f"nDCG is {RANKS.get(dataset, 'first')} by the sum of p-values": rank == 1 + 4 * fifth
        }
        return DatasetFinding(said, parts, ours=rank <= (5 if fifth else 3))

    finding = "nDCG is among the metrics that tell the systems apart best"
    claim = "nDCG tells the systems apart best"
    if "beeradvocate" in by_dataset(results):
        claim += ", but is the fifth on BeerAdvocate"
    return message(results, P_VALUE_READING, finding, say, _other_rank(results), claim)


def _other_rank(results: pd.DataFrame) -> str:
    """Say which rank nDCG has in the paper, where it has another here."""
    ordinals = {"first": 1, "fifth": 5}
    notes = []
    for dataset, rows in by_dataset(results).items():
        rank = int(power(rows).rank(method="min")["nDCG"])
        if dataset in RANKS and rank != ordinals[RANKS[dataset]]:
            notes.append(f"{RANKS[dataset]} on {DATASETS[dataset]}")
    return f"the paper has nDCG {in_a_row(notes)}" if notes else ""


def robust_to_missing_ratings(results: pd.DataFrame) -> Message:
    """Figure 3: all metrics are robust to missing ratings, P, F1 and nDCG most."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        table = taus(rows)
        half, means, most = at_level(table, 50), table.mean(), ["P", "F1", "nDCG"]
        said = (
            f"the least tau with half of them is {two_decimals(half.min())}, and mean taus are "
            f"{of_groups(means, most)}"
        )
        parts = {
            "with half of them every metric nearly keeps the order": all_above(half, 0.9),
            "P, F1 and nDCG keep it best": ahead(means, most),
        }
        return DatasetFinding(said, parts)

    claim = (
        "With half of the test ratings every metric nearly keeps the order of the systems, and P, "
        "F1 and nDCG keep it best"
    )
    return message(results, STABILITY_READING.format(when="with fewer test ratings"), claim, say)


def precision_falls_in_a_line(results: pd.DataFrame) -> Message:
    """Figure 4: the values of P fall in a straight line, those of no other metric do."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        values = rows.pivot_table(
            index="kept_percent", columns="metric", values="value", sort=False
        )
        values = values.sort_index()
        levels = values.index.to_numpy(dtype=np.float64)
        share = (levels - levels[0]) / (levels[-1] - levels[0])
        first, last = values.iloc[0], values.iloc[-1]
        bends = pd.Series(
            {
                name: np.abs(
                    values[name] - (first[name] + share * (last[name] - first[name]))
                ).max()
                / last[name]
                for name in values
            }
        )
        said = (
            "the largest distances from a line, as shares of the values under all test ratings, "
            f"are {of_groups(bends, ['P'])}"
        )
        said += f", the least that of {lowest(bends)}"
        return DatasetFinding(said, {"P is nearest to a line": behind(bends, ["P"])})

    claim = (
        "With fewer test ratings the values of P fall in a straight line, those of all other "
        "metrics in a curve"
    )
    reading = (
        "Each line is the mean of a metric over the systems under fewer test ratings: its form, "
        "and not its height, is what to compare."
    )
    return message(results, reading, claim, say)


def robust_to_missing_items(results: pd.DataFrame) -> Message:
    """Figure 5: P and F1 are the most robust to missing items, MRR and ERR the least."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        means, most = taus(rows).mean(), ["P", "F1"]
        said = f"mean taus are {of_groups(means, most, TOP_HEAVY)}"
        parts = {
            "P and F1 keep the order best": ahead(means, most),
            "MRR and ERR keep it worst": behind(means, TOP_HEAVY),
        }
        return DatasetFinding(said, parts)

    claim = (
        "When random items leave the test set, P and F1 keep the order of the systems best, MRR "
        "and ERR worst"
    )
    return message(results, STABILITY_READING.format(when="with fewer items"), claim, say)


def robust_to_missing_popular_items(results: pd.DataFrame) -> Message:
    """Figure 6: without the popular items the order is lost, by MRR and ERR first."""

    def say(dataset: str, rows: pd.DataFrame) -> DatasetFinding:
        table = taus(rows)
        least, means = table.min(), table.mean()
        best = means.nlargest(2)
        level = float(table[least.round(9).idxmin()].idxmin())
        said = (
            f"mean taus are {of_groups(means, TOP_HEAVY)}, the highest those of "
            f"{numbers_of(best, best.index)}, and the least taus of all those of {lowest(least)}, "
            f"with {level:g} % of the items"
        )
        turns, worst = bool(least.min() < 0), behind(means, TOP_HEAVY)
        parts = {
            "P keeps the order best": means.idxmax() == "P",
            "MRR and ERR keep it worst": worst,
        }
        if dataset == "beeradvocate":
            parts["coefficients become negative"] = turns
        return DatasetFinding(said, parts, ours=worst and turns and "P" in best.index)

    finding = (
        "Without the most popular items the order of the systems turns round, by MRR and ERR most "
        "on average, and P is one of the two metrics that keep it best"
    )
    claim = (
        "Without the most popular items P keeps the order of the systems best, MRR and ERR worst"
    )
    if "beeradvocate" in by_dataset(results):
        claim += ", and on BeerAdvocate it soon turns round"
    reading = STABILITY_READING.format(when="without the most popular items")
    return message(results, reading, finding, say, recall_beside_p(results), claim)


def robust_to_missing_users(results: pd.DataFrame) -> Message:
    """Figure 7: all metrics are very robust to missing users."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        fifth = at_level(taus(rows), 20)
        said = f"the least tau is then that of {lowest(fifth)}"
        return DatasetFinding(said, {"every metric nearly keeps the order": all_above(fifth, 0.9)})

    claim = "With a fifth of the users every metric nearly keeps the order of the systems"
    return message(results, STABILITY_READING.format(when="with fewer users"), claim, say)


def robust_to_missing_active_users(results: pd.DataFrame) -> Message:
    """Figure 8: without the most active users MRR and ERR are the most robust, P and F1 least."""

    def say(_: str, rows: pd.DataFrame) -> DatasetFinding:
        means, least = taus(rows).mean(), ["P", "F1"]
        said = f"mean taus are {of_groups(means, TOP_HEAVY, least)}"
        first, last = ahead(means, TOP_HEAVY), behind(means, least)
        parts = {
            "MRR and ERR keep the order best": first,
            "infAP and bpref come next": ahead(
                means.drop(list(TOP_HEAVY), errors="ignore"), ["infAP", "bpref"]
            ),
            "P and F1 keep it worst": last,
        }
        return DatasetFinding(said, parts, ours=first and last)

    finding = (
        "When the users with most test ratings leave, MRR and ERR keep the order of the systems "
        "best, P and F1 worst"
    )
    claim = (
        "When the users with most test ratings leave, MRR and ERR keep the order of the systems "
        "best, and infAP and bpref well; P and F1 keep it worst"
    )
    reading = STABILITY_READING.format(when="without the most active users")
    return message(results, reading, finding, say, _estimates_behind(results), claim)


def _estimates_behind(results: pd.DataFrame) -> str:
    """Say where infAP and bpref are behind MAP, which the paper's text counts with the best."""
    notes = []
    for dataset, rows in by_dataset(results).items():
        means = taus(rows).mean()
        if max(means["infAP"], means["bpref"]) < means["MAP"]:
            place = f"on {DATASETS[dataset]} " if len(by_dataset(results)) > 1 else ""
            numbers = numbers_of(means, ["infAP", "bpref"])
            notes.append(f"{place}{numbers_of(means, ['MAP'])} is ahead of {numbers}")
    counted = "which the paper counts among the most robust"
    return f"{in_a_row(notes)}, {counted}" if notes else ""


MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": agreement_of_nine,
    "fig02": power_of_nine,
    "fig03": robust_to_missing_ratings,
    "fig04": precision_falls_in_a_line,
    "fig05": robust_to_missing_items,
    "fig06": robust_to_missing_popular_items,
    "fig07": robust_to_missing_users,
    "fig08": robust_to_missing_active_users,
    "fig09": geometric_metrics_agree,
    "fig10": missing_ratings_under_geometric_means,
    "fig11": missing_items_under_geometric_means,
    "fig12": popular_items_under_geometric_means,
    "fig13": users_under_geometric_means,
    "fig14": active_users_under_geometric_means,
}
"""By the names of the figures."""
