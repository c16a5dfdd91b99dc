# SPDX-License-Identifier: MIT
"""The metric dialect of RecBole."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_OF_ITEMS = "it is about the items of all lists together, and metrics here are of single lists"
_OF_SCORES = "it needs the scores of items that are not relevant, which lists do not have"

RECBOLE = Dialect(
    name="recbole",
    tool="RecBole",
    version="1.2.1",
    sources=(
        "recbole/evaluator/metrics.py",
        "recbole/evaluator/base_metric.py",
        "recbole/evaluator/collector.py",
        "recbole/properties/overall.yaml",
    ),
    entries=(
        ToolMetric("ndcg", "nDCG(gain=binary)"),
        ToolMetric("map", "AP(denominator=reachable)"),
        ToolMetric("mrr", "RR"),
        ToolMetric("recall", "Recall"),
        ToolMetric("precision", "P"),
        ToolMetric("hit", "Hit", aliases=("hr", "hitratio")),
    ),
    refused={
        "auc": _OF_SCORES,
        "gauc": _OF_SCORES,
        "logloss": _OF_SCORES,
        "itemcoverage": _OF_ITEMS,
        "giniindex": _OF_ITEMS,
        "shannonentropy": _OF_ITEMS,
        "averagepopularity": _OF_ITEMS,
        "tailpercentage": _OF_ITEMS,
    },
    relevant="any",
    users="tested",
    ties_in_words="torch.topk promises no order; here in the order of the list",
    caveats=(
        "RecBole rounds averages to metric_decimal_place digits, by default 4",
        "RecBole fills every list; the missing items of a short list count as misses here",
    ),
)
"""RecBole."""
