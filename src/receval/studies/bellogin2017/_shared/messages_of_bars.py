"""Messages of the figures whose bars are systems: 2, 8 and 9."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from receval.studies._shared.message import Message
from receval.studies.bellogin2017._shared.designs import ALL_RELEVANT, ONE_RELEVANT, short_labels
from receval.studies.bellogin2017._shared.messages_of_systems import NAMES, paper_means, short_value

READING_OF_BARS = (
    "Each group of bars is a way to form target sets, each bar a system, and higher is better; the "
    "paper's systems come first, ours that it does not have stand apart, hatched."
)
ALL_POSITIVE = "lastfm-1k"
"""The dataset without negative ratings, of which the paper says other things."""

NEUTRAL = {"U1R": "1R", "P1R": "1R", "UAR": "AR"}
"""Designs that neutralise popularity, each with the plain one that it is compared with."""


def message_of_precision(results: pd.DataFrame) -> Message:
    """Say which systems are best under AR and 1R (claims B-006 and B-008 to B-010).

    Holds if pLSA and Pop are the best two of the paper's systems in all configurations, Random is
    the last, and Pop's precision differs by a tenth or more between two of them.
    """
    ranked = list(_values(paper_means(results), ["dataset", "protocol"]))
    leading = sum(set(values.index[:2]) == {"plsa", "pop"} for values in ranked)
    pop = [values["pop"] for values in ranked]
    finding = (
        f"pLSA and Pop are the best two of the paper's systems in {leading} of {len(ranked)} "
        f"configurations, and P@10 of the same Pop is between {short_value(min(pop))} and "
        f"{short_value(max(pop))}, by the configuration."
    )
    last = all(values.index[-1] == "random" for values in ranked)
    holds = leading == len(ranked) and last and max(pop) >= 1.1 * min(pop)
    return Message(READING_OF_BARS, finding, bool(holds))


def message_of_designs(results: pd.DataFrame) -> Message:
    """Say how much of popularity's advantage the designs take (claims B-053, B-058 and B-059).

    Holds if, by both drawn metrics, Pop over Random is less in every neutral design than in its
    plain one, removing the popular head takes less of it than U1R and P1R, and pLSA is the best of
    the paper's systems in every design.
    """
    means = paper_means(results)
    means = means.assign(label=short_labels(means))
    means = means[means["design"].isin((*ONE_RELEVANT, *ALL_RELEVANT))]
    parts, checks, first = [], [], []
    for dataset in dict.fromkeys(means["dataset"]):
        for label in ("P@10", "nDCG@10"):
            own = means[(means["dataset"] == dataset) & (means["label"] == label)]
            by_design = dict(
                zip(dict.fromkeys(own["design"]), _values(own, ["design"]), strict=True)
            )
            over = {name: values["pop"] / values["random"] for name, values in by_design.items()}
            pairs = [(new, old) for new, old in NEUTRAL.items() if {new, old} <= over.keys()]
            checks += [over[new] < over[old] for new, old in pairs]
            checks += [
                by_design["-10% head"]["pop"] > by_design[name]["pop"]
                for name in ("U1R", "P1R")
                if {"-10% head", name} <= by_design.keys()
            ]
            first += [values.index[0] == "plsa" for values in by_design.values()]
            if label == "P@10":
                parts += [
                    f"{short_value(over[new], 1)} in {new} against "
                    f"{short_value(over[old], 1)} in {old}"
                    for new, old in pairs
                ]
    finding = (
        f"The designs take most of popularity's advantage: Pop's P@10 over Random's is "
        f"{', '.join(parts)}; pLSA is the best of the paper's systems in {sum(first)} of "
        f"{len(first)} comparisons by P@10 and nDCG@10."
    )
    return Message(READING_OF_BARS, finding, bool(checks) and all((*checks, *first)))


def message_of_metrics(results: pd.DataFrame) -> Message:
    """Say what bpref, infAP and stratified recall make of popularity (B-063 to B-071).

    Holds if, under AR, bpref and infAP put another system above both Pop and pLSA, or Pop first
    where all ratings are positive; if stratified recall keeps Pop among the best two, but for AR
    where all ratings are positive; and if bpref has no value under 1R.
    """
    means = paper_means(results)
    checks: list[bool] = []
    firsts: dict[tuple[str, str], list[str]] = {}
    for keys, own in means.groupby(["metric", "dataset", "protocol"], sort=False):
        metric, dataset, protocol = map(str, keys)
        values = next(_values(own, ["protocol"]))
        order = list(values.index)
        if metric in ("bpref", "infAP") and protocol.startswith("AR"):
            first = order[0]
            alike = first == "pop" if dataset == ALL_POSITIVE else first not in ("pop", "plsa")
            checks.append(alike)
            firsts.setdefault((dataset, NAMES[first]), []).append(metric)
        elif metric == "StratifiedRecall" and not (
            dataset == ALL_POSITIVE and protocol.startswith("AR")
        ):
            checks.append("pop" in order[:2])
    under_1r = means[means["protocol"].str.startswith("1R")]
    checks.append(not under_1r["metric"].str.startswith("bpref").any())
    parts = [
        f"{' and '.join(dict.fromkeys(metrics))} put {first} first under AR on {dataset}"
        for (dataset, first), metrics in firsts.items()
    ]
    recall = means[(means["metric"] == "StratifiedRecall") & (means["dataset"] != ALL_POSITIVE)]
    second = sum("pop" in values.index[:2] for values in _values(recall, ["dataset", "protocol"]))
    kept = recall.groupby(["dataset", "protocol"]).ngroups
    finding = (
        f"{'; '.join(parts)}; stratified recall keeps Pop among the best two in {second} of {kept} "
        "configurations of explicit ratings."
    )
    return Message(READING_OF_BARS, finding, all(checks))


def _values(means: pd.DataFrame, keys: list[str]) -> Iterator[pd.Series[float]]:
    """Return the values of systems from the best on, a series a group in the order of rows."""
    for _, own in means.groupby(keys, sort=False):
        yield own.set_index("system")["value"].sort_values(ascending=False, kind="stable")
