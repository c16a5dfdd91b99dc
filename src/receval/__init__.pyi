# SPDX-License-Identifier: MIT
from receval.data.features import Features, read_features
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.data.run import Run, read_run, write_run
from receval.diagnosis.diagnose import diagnose
from receval.evaluation.fitted_systems import recommend
from receval.evaluation.groups import GroupedResult
from receval.evaluation.lexicographic_pairs import compare_by_lexirecall
from receval.evaluation.result import EvaluationResult, load_result
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems as evaluate
from receval.large_runs.evaluate import evaluate_large_runs
from receval.metrics.aliases import any_metric as metric
from receval.metrics.dialects import Dialect, dialect
from receval.metrics.metric import Metric
from receval.metrics.own_metrics import metric_of_function as metric_of
from receval.metrics.whole_lists.list_metric import ListMetric
from receval.missing_judgments.estimators import unbiased_estimates
from receval.missing_judgments.propensities import (
    KnownPropensities,
    PopularityPropensities,
    SamplePropensities,
)
from receval.multiverse.explore_ratings import explore_ratings
from receval.protocols.protocol import Protocol
from receval.protocols.protocol import parse_protocol as protocol
from receval.recommenders.adapters.adapt import adapt
from receval.recommenders.adapters.scores import of_scores
from receval.recommenders.base import Recommender
from receval.recommenders.biased_mf import BiasedMF
from receval.recommenders.bprmf import BPRMF
from receval.recommenders.eals import EALS
from receval.recommenders.ease import EASE
from receval.recommenders.knn import ItemKNN, UserKNN
from receval.recommenders.lda import LDA
from receval.recommenders.non_personalised import AverageRating, Popularity, Random
from receval.recommenders.plsa import PLSA
from receval.recommenders.poisson_factorisation import PoissonFactorisation
from receval.recommenders.puresvd import PureSVD
from receval.recommenders.relevance_model import RelevanceModel
from receval.recommenders.rocchio import Rocchio
from receval.recommenders.slim import SLIM
from receval.recommenders.wrmf import WRMF
from receval.sampled_metrics.audit import audit_samples
from receval.splits.leakage import leakage
from receval.splits.split_ratings import SplitRatings, load_split, split
from receval.top_lists import TopLists
from receval.tuning.tune import TuningResult, tune

__version__: str

__all__ = [
    "BPRMF",
    "EALS",
    "EASE",
    "LDA",
    "PLSA",
    "SLIM",
    "WRMF",
    "AverageRating",
    "BiasedMF",
    "Dialect",
    "EvaluationResult",
    "Features",
    "GroupedResult",
    "ItemKNN",
    "KnownPropensities",
    "ListMetric",
    "Metric",
    "PoissonFactorisation",
    "Popularity",
    "PopularityPropensities",
    "Protocol",
    "PureSVD",
    "Random",
    "Ratings",
    "Recommender",
    "RelevanceModel",
    "Rocchio",
    "Run",
    "SamplePropensities",
    "SplitRatings",
    "TopLists",
    "TuningResult",
    "UserKNN",
    "adapt",
    "audit_samples",
    "compare_by_lexirecall",
    "diagnose",
    "dialect",
    "evaluate",
    "evaluate_large_runs",
    "evaluate_runs",
    "explore_ratings",
    "leakage",
    "load_result",
    "load_split",
    "metric",
    "metric_of",
    "of_scores",
    "protocol",
    "read_features",
    "read_ratings",
    "read_run",
    "recommend",
    "split",
    "tune",
    "unbiased_estimates",
    "write_run",
]
