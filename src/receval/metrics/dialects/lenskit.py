# SPDX-License-Identifier: MIT
"""The metric dialects of LensKit for Python: 2025, and earlier versions."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_NOT_NORMALISED = "a gain that is not normalised is not among the metrics"
_OF_ITEMS = "it is about the items of lists, not about hits"
_BELOW_0 = "LensKit subtracts ratings below 0; here their gain is 0."

LENSKIT = Dialect(
    name="lenskit",
    tool="LensKit",
    version="2025.8.1",
    sources=(
        "lenskit/metrics/ranking/*.py",
        "lenskit/metrics/bulk.py",
        "lenskit/metrics/_collect.py",
    ),
    entries=(
        ToolMetric("Precision", "P(denominator=filled)", cutoff="optional"),
        ToolMetric("Recall", "Recall(denominator=reachable)", cutoff="optional"),
        ToolMetric("Hit", "Hit", cutoff="optional"),
        ToolMetric("RecipRank", "RR", cutoff="optional"),
        ToolMetric("AveragePrecision", "AP(denominator=listed)", cutoff="optional"),
        ToolMetric("NDCG", "nDCG(discount=log-after-2,gain=binary)", cutoff="optional"),
        ToolMetric(
            "NDCG gain=rating", "nDCG(discount=log-after-2)", cutoff="optional", note=_BELOW_0
        ),
        ToolMetric("NDCG weight=LogRankWeight(offset=1)", "nDCG(gain=binary)", cutoff="optional"),
        ToolMetric(
            "NDCG gain=rating weight=LogRankWeight(offset=1)",
            "nDCG",
            cutoff="optional",
            note=_BELOW_0,
        ),
        ToolMetric("RBP", "RBP(phi=0.85)", cutoff="optional"),
        ToolMetric("RBP patience=0.5", "RBP(phi=0.5)", cutoff="optional"),
        ToolMetric("RBP normalize=True", "RBP(denominator=best,phi=0.85)", cutoff="optional"),
    ),
    refused={
        "DCG": _NOT_NORMALISED,
        "ListGini": _OF_ITEMS,
        "ExposureGini": _OF_ITEMS,
        "MeanPopRank": _OF_ITEMS,
    },
    relevant="any",
    users="covered",
    caveats=(
        "LensKit averages the users of the run; those without a test rating count 0",
        "LensKit counts 0 for a user with an empty list; here such users are left out",
    ),
)
"""LensKit for Python 2025, with the averages of ``list_summary``."""

LENSKIT_0_14 = Dialect(
    name="lenskit-0.14",
    tool="LensKit",
    version="0.14.4",
    sources=("lenskit/metrics/topn.py", "lenskit/topn.py"),
    entries=(
        ToolMetric("precision", "P", aliases=("precision without=rating",)),
        ToolMetric(
            "precision without=rank",
            "P(denominator=filled)",
            aliases=("precision without=rating without=rank",),
            note="For lists without a column rank.",
        ),
        *(
            ToolMetric(
                name,
                label,
                aliases=(
                    f"{name} without=rating",
                    f"{name} without=rank",
                    f"{name} without=rating without=rank",
                ),
            )
            for name, label in (
                ("recall", "Recall(denominator=reachable)"),
                ("hit", "Hit"),
                ("recip_rank", "RR"),
            )
        ),
        ToolMetric(
            "ndcg",
            "nDCG(discount=log-after-2)",
            aliases=("ndcg without=rank",),
        ),
        ToolMetric(
            "ndcg without=rating",
            "nDCG(discount=log-after-2,gain=binary)",
            aliases=("ndcg without=rating without=rank",),
            note="For test data without a column rating.",
        ),
    ),
    refused={"dcg": _NOT_NORMALISED},
    relevant="any",
    users="covered",
    caveats=("LensKit averages the users of the run, also those without a test rating",),
)
"""LensKit for Python before 2025."""
