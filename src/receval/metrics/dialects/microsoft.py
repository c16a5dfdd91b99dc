# SPDX-License-Identifier: MIT
"""The metric dialect of Microsoft's Recommenders."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_OF_ITEMS = "it is about the items of all lists together, and metrics here are of single lists"
_BELOW_0 = "The tool subtracts ratings below 0; here their gain is 0."

RECOMMENDERS = Dialect(
    name="recommenders",
    tool="Microsoft recommenders",
    version="1.2.1",
    sources=("recommenders/evaluation/python_evaluation.py",),
    entries=(
        ToolMetric("precision_at_k", "P", aliases=("precision_at", "precision")),
        ToolMetric("recall_at_k", "Recall", aliases=("recall_at", "recall")),
        ToolMetric("map", "AP"),
        ToolMetric("map_at_k", "AP(denominator=reachable)", aliases=("map_at",)),
        *(
            ToolMetric(
                f"ndcg_at_k{option}",
                label,
                users="tested",
                aliases=(f"ndcg_at{option}", f"ndcg{option}"),
                note=note,
            )
            for option, label, note in (
                ("", "nDCG(gain=binary)", ""),
                (" score_type=binary", "nDCG(gain=binary)", ""),
                (" score_type=raw", "nDCG", _BELOW_0),
                (" score_type=exp", "nDCG(gain=exp)", _BELOW_0),
                (" score_type=exp discfun_type=log2", "nDCG(gain=exp)", _BELOW_0),
            )
        ),
    ),
    refused={
        "r_precision_at_k": "it averages users with a hit alone (Rprec of ours averages all)",
        "auc": "it is of the pairs of all users and items together",
        "catalog_coverage": _OF_ITEMS,
        "distributional_coverage": _OF_ITEMS,
        "novelty": _OF_ITEMS,
        "diversity": _OF_ITEMS,
        "serendipity": _OF_ITEMS,
    },
    relevant="any",
    users="covered",
    caveats=("if no list has a hit, the tool returns 0",),
)
"""Recommenders; precision, recall and MAP are over users with a list, nDCG over all tested."""
