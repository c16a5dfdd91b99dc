# SPDX-License-Identifier: MIT
"""What was measured, in sentences for readers who know neither our names nor our defaults."""

from __future__ import annotations

from collections.abc import Mapping

from receval.metrics.dialects.words import USERS_IN_WORDS, metric_in_words
from receval.metrics.metric import Metric
from receval.protocols.protocol import Protocol

_CANDIDATES = {
    "AI": "all items",
    "TI": "all items that anybody has a test rating of",
    "train": "all items that have a training rating",
    "rated": "all items that have a training or a test rating",
}


def measured_in_words(
    protocols: Mapping[str, Protocol],
    metrics: Mapping[str, Metric],
    relevance: str,
    users: str,
) -> tuple[str, ...]:
    """Return what protocols and metrics do, what is relevant, and who is averaged.

    Examples
    --------
    >>> from receval.metrics.registry import parse
    >>> protocols, metrics = {"AR AI-AN": Protocol()}, {"P@5": parse("P@5")}
    >>> told = measured_in_words(protocols, metrics, "All test items are relevant.", "tested")
    >>> print(*told, sep=chr(10))
    All test items are relevant.
    AR AI-AN: each user has one list of the candidates, which are all items, less the user's
    training items.
    P@5: hits / k, also where the list is shorter (k = 5).
    Averages are over users with a test rating.
    """
    told = [relevance]
    told += [f"{name}: {_protocol_in_words(own)}." for name, own in protocols.items()]
    for name, metric in metrics.items():
        told.append(f"{name}: {_metric_in_words(metric)}.")
    return (*told, f"Averages are over {USERS_IN_WORDS[users]}.")


def _metric_in_words(metric: Metric) -> str:
    """Return the definition of a metric, and of which part of a list it is."""
    try:
        definition = metric_in_words(metric)
    except ValueError:
        # No other tool has it; its card begins with what it is.
        definition = (type(metric).__doc__ or "").strip().splitlines()[0].rstrip(".")
    if metric.cutoff is None:
        definition = definition.replace(" within k", "")
    else:
        definition += f" (k = {metric.cutoff})"
    if metric.depth is not None:
        definition += f", of the first {metric.depth} items"
    if metric.condensed:
        definition += ", on lists without the items that are not judged"
    return definition


def _protocol_in_words(protocol: Protocol) -> str:
    candidates = f"{_CANDIDATES[protocol.candidates]}, less the user's training items"
    if protocol.head_removed is not None:
        candidates += f" and the {100 * protocol.head_removed:g} % most popular items"
    if protocol.sampled is None:
        others = "those that are not relevant"
    else:
        drawn = "" if protocol.sampled_by == "uniform" else " in proportion to their popularity"
        others = f"{protocol.sampled:,} of the others, drawn{drawn or ' at random'}"
    if protocol.relevant == "1R":
        within = "" if protocol.percentiles is None else " of about the same popularity"
        return (
            f"each relevant test item has a list of its own, among {others}{within}; "
            f"candidates are {candidates}"
        )
    if protocol.sampled is None:
        return f"each user has one list of the candidates, which are {candidates}"
    return (
        f"each user has one list of all relevant test items and {others}; candidates are "
        f"{candidates}"
    )
