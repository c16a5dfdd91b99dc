# SPDX-License-Identifier: MIT
"""Registry of the metrics: find them by name, and parse their labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

from receval.metrics.labels import read_parameters
from receval.storage.messages import quoted

if TYPE_CHECKING:
    # Imported only for type checking: plans need the names of modules, not numerical libraries.
    from receval.metrics.metric import BaseMetric, Metric

METRICS = {
    "P": "receval.metrics.precision_and_recall:Precision",
    "antiP": "receval.metrics.precision_and_recall:AntiPrecision",
    "Recall": "receval.metrics.precision_and_recall:Recall",
    "StratifiedRecall": "receval.metrics.precision_and_recall:StratifiedRecall",
    "IPSHit": "receval.metrics.precision_and_recall:IPSHit",
    "Fallout": "receval.metrics.precision_and_recall:Fallout",
    "F1": "receval.metrics.precision_and_recall:F1",
    "Hit": "receval.metrics.precision_and_recall:Hit",
    "Accuracy": "receval.metrics.precision_and_recall:Accuracy",
    "MCC": "receval.metrics.precision_and_recall:MatthewsCorrelation",
    "Rprec": "receval.metrics.precision_and_recall:RPrecision",
    "AP": "receval.metrics.average_precision:AveragePrecision",
    "AverageRecall": "receval.metrics.average_precision:AverageRecall",
    "nDCG": "receval.metrics.ndcg:NDCG",
    "DCG": "receval.metrics.ndcg:DiscountedGain",
    "nDCL": "receval.metrics.ndcg:NDCL",
    "RR": "receval.metrics.reciprocal_rank:ReciprocalRank",
    "antiRR": "receval.metrics.reciprocal_rank:AntiReciprocalRank",
    "ERR": "receval.metrics.reciprocal_rank:ExpectedReciprocalRank",
    "AUC": "receval.metrics.auc:AUC",
    "GAUC": "receval.metrics.auc:GAUC",
    "logAUC": "receval.metrics.auc:LogAUC",
    "PartialAUC": "receval.metrics.auc:PartialAUC",
    "ListAUC": "receval.metrics.auc:ListAUC",
    "PercentileRank": "receval.metrics.auc:PercentileRank",
    "bpref": "receval.metrics.average_precision:BinaryPreference",
    "infAP": "receval.metrics.average_precision:InferredAveragePrecision",
    "RBP": "receval.metrics.rank_biased:RankBiasedPrecision",
    "RBPresidual": "receval.metrics.rank_biased:RankBiasedResidual",
    "RBO": "receval.metrics.rank_biased:RankBiasedOverlap",
    "tau": "receval.metrics.kendall_tau:KendallTau",
    "FilledRanks": "receval.metrics.coverage:FilledRanks",
    "UserCoverage": "receval.metrics.coverage:UserCoverage",
    "Unjudged": "receval.metrics.coverage:Unjudged",
}
"""Classes of the metrics by name, each imported when needed."""

LIST_METRICS = {
    "ItemCoverage": "receval.metrics.whole_lists.coverage:ItemCoverage",
    "Gini": "receval.metrics.whole_lists.coverage:Gini",
    "ExposureGini": "receval.metrics.whole_lists.coverage:ExposureGini",
    "ShannonEntropy": "receval.metrics.whole_lists.coverage:ShannonEntropy",
    "LeastRecommendedShare": "receval.metrics.whole_lists.coverage:LeastRecommendedShare",
    "ListShare": "receval.metrics.whole_lists.coverage:ListShare",
    "ARP": "receval.metrics.whole_lists.popularity:RecommendationPopularity",
    "APLT": "receval.metrics.whole_lists.popularity:LongTailPercentage",
    "ACLT": "receval.metrics.whole_lists.popularity:LongTailCoverage",
    "HeadShare": "receval.metrics.whole_lists.popularity:HeadShare",
    "MiddleShare": "receval.metrics.whole_lists.popularity:MiddleShare",
    "TailShare": "receval.metrics.whole_lists.popularity:TailShare",
    "PopularityLift": "receval.metrics.whole_lists.popularity:PopularityLift",
    "IPSRecall": "receval.metrics.whole_lists.popularity:InversePropensityRecall",
    "IPSDCG": "receval.metrics.whole_lists.popularity:InversePropensityGain",
    "PopularityMiscalibration": "receval.metrics.whole_lists.popularity:PopularityMiscalibration",
    "SelfInformation": "receval.metrics.whole_lists.novelty:InverseUserFrequency",
    "ItemAge": "receval.metrics.whole_lists.novelty:ItemAge",
    "EFD": "receval.metrics.whole_lists.novelty:ExpectedFreeDiscovery",
    "EPC": "receval.metrics.whole_lists.novelty:ExpectedPopularityComplement",
    "Unexpectedness": "receval.metrics.whole_lists.novelty:Unexpectedness",
    "Serendipity": "receval.metrics.whole_lists.novelty:Serendipity",
    "AWRF": "receval.metrics.whole_lists.exposure:AttentionWeightedRankFairness",
    "EED": "receval.metrics.whole_lists.exposure:ExpectedExposureDisparity",
    "EER": "receval.metrics.whole_lists.exposure:ExpectedExposureRelevance",
    "EEL": "receval.metrics.whole_lists.exposure:ExpectedExposureLoss",
    "InequityOfAttention": "receval.metrics.whole_lists.exposure:InequityOfAttention",
    "RSP": "receval.metrics.whole_lists.exposure:RankingStatisticalParity",
    "REO": "receval.metrics.whole_lists.exposure:RankingEqualOpportunity",
    "ItemMAD": "receval.metrics.whole_lists.exposure:ItemMeanAbsoluteDeviation",
    "Jain": "receval.metrics.whole_lists.item_fairness:JainIndex",
    "FSat": "receval.metrics.whole_lists.item_fairness:FractionOfSatisfiedItems",
    "AID": "receval.metrics.whole_lists.item_fairness:AllItemsDisparity",
    "IAA": "receval.metrics.whole_lists.joint_fairness:InequityOfAmortizedAttention",
    "IFD": "receval.metrics.whole_lists.joint_fairness:IndividualFairnessDisparity",
    "HD": "receval.metrics.whole_lists.joint_fairness:HellingerDistance",
    "MME": "receval.metrics.whole_lists.joint_fairness:MeanMaxEnvy",
    "IBO": "receval.metrics.whole_lists.joint_fairness:ItemsBetterOff",
    "IWO": "receval.metrics.whole_lists.joint_fairness:ItemsWorseOff",
    "IIF": "receval.metrics.whole_lists.joint_fairness:IndividualUserToItemFairness",
    "AIF": "receval.metrics.whole_lists.joint_fairness:AllUsersToItemFairness",
    "ILD": "receval.metrics.whole_lists.diversity:IntraListDiversity",
    "FeatureEntropy": "receval.metrics.whole_lists.diversity:FeatureEntropy",
    "FeatureVariety": "receval.metrics.whole_lists.diversity:FeatureVariety",
    "SubtopicRecall": "receval.metrics.whole_lists.diversity:SubtopicRecall",
    "alpha_nDCG": "receval.metrics.whole_lists.diversity:AlphaNDCG",
    "ERR_IA": "receval.metrics.whole_lists.diversity:ExpectedReciprocalRankOfSubtopics",
    "Miscalibration": "receval.metrics.whole_lists.calibration:Miscalibration",
    "BiasDisparity": "receval.metrics.whole_lists.calibration:BiasDisparity",
}
"""Likewise for metrics of whole lists (:mod:`receval.metrics.whole_lists`)."""

RATING_METRICS = {
    "MAE": "receval.metrics.rating_errors:MAE",
    "RMSE": "receval.metrics.rating_errors:RMSE",
    "MSE": "receval.metrics.rating_errors:MSE",
    "R2": "receval.metrics.rating_errors:RSquared",
    "PooledAUC": "receval.metrics.rating_errors:PooledAUC",
    "LogLoss": "receval.metrics.rating_errors:LogLoss",
}
"""Likewise for metrics of predicted ratings."""

ALL_METRICS = METRICS | LIST_METRICS | RATING_METRICS

OF_PAPERS = {"Coverage": "receval.metrics.coverage:Coverage"}
"""Likewise for names that only the papers of the studies use."""

_KNOWN = ALL_METRICS | OF_PAPERS

_LABEL = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>[1-9][0-9]{0,8}))?"
)


def module_of(label: str) -> str:
    """Return the module that defines the metric of a label (for digests of the code)."""
    name = metric_of(label.strip().partition("@")[0].partition("(")[0])
    return _KNOWN[name].partition(":")[0]


def metric_of(name: str) -> str:
    """Return the name of a metric, if there is one of this name."""
    if name not in _KNOWN:
        raise ValueError(
            f"There is no metric {quoted(name)}. The metrics are {', '.join(METRICS)} and "
            "those of whole lists and of predicted ratings in docs/metrics.md."
        )
    return name


def metric_class(name: str) -> type[BaseMetric]:
    """Return the class of a metric by its name."""
    module, _, symbol = _KNOWN[name].partition(":")
    found: type[BaseMetric] = getattr(import_module(module), symbol)
    return found


def parse(label: str) -> Metric:
    """Return the metric of judged ranks of a label such as ``P@10`` or ``nDCG(gain=exp)@10``.

    Parameters
    ----------
    label : str
        ``name(parameter=value,...)@cutoff``; parameters and cut-off may be left out. The label of
        the returned metric has its parameters in alphabetical order, defaults left out. Names of
        other tools are read only by their dialects (:mod:`receval.metrics.dialects`).

    Examples
    --------
    >>> parse("nDCG(gain=exp)@10").label
    'nDCG(gain=exp)@10'
    >>> parse("P@5").cutoff
    5
    """
    found = parse_any(label)
    if found.name in LIST_METRICS | RATING_METRICS:
        raise ValueError(
            f"{found.label} is computed from {found.computed_from}, but a metric of judged ranks "
            f"is needed here. These are {', '.join(METRICS)}."
        )
    return cast("Metric", found)


def parse_any(label: str) -> BaseMetric:
    """Return the metric of a label: of judged ranks, of whole lists or of predicted ratings.

    Examples
    --------
    >>> parse_any("Gini@10").label
    'Gini@10'
    """
    match = _LABEL.fullmatch(label.strip())
    if match is None:
        raise ValueError(
            f"{quoted(label)} is not the label of a metric. Write "
            "name(parameter=value,...)@cutoff, for example nDCG(gain=exp)@10."
        )
    kind = metric_class(metric_of(match["name"]))
    values = read_parameters(kind, match["parameters"] or "", label, leave_out=("cutoff",))
    return kind(cutoff=int(match["cutoff"]) if match["cutoff"] else None, **values)


def parse_named(names: Sequence[str], labels: Sequence[str]) -> dict[str, Metric]:
    """Return the metrics of some labels by the names that a paper uses.

    There must be one name for each label, and names differ.
    """
    if len(names) != len(labels) or len(set(names)) != len(names):
        raise ValueError(
            f"The names {', '.join(names)} do not fit the metrics {', '.join(labels)}. Give one "
            "name per metric, all of them different."
        )
    return {name: parse(label) for name, label in zip(names, labels, strict=True)}
