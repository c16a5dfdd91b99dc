# SPDX-License-Identifier: MIT
"""Offline evaluation of recommender systems: splits, systems, protocols, metrics, statistics.

The library under the reproduction of five papers; it never imports snakemake. Evaluation rests
on one idea: all that a system does on a split under a protocol is told by the rank of every
judged item (:mod:`receval.protocols`), and every metric is a cheap function of that column
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

__version__ = "1.0.0"

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "read_ratings": "receval.interchange.ratings_table:read_ratings",
        "Ratings": "receval.ratings:Ratings",
        "split": "receval.comparison.splitting:split",
        "SplitRatings": "receval.comparison.splitting:SplitRatings",
        "evaluate": "receval.comparison.systems:evaluate_systems",
        "evaluate_runs": "receval.comparison.runs:evaluate_runs",
        "EvaluationResult": "receval.comparison.result:EvaluationResult",
        "read_run": "receval.interchange.run_files:read_run",
        "write_run": "receval.interchange.run_files:write_run",
        "Run": "receval.interchange.run:Run",
        "Protocol": "receval.protocols.protocol:Protocol",
        "protocol": "receval.protocols.names:parse_protocol",
        "Metric": "receval.metrics.metric:Metric",
        "metric": "receval.metrics.usual_names:metric_of_usual_name",
        "diagnose": "receval.diagnosis.diagnose:diagnose",
        "explore_ratings": "receval.own_multiverse.exploring:explore_ratings",
        "audit_samples": "receval.sampling_audit.audit:audit_samples",
        "dialect": "receval.dialects.registry:dialect",
        "Dialect": "receval.dialects.dialect:Dialect",
        "leakage": "receval.comparison.leakage_of_splits:leakage",
        "compare_by_lexirecall": "receval.comparison.lexicographic_pairs:compare_by_lexirecall",
        "unbiased_estimates": "receval.unbiased.estimates_of_systems:unbiased_estimates",
        "PopularityPropensities": "receval.unbiased.propensities:PopularityPropensities",
        "SamplePropensities": "receval.unbiased.propensities:SamplePropensities",
        "KnownPropensities": "receval.unbiased.propensities:KnownPropensities",
        "adapt": "receval.adapters.adapt:adapt",
        "of_scores": "receval.adapters.scores:of_scores",
        "Recommender": "receval.recommenders.base:Recommender",
        "Random": "receval.recommenders.non_personalised:Random",
        "Popularity": "receval.recommenders.non_personalised:Popularity",
        "AverageRating": "receval.recommenders.non_personalised:AverageRating",
        "UserKNN": "receval.recommenders.knn:UserKNN",
        "ItemKNN": "receval.recommenders.knn:ItemKNN",
        "Rocchio": "receval.recommenders.rocchio:Rocchio",
        "RelevanceModel": "receval.recommenders.relevance_model:RelevanceModel",
        "SLIM": "receval.recommenders.slim:SLIM",
        "PureSVD": "receval.recommenders.puresvd:PureSVD",
        "WRMF": "receval.recommenders.wrmf:WRMF",
        "EALS": "receval.recommenders.eals:EALS",
        "BPRMF": "receval.recommenders.bprmf:BPRMF",
        "PLSA": "receval.recommenders.plsa:PLSA",
        "LDA": "receval.recommenders.lda:LDA",
        "PoissonFactorisation": "receval.recommenders.poisson_factorisation:PoissonFactorisation",
    },
)
