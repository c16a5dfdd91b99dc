# SPDX-License-Identifier: MIT
from receval.adapters.adapt import adapt
from receval.adapters.scores import of_scores
from receval.comparison.leakage_of_splits import leakage
from receval.comparison.lexicographic_pairs import compare_by_lexirecall
from receval.comparison.result import EvaluationResult
from receval.comparison.runs import evaluate_runs
from receval.comparison.splitting import SplitRatings, split
from receval.comparison.systems import evaluate_systems as evaluate
from receval.diagnosis.diagnose import diagnose
from receval.dialects.dialect import Dialect
from receval.dialects.registry import dialect
from receval.interchange.ratings_table import read_ratings
from receval.interchange.run import Run
from receval.interchange.run_files import read_run, write_run
from receval.metrics.metric import Metric
from receval.metrics.usual_names import metric_of_usual_name as metric
from receval.own_multiverse.exploring import explore_ratings
from receval.protocols.names import parse_protocol as protocol
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings
from receval.recommenders.base import Recommender
from receval.recommenders.bprmf import BPRMF
from receval.recommenders.eals import EALS
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
from receval.sampling_audit.audit import audit_samples
from receval.unbiased.estimates_of_systems import unbiased_estimates
from receval.unbiased.propensities import (
    KnownPropensities,
    PopularityPropensities,
    SamplePropensities,
)

__version__: str

__all__ = [
    "BPRMF",
    "EALS",
    "LDA",
    "PLSA",
    "SLIM",
    "WRMF",
    "AverageRating",
    "Dialect",
    "EvaluationResult",
    "ItemKNN",
    "KnownPropensities",
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
    "UserKNN",
    "adapt",
    "audit_samples",
    "compare_by_lexirecall",
    "diagnose",
    "dialect",
    "evaluate",
    "evaluate_runs",
    "explore_ratings",
    "leakage",
    "metric",
    "of_scores",
    "protocol",
    "read_ratings",
    "read_run",
    "split",
    "unbiased_estimates",
    "write_run",
]
