"""Which metrics there are, by name, without importing them."""

from __future__ import annotations

from typing import Any

METRICS = {
    "P": "receval.metrics.precision:Precision",
    "antiP": "receval.metrics.precision:AntiPrecision",
    "Recall": "receval.metrics.recall:Recall",
    "StratifiedRecall": "receval.metrics.recall:StratifiedRecall",
    "Fallout": "receval.metrics.recall:Fallout",
    "F1": "receval.metrics.f_measure:F1",
    "AP": "receval.metrics.average_precision:AveragePrecision",
    "nDCG": "receval.metrics.ndcg:NDCG",
    "nDCL": "receval.metrics.ndcg:NDCL",
    "RR": "receval.metrics.reciprocal_rank:ReciprocalRank",
    "antiRR": "receval.metrics.reciprocal_rank:AntiReciprocalRank",
    "ERR": "receval.metrics.expected_reciprocal_rank:ExpectedReciprocalRank",
    "bpref": "receval.metrics.bpref:BinaryPreference",
    "infAP": "receval.metrics.inferred_average_precision:InferredAveragePrecision",
    "RBP": "receval.metrics.rank_biased_precision:RankBiasedPrecision",
    "RBPresidual": "receval.metrics.rank_biased_precision:RankBiasedResidual",
    "RBO": "receval.metrics.rank_biased_overlap:RankBiasedOverlap",
    "tau": "receval.metrics.kendall_tau:KendallTau",
    "Coverage": "receval.metrics.coverage:Coverage",
    "UserCoverage": "receval.metrics.coverage:UserCoverage",
    "Unjudged": "receval.metrics.coverage:Unjudged",
}
"""Class of each metric by name, imported when it is asked for."""

RELEASED: dict[str, tuple[str, dict[str, Any]]] = {
    "set_P": ("P", {}),
    "set_recall": ("Recall", {}),
    "set_F": ("F1", {}),
    "map": ("AP", {}),
    "ndcg": ("nDCG", {"ideal": "all"}),
    "recip_rank": ("RR", {}),
    "err": ("ERR", {"maximum": "user"}),
    "infAP2": ("infAP", {}),
}
"""Measures of valcarce2018's released tool by its names, and the metrics that they are.

They are read, never printed: a metric has one label. The tool's lists have 100 items, so that
``set_P(depth=100)`` is ``P(depth=100)``.
"""


def module_of(label: str) -> str:
    """Return the module that defines the metric of a label, for code digests.

    Raises
    ------
    ValueError
        The label names no metric.
    """
    return METRICS[metric_of(label.strip().partition("@")[0].partition("(")[0])].partition(":")[0]


def metric_of(name: str) -> str:
    """Return the name in :data:`METRICS` of a metric or of a measure of the released tool.

    Raises
    ------
    ValueError
        There is no such metric.
    """
    own = RELEASED[name][0] if name in RELEASED else name
    if own not in METRICS:
        raise ValueError(
            f"There is no metric {name!r}; there are {', '.join(METRICS)}, and, by the names of "
            f"valcarce2018's released tool, {', '.join(RELEASED)}."
        )
    return own
