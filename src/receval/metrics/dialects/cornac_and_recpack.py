# SPDX-License-Identifier: MIT
"""The metric dialects of Cornac and RecPack."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_OF_SCORES = "it needs the scores of items that are not relevant, which lists do not have"

CORNAC = Dialect(
    name="cornac",
    tool="Cornac",
    version="3.0.1",
    sources=(
        "cornac/metrics/ranking.py",
        "cornac/eval_methods/base_method.py",
        "cornac/models/recommender.py",
    ),
    entries=(
        ToolMetric("NDCG", "nDCG(gain=binary)", cutoff="optional"),
        ToolMetric("Precision", "P", cutoff="optional"),
        ToolMetric("Recall", "Recall", cutoff="optional"),
        ToolMetric("HitRatio", "Hit", cutoff="optional"),
        ToolMetric("FMeasure", "F1", cutoff="optional", aliases=("F1",)),
        ToolMetric(
            "MAP",
            "AP",
            cutoff="none",
            note="Cornac ranks all candidates: give lists of all of them. It gives equal scores "
            "the last of their ranks.",
        ),
        ToolMetric("MRR", "RR", cutoff="none", note="Cornac fails for a user without a hit."),
    ),
    refused={
        "AUC": _OF_SCORES,
        "NCRR": "reciprocal ranks of all hits over their best sum are not among the metrics",
    },
    relevant=1.0,
    users="relevant",
    ties_in_words="by an unstable sort; here in the order of the list",
    caveats=("with exclude_unknowns Cornac drops test items that are not in the training data",),
    threshold_option="rating_threshold",
)
"""Cornac."""

RECPACK = Dialect(
    name="recpack",
    tool="RecPack",
    version="0.3.6",
    sources=("recpack/metrics/*.py", "recpack/util.py"),
    entries=(
        ToolMetric("NDCGK", "nDCG(gain=binary)", aliases=("NDCG",)),
        ToolMetric("PrecisionK", "P", aliases=("Precision",)),
        ToolMetric("RecallK", "Recall", aliases=("Recall",)),
        ToolMetric(
            "CalibratedRecallK", "Recall(denominator=reachable)", aliases=("CalibratedRecall",)
        ),
        ToolMetric("ReciprocalRankK", "RR", aliases=("ReciprocalRank",)),
        ToolMetric("HitK", "Hit(form=count)", aliases=("Hit",)),
    ),
    refused={
        "DCGK": "a gain that is not normalised is not among the metrics",
        "CoverageK": "it is about the items of all lists together",
        "PercentileRanking": "it needs the ranks of all candidates",
        "IPSHitRateK": "it needs the inverse propensities of items",
        "IntraListDiversityK": "it needs features of items",
    },
    relevant="positive",
    users="relevant",
    ties_in_words="by an unstable partition; here in the order of the list",
    caveats=("in RecPack, items with a negative test value are relevant, too",),
)
"""RecPack."""
