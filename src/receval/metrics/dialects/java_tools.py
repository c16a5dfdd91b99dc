# SPDX-License-Identifier: MIT
"""The metric dialects of RankSys and LibRec."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_AUC = "LibRec's AUC goes through a list in the order of a hash table"
_ONE_OUT = "LibRec has it for users with one test item alone: Hit of ours is it"

RANKSYS = Dialect(
    name="ranksys",
    tool="RankSys",
    version="0.4.3",
    sources=("org.ranksys.metrics.basic.*", "org.ranksys.metrics.AverageRecommendationMetric"),
    entries=(
        ToolMetric("Precision", "P"),
        ToolMetric("Recall", "Recall"),
        ToolMetric(
            "AveragePrecision",
            "AP(denominator=reachable)",
            note="A user without a relevant test rating makes the average NaN in RankSys; here it "
            "counts 0.",
        ),
        ToolMetric("ReciprocalRank", "RR"),
        ToolMetric("NDCG", "nDCG(gain=exp-steps)"),
        ToolMetric("FScore", "F1"),
        ToolMetric("KCall", "Hit", note="KCall with 1 hit."),
    ),
    refused={
        "ERR": "its highest rating is that of the test data, and only relevant ratings satisfy",
        "AUC": "it is of the pairs of all users and items in one order",
        "ROCCurve": "it is of the pairs of all users and items in one order",
        "Coverage": "it is of all lists together",
        "NumRetrieved": "it is a number of items, not a metric",
    },
    relevant=1.0,
    users="tested",
    caveats=("RankSys divides by the number of lists if it is not told the number of users",),
    threshold_option="threshold",
)
"""RankSys; its threshold has no default."""


def _librec(name: str, version: str, entries: tuple[ToolMetric, ...]) -> Dialect:
    return Dialect(
        name=name,
        tool="LibRec",
        version=version,
        sources=("net.librec.eval.ranking.*",),
        entries=(
            ToolMetric("Precision", "P", aliases=("PrecisionEvaluator",)),
            ToolMetric("Recall", "Recall", aliases=("RecallEvaluator",)),
            ToolMetric("RR", "RR", aliases=("ReciprocalRank", "ReciprocalRankEvaluator")),
            *entries,
        ),
        refused={"AUC": _AUC, "HitRate": _ONE_OUT, "ARHR": _ONE_OUT},
        relevant="any",
        users="tested",
        ties_in_words="by LibRec's own selection; here in the order of the list",
        caveats=("LibRec makes ratings 0 or 1 if data.convert.binarize.threshold is set",),
    )


_AP = ("AveragePrecision", "AveragePrecisionEvaluator")

LIBREC_2 = _librec(
    "librec-2.0",
    "2.0",
    (
        ToolMetric(
            "AP",
            "AP(denominator=listed)",
            aliases=_AP,
            note="An empty list makes the average NaN in LibRec; here it counts 0.",
        ),
        ToolMetric(
            "NDCG",
            "nDCG(gain=binary,ideal=filled)",
            aliases=("NormalizedDCGEvaluator",),
            note="An empty list makes the average NaN in LibRec; here it counts 0.",
        ),
    ),
)
"""LibRec 2.0."""

LIBREC_3 = _librec(
    "librec-3.0",
    "3.0",
    (
        ToolMetric("AP", "AP(denominator=listed)", aliases=_AP, users="covered"),
        ToolMetric("NDCG", "nDCG(ideal=filled)", aliases=("NormalizedDCGEvaluator",)),
    ),
)
"""LibRec 3.0."""
