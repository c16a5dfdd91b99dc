# SPDX-License-Identifier: MIT
"""The metric dialects of Elliot and WarpRec, which is by the same authors."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_AUC = "it needs the number of items that are not in the list, by the user's training ratings"
_MAR = "the mean of recalls at several ranks is not among the metrics"
_OF_ITEMS = "it is about the items of all lists together, and metrics here are of single lists"

ELLIOT = Dialect(
    name="elliot",
    tool="Elliot",
    version="0.3.1",
    sources=(
        "elliot/evaluation/relevance/relevance.py",
        "elliot/evaluation/metrics/accuracy/*",
        "elliot/evaluation/accelerated_metrics.py",
    ),
    entries=(
        ToolMetric("nDCG", "nDCG(gain=exp-steps)"),
        ToolMetric("nDCGRendle2020", "nDCG(gain=binary)"),
        ToolMetric("MAP", "AP(denominator=cutoff,terms=ranks)"),
        ToolMetric("MRR", "RR"),
        ToolMetric("Recall", "Recall"),
        ToolMetric("Precision", "P"),
        ToolMetric("HR", "Hit"),
        ToolMetric("F1", "F1"),
    ),
    refused={
        "AUC": _AUC,
        "GAUC": _AUC,
        "LAUC": _AUC,
        "MAR": _MAR,
        "DSC": "its definition has not been read",
        "ExtendedF1": "its definition has not been read",
        "ItemCoverage": _OF_ITEMS,
        "Gini": _OF_ITEMS,
        "SEntropy": _OF_ITEMS,
    },
    relevant=0.0,
    users="relevant-covered",
    ties_in_words="any order (its proxy: that of the file); here in the order of the list",
    caveats=(
        "Elliot counts 0 for a user with an empty list, and leaves out a user without a list; here "
        "both are left out",
        "Elliot leaves out users who are not in the training data",
    ),
    threshold_option="relevance_threshold",
)
"""Elliot; its relevance_threshold is 0 by default."""

WARPREC = Dialect(
    name="warprec",
    tool="WarpRec",
    version="2.2.8",
    sources=("warprec/evaluation/metrics/accuracy/*", "warprec/evaluation/evaluator.py"),
    entries=(
        ToolMetric("nDCG", "nDCG(gain=exp-steps-from-0)"),
        ToolMetric("nDCGRendle2020", "nDCG(gain=binary)"),
        ToolMetric("MAP", "AP(denominator=reachable)"),
        ToolMetric("MRR", "RR"),
        ToolMetric("Recall", "Recall"),
        ToolMetric("Precision", "P"),
        ToolMetric("HitRate", "Hit", aliases=("HR",)),
        ToolMetric("F1", "F1"),
    ),
    refused={
        "AUC": _AUC,
        "GAUC": _AUC,
        "LAUC": _AUC,
        "MAR": _MAR,
        "ItemCoverage": _OF_ITEMS,
        "Gini": _OF_ITEMS,
        "ShannonEntropy": _OF_ITEMS,
    },
    relevant="positive",
    users="relevant",
    ties_in_words="in a random order by user, item and seed; here in the order of the list",
    caveats=("WarpRec computes in single precision: its values have 7 digits",),
)
"""WarpRec."""
