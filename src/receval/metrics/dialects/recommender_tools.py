# SPDX-License-Identifier: MIT
"""The metric dialects of tools for recommender systems."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_OF_ITEMS = "it is a metric of whole lists, which are not in dialects: docs/dialects.md names ours"
_OF_SCORES = "it needs the scores of items that are not relevant, which lists do not contain"
_WHOLE = "Give lists of all candidates: the tool counts those outside the list as well."
_OF_SEVERAL_RANKS = "the mean of recalls at several ranks is not among the metrics"
_NOT_NORMALISED = "a gain that is not normalised is not among the metrics"
_OF_LISTED_ITEMS = "it is about the items of lists, not about hits"
_IN_HASH_ORDER = "LibRec's AUC goes through a list in the order of a hash table"
_ONE_OUT = "LibRec computes it only for users with one test item, for whom Hit is the same"
_LENSKIT_BELOW_0 = "LensKit subtracts ratings below 0; here their gain is 0."
_BELOW_0 = "The tool subtracts ratings below 0; here their gain is 0."

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
        ToolMetric(
            "gauc",
            "GAUC(weight=relevant)",
            cutoff="none",
            note=f"{_WHOLE} Equal scores get the mean of their ranks in RecBole.",
        ),
    ),
    refused={
        **dict.fromkeys(("auc", "logloss"), _OF_SCORES),
        **dict.fromkeys(
            ("itemcoverage", "giniindex", "shannonentropy", "averagepopularity", "tailpercentage"),
            _OF_ITEMS,
        ),
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
        ToolMetric(
            "AUC",
            "GAUC(others=one-more,weight=relevant)",
            cutoff="none",
            note=_WHOLE,
        ),
        ToolMetric("GAUC", "AUC(others=one-more)", cutoff="none", note=_WHOLE),
        ToolMetric("LAUC", "AUC(denominator=reachable,others=one-more)", note=_WHOLE),
    ),
    refused={
        "MAR": _OF_SEVERAL_RANKS,
        **dict.fromkeys(("DSC", "ExtendedF1"), "its definition has not been read"),
        **dict.fromkeys(("ItemCoverage", "Gini", "SEntropy"), _OF_ITEMS),
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
        ToolMetric(
            "AUC",
            "GAUC(others=one-more,weight=relevant)",
            cutoff="none",
            note=_WHOLE,
        ),
        ToolMetric("GAUC", "AUC(others=one-more)", cutoff="none", note=_WHOLE),
        ToolMetric("LAUC", "AUC(denominator=reachable,others=one-more)", note=_WHOLE),
    ),
    refused={
        "MAR": _OF_SEVERAL_RANKS,
        **dict.fromkeys(("ItemCoverage", "Gini", "ShannonEntropy"), _OF_ITEMS),
    },
    relevant="positive",
    users="relevant",
    ties_in_words="in a random order by user, item and seed; here in the order of the list",
    caveats=("WarpRec computes in single precision: its values have 7 digits",),
)
"""WarpRec."""

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
            "NDCG gain=rating",
            "nDCG(discount=log-after-2)",
            cutoff="optional",
            note=_LENSKIT_BELOW_0,
        ),
        ToolMetric("NDCG weight=LogRankWeight(offset=1)", "nDCG(gain=binary)", cutoff="optional"),
        ToolMetric(
            "NDCG gain=rating weight=LogRankWeight(offset=1)",
            "nDCG",
            cutoff="optional",
            note=_LENSKIT_BELOW_0,
        ),
        ToolMetric("RBP", "RBP(phi=0.85)", cutoff="optional"),
        ToolMetric("RBP patience=0.5", "RBP(phi=0.5)", cutoff="optional"),
        ToolMetric("RBP normalize=True", "RBP(denominator=best,phi=0.85)", cutoff="optional"),
    ),
    refused={
        "DCG": _NOT_NORMALISED,
        **dict.fromkeys(("ListGini", "ExposureGini", "MeanPopRank"), _OF_LISTED_ITEMS),
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
            note="Cornac ranks all candidates, so give lists of all candidates. Equal scores all "
            "get the last of their ranks.",
        ),
        ToolMetric("MRR", "RR", cutoff="none", note="Cornac fails for a user without a hit."),
        ToolMetric(
            "AUC",
            "AUC",
            cutoff="none",
            note="Give lists of all candidates. In Cornac, pairs with equal scores are wrong.",
        ),
    ),
    refused={
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
        "CoverageK": "it describes the items of all lists together",
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

RECTOOLS = Dialect(
    name="rectools",
    tool="RecTools",
    version="0.19.0",
    sources=("rectools/metrics/classification.py", "rectools/metrics/ranking.py"),
    entries=(
        ToolMetric("NDCG", "nDCG(gain=binary,ideal=ranks)"),
        ToolMetric("NDCG divide_by_achievable=True", "nDCG(gain=binary)"),
        ToolMetric("MAP", "AP"),
        ToolMetric("MAP divide_by_k=True", "AP(denominator=cutoff)"),
        ToolMetric("MRR", "RR"),
        ToolMetric("Recall", "Recall"),
        ToolMetric("Precision", "P"),
        ToolMetric("Precision r_precision=True", "Recall(denominator=reachable)"),
        ToolMetric("F1Beta", "F1", aliases=("F1",)),
        ToolMetric("HitRate", "Hit"),
    ),
    refused={
        **dict.fromkeys(("Accuracy", "MCC"), "it counts the items that are not recommended, too"),
        **dict.fromkeys(
            ("PartialAUC", "PAP"), "its cut-off is a number of items that are not relevant"
        ),
        **dict.fromkeys(
            ("CatalogCoverage", "AvgRecPopularity", "MeanInvUserFreq", "IntraListDiversity"),
            _OF_ITEMS,
        ),
        "Serendipity": _OF_LISTED_ITEMS,
    },
    relevant="any",
    users="tested",
    ties_in_words="by the column rank; here in the order of the list",
    caveats=("with debias_config RecTools draws from the test ratings",),
)
"""RecTools; every interaction that it is given counts as relevant."""

REPLAY = Dialect(
    name="replay",
    tool="RePlay",
    version="0.22.0",
    sources=("replay/metrics/*.py",),
    entries=(
        ToolMetric("NDCG", "nDCG(gain=binary)"),
        ToolMetric("MAP", "AP(denominator=reachable)"),
        ToolMetric("MRR", "RR"),
        ToolMetric("Recall", "Recall"),
        ToolMetric("Precision", "P"),
        ToolMetric("HitRate", "Hit"),
    ),
    refused={
        "RocAuc": "its pairs are those of the items in the list",
        **dict.fromkeys(("Coverage", "Surprisal", "Unexpectedness"), _OF_ITEMS),
        **dict.fromkeys(("Novelty", "CategoricalDiversity"), _OF_LISTED_ITEMS),
    },
    relevant="any",
    users="tested",
    ties_in_words="in the order of the list; from tables the last identifier first",
)
"""RePlay; every row of the ground truth counts as relevant."""

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
        **dict.fromkeys(
            ("AUC", "ROCCurve"), "it is computed from the pairs of all users and items in one order"
        ),
        "Coverage": "it is computed from all lists together",
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
        refused={"AUC": _IN_HASH_ORDER, "HitRate": _ONE_OUT, "ARHR": _ONE_OUT},
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
        "r_precision_at_k": "it averages only users with a hit (Rprec of receval averages all)",
        "auc": "it is computed from the pairs of all users and items together",
        **dict.fromkeys(
            ("catalog_coverage", "distributional_coverage", "novelty", "diversity", "serendipity"),
            _OF_ITEMS,
        ),
    },
    relevant="any",
    users="covered",
    caveats=("if no list has a hit, the tool returns 0",),
)
"""Recommenders; precision, recall and MAP are over users with a list, nDCG over all tested."""
