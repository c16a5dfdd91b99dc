# SPDX-License-Identifier: MIT
"""Offline evaluation of recommender systems: splits, systems, protocols, metrics, statistics.

The reproduction of five papers is built on this library, which never imports snakemake. Evaluation
is based on the ranks of the judged items: they contain all that matters of a system on a split
under a protocol (:mod:`receval.protocols`), and every metric is computed from them
(:mod:`receval.metrics`).

Examples
--------
>>> import receval as rv
>>> table = {"user": list("aaabbbcc"), "item": list("xyzxyzxy"), "rating": [5, 4, 3, 2, 1, 5, 4, 4]}
>>> halves = rv.split(rv.read_ratings(table), "user-ratio", train_ratio=0.5, seed=1)
>>> result = rv.evaluate(halves, {"Pop": rv.Popularity()}, metrics=["RR"], relevant=3)
>>> result.summary()["users"].tolist()
[3]
"""

from receval.lazy_names import lazy_names

__version__ = "1.1.0.dev0"

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "read_ratings": "receval.data.ratings_table:read_ratings",
        "Ratings": "receval.data.ratings:Ratings",
        "read_features": "receval.data.features:read_features",
        "Features": "receval.data.features:Features",
        "split": "receval.splits.split_ratings:split",
        "SplitRatings": "receval.splits.split_ratings:SplitRatings",
        "load_split": "receval.splits.split_ratings:load_split",
        "evaluate": "receval.evaluation.systems:evaluate_systems",
        "recommend": "receval.evaluation.fitted_systems:recommend",
        "evaluate_runs": "receval.evaluation.runs:evaluate_runs",
        "evaluate_large_runs": "receval.large_runs.evaluate:evaluate_large_runs",
        "EvaluationResult": "receval.evaluation.result:EvaluationResult",
        "GroupedResult": "receval.evaluation.groups:GroupedResult",
        "tune": "receval.tuning.tune:tune",
        "TuningResult": "receval.tuning.tune:TuningResult",
        "load_result": "receval.evaluation.result:load_result",
        "read_run": "receval.data.run:read_run",
        "write_run": "receval.data.run:write_run",
        "Run": "receval.data.run:Run",
        "Protocol": "receval.protocols.protocol:Protocol",
        "protocol": "receval.protocols.protocol:parse_protocol",
        "Metric": "receval.metrics.metric:Metric",
        "ListMetric": "receval.metrics.whole_lists.list_metric:ListMetric",
        "TopLists": "receval.top_lists:TopLists",
        "metric_of": "receval.metrics.own_metrics:metric_of_function",
        "metric": "receval.metrics.aliases:any_metric",
        "diagnose": "receval.diagnosis.diagnose:diagnose",
        "explore_ratings": "receval.multiverse.explore_ratings:explore_ratings",
        "audit_samples": "receval.sampled_metrics.audit:audit_samples",
        "dialect": "receval.metrics.dialects:dialect",
        "Dialect": "receval.metrics.dialects:Dialect",
        "leakage": "receval.splits.leakage:leakage",
        "compare_by_lexirecall": "receval.evaluation.lexicographic_pairs:compare_by_lexirecall",
        "unbiased_estimates": "receval.missing_judgments.estimators:unbiased_estimates",
        "PopularityPropensities": "receval.missing_judgments.propensities:PopularityPropensities",
        "SamplePropensities": "receval.missing_judgments.propensities:SamplePropensities",
        "KnownPropensities": "receval.missing_judgments.propensities:KnownPropensities",
        "adapt": "receval.recommenders.adapters.adapt:adapt",
        "of_scores": "receval.recommenders.adapters.scores:of_scores",
        "Recommender": "receval.recommenders.base:Recommender",
        "Random": "receval.recommenders.non_personalised:Random",
        "Popularity": "receval.recommenders.non_personalised:Popularity",
        "AverageRating": "receval.recommenders.non_personalised:AverageRating",
        "UserKNN": "receval.recommenders.knn:UserKNN",
        "ItemKNN": "receval.recommenders.knn:ItemKNN",
        "Rocchio": "receval.recommenders.rocchio:Rocchio",
        "RelevanceModel": "receval.recommenders.relevance_model:RelevanceModel",
        "SLIM": "receval.recommenders.slim:SLIM",
        "EASE": "receval.recommenders.ease:EASE",
        "BiasedMF": "receval.recommenders.biased_mf:BiasedMF",
        "PureSVD": "receval.recommenders.puresvd:PureSVD",
        "WRMF": "receval.recommenders.wrmf:WRMF",
        "EALS": "receval.recommenders.eals:EALS",
        "BPRMF": "receval.recommenders.bprmf:BPRMF",
        "PLSA": "receval.recommenders.plsa:PLSA",
        "LDA": "receval.recommenders.lda:LDA",
        "PoissonFactorisation": "receval.recommenders.poisson_factorisation:PoissonFactorisation",
    },
)
