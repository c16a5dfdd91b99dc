# SPDX-License-Identifier: MIT
"""Messages of the figures whose bars are systems: 2, 8 and 9."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from receval.studies._shared.claim_parts import shown_in_part
from receval.studies._shared.message import DATASETS, Message
from receval.studies.bellogin2017._shared.designs import ALL_RELEVANT, ONE_RELEVANT, short_labels
from receval.studies.bellogin2017._shared.messages_of_systems import (
    NAMES,
    paper_means,
    short_value,
)

ALL_POSITIVE = "lastfm-1k"
"""The dataset without negative ratings, of which the paper says other things."""

ALL_POOLED = {"infAP": "infAP (all items pooled)"}
"""How sentences name the form of infAP that the claims hold for."""

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
        f"configurations, but P@10 of the same Pop ranges from {short_value(min(pop))} to "
        f"{short_value(max(pop))} with the configuration."
    )
    last = all(values.index[-1] == "random" for values in ranked)
    holds = leading == len(ranked) and last and max(pop) >= 1.1 * min(pop)
    return Message(
        "A group of bars is a configuration of target sets and a bar the P@10 of a system in it, "
        "higher is better: compare who leads in each group, and how far one system moves between "
        "groups.",
        finding,
        bool(holds),
        "pLSA and popularity are the best of the paper's systems in all configurations, but the "
        "precision of one and the same system depends on the configuration.",
    )


def message_of_designs(results: pd.DataFrame) -> Message:
    """Say how much of popularity's advantage the designs take (claims B-053, B-058 and B-059).

    Holds if, by both drawn metrics, Pop over Random is less in every neutral design than in its
    plain one, removing the popular head takes less of it than U1R and P1R, and pLSA is the best of
    the paper's systems in every design.
    """
    means = paper_means(results)
    means = means.assign(label=short_labels(means))
    means = means[means["design"].isin((*ONE_RELEVANT, *ALL_RELEVANT))]
    parts, less, head, first = [], [], [], []
    not_above = ""
    for dataset in dict.fromkeys(means["dataset"]):
        for label in ("P@10", "nDCG@10"):
            own = means[(means["dataset"] == dataset) & (means["label"] == label)]
            by_design = dict(
                zip(dict.fromkeys(own["design"]), _values(own, ["design"]), strict=True)
            )
            over = {name: values["pop"] / values["random"] for name, values in by_design.items()}
            pairs = [(new, old) for new, old in NEUTRAL.items() if {new, old} <= over.keys()]
            less += [over[new] < over[old] for new, old in pairs]
            head += [
                by_design["-10% head"]["pop"] > by_design[name]["pop"]
                for name in ("U1R", "P1R")
                if {"-10% head", name} <= by_design.keys()
            ]
            first += [values.index[0] == "plsa" for values in by_design.values()]
            if label == "P@10":
                changes = [
                    f"{short_value(over[new], 1)} in {new} against "
                    f"{short_value(over[old], 1)} in {old}"
                    for new, old in pairs
                ]
                parts.append(f"on {DATASETS[dataset]} {', '.join(changes)}")
                not_above += _pop_below_knn(by_design, DATASETS[dataset])
    finding = (
        "The designs take much of popularity's advantage. Pop's P@10 in multiples of Random's is "
        f"{'; '.join(parts)}. pLSA is the best of the paper's systems in {sum(first)} of "
        f"{len(first)} comparisons by P@10 and nDCG@10{not_above}."
    )
    return Message(
        "A group of bars is a design and a bar a system in it, higher is better: the nearer Pop is "
        "to Random, the more of popularity's advantage the design has taken.",
        finding,
        bool(less) and all((*less, *head, *first)),
        "Percentiles and uniform tests take much of popularity's advantage, more than leaving out "
        "the most popular items does, and pLSA is the best system in all designs.",
        shown_in_part(
            [
                (
                    all(less),
                    "by P@10 and nDCG@10 Pop's advantage over Random is less in "
                    f"{sum(less)} of {len(less)} comparisons of neutral designs with plain ones "
                    f"(P@10 in multiples of Random's: {'; '.join(parts)})",
                ),
                (
                    all(head),
                    "without the popular head Pop is higher than in U1R and P1R in "
                    f"{sum(head)} of {len(head)} comparisons",
                ),
                (
                    all(first),
                    f"pLSA is the best of the paper's systems in {sum(first)} of {len(first)} "
                    "designs, by one metric or the other",
                ),
            ]
        ),
    )


def _pop_below_knn(by_design: Mapping[str, pd.Series[float]], dataset: str) -> str:
    """Return a clause where kNN is ahead of Pop in UAR: the paper has Pop above (B-054)."""
    if "UAR" not in by_design or by_design["UAR"]["pop"] >= by_design["UAR"]["knn-centred"]:
        return ""
    pop, knn = (short_value(by_design["UAR"][system], 4) for system in ("pop", "knn-centred"))
    return (
        f". In UAR on {dataset} Pop ({pop} by P@10) falls below kNN ({knn}), whereas in the paper "
        "it stays above (docs/biases.md)"
    )


def message_of_metrics(results: pd.DataFrame) -> Message:
    """Say what bpref, infAP and stratified recall make of popularity (B-063 to B-071).

    Holds if, under AR, bpref and infAP put another system above both Pop and pLSA, or Pop first
    where all ratings are positive; if stratified recall keeps Pop among the best two, but for AR
    where all ratings are positive; and if bpref has no value under 1R.
    """
    means = paper_means(results)
    parts = [*_firsts_under_ar(means), _kept_by_recall(means), _undefined_bpref(means)]
    judged = [_with_judged_pool(means, dataset) for dataset in dict.fromkeys(means["dataset"])]
    firsts = "; ".join(clause for _, clause in parts[:-2])
    finding = (
        f"Of the paper's systems, {firsts}; infAP with the judged items as its pool puts "
        f"{'; '.join(judged)} (docs/biases.md). {_capital(parts[-2][1])}."
    )
    return Message(
        "A row of panels is a metric, a group of bars a configuration of target sets and a bar a "
        "system, higher is better: where Pop falls behind systems that precision has below it, the "
        "metric rewards popularity less.",
        finding,
        all(shown for shown, _ in parts),
        "bpref and infAP no longer put popularity first under AR, but where all ratings are "
        "positive; stratified recall rewards it as precision does.",
        shown_in_part(parts),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _firsts_under_ar(means: pd.DataFrame) -> list[tuple[bool, str]]:
    """Say whom bpref and infAP put first under AR, and whether that is as in the paper."""
    found: dict[tuple[str, str], list[str]] = {}
    for keys, own in means.groupby(["metric", "dataset", "protocol"], sort=False):
        metric, dataset, protocol = map(str, keys)
        if metric in ("bpref", "infAP") and protocol.startswith("AR"):
            first = str(next(_values(own, ["protocol"])).index[0])
            found.setdefault((dataset, first), []).append(ALL_POOLED.get(metric, metric))
    parts = []
    for (dataset, first), metrics in found.items():
        positive = dataset == ALL_POSITIVE
        alike = first == "pop" if positive else first not in ("pop", "plsa")
        but = ", where it is Pop in the paper" * (positive and not alike)
        who = _who_puts(list(dict.fromkeys(metrics)))
        parts.append((alike, f"{who} {NAMES[first]} first under AR on {DATASETS[dataset]}{but}"))
    return parts


def _kept_by_recall(means: pd.DataFrame) -> tuple[bool, str]:
    """Say where stratified recall keeps Pop among the best two, as precision does."""
    recall = means[means["metric"] == "StratifiedRecall"]
    ar_of_positive = (recall["dataset"] == ALL_POSITIVE) & recall["protocol"].str.startswith("AR")
    recall = recall[~ar_of_positive]
    kept = ["pop" in values.index[:2] for values in _values(recall, ["dataset", "protocol"])]
    return all(kept), (
        "of the paper's systems, stratified recall keeps Pop among the best two in "
        f"{sum(kept)} of {len(kept)} configurations"
        f"{', AR where all ratings are positive left out' * bool(ar_of_positive.any())}"
    )


def _undefined_bpref(means: pd.DataFrame) -> tuple[bool, str]:
    under_1r = means[means["protocol"].str.startswith("1R")]
    there = bool(under_1r["metric"].str.startswith("bpref").any())
    return not there, f"bpref has {'a' if there else 'no'} value under 1R"


def _who_puts(metrics: list[str]) -> str:
    return f"{' and '.join(metrics)} put{'s' * (len(metrics) == 1)}"


def _with_judged_pool(means: pd.DataFrame, dataset: str) -> str:
    """Say whom the other form of infAP puts first under AR, with the values of three systems."""
    judged = means[(means["metric"] == "infAP(form=bellogin)") & (means["dataset"] == dataset)]
    under_ar = judged[judged["protocol"].str.startswith("AR")]
    ranked = dict(
        zip(dict.fromkeys(under_ar["protocol"]), _values(under_ar, ["protocol"]), strict=True)
    )
    protocol, values = next(iter(ranked.items()))
    alike = len({str(of_protocol.index[0]) for of_protocol in ranked.values()}) == 1
    shown = ", ".join(
        f"{NAMES[str(system)]} {short_value(values[system])}"
        for system in values.index
        if system in ("plsa", "pop", "mf")
    )
    where, example = ("under AR", f"in {protocol} ") if alike else (f"in {protocol}", "")
    return f"{NAMES[str(values.index[0])]} first {where} on {DATASETS[dataset]} ({example}{shown})"


def _values(means: pd.DataFrame, keys: list[str]) -> Iterator[pd.Series[float]]:
    """Return the values of systems from the best on, a series a group in the order of rows."""
    for _, own in means.groupby(keys, sort=False):
        yield own.set_index("system")["value"].sort_values(ascending=False, kind="stable")
