"""The systems under test, with what each promises, and small matrices to fit them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.registry import make

SEED = 2017


@dataclass(frozen=True)
class System:
    class_path: str
    parameters: dict[str, Any] = field(default_factory=dict)
    for_two_communities: dict[str, Any] = field(default_factory=dict)
    random: bool = False
    personalised: bool = True
    cold_users_scored: bool = False
    cold_items_scored: bool = True
    variant: str = ""

    @property
    def name(self) -> str:
        class_name = self.class_path.rpartition(":")[2]
        return f"{class_name}-{self.variant}" if self.variant else class_name

    def make(self, seed: int = SEED, **changed: Any) -> Recommender:
        parameters = {**self.parameters, **changed}
        return make(f"receval.recommenders.{self.class_path}", parameters, seed)


# BPR overfits so few users, pushing unrated items down, unless it is strongly regularised.
STRONG = {f"{of}_regularisation": 0.1 for of in ("user", "positive", "negative", "bias")}

SYSTEMS = [
    System("random:Random", random=True, personalised=False, cold_users_scored=True),
    System("popularity:Popularity", personalised=False, cold_users_scored=True),
    System("average:Average", personalised=False, cold_users_scored=True),
    System("user_knn:UserKNN", {"neighbours": 10}, cold_items_scored=False),
    System(
        "user_knn:UserKNN",
        {"neighbours": 10, "threshold": 0.0},
        {"neighbours": 10, "threshold": 4.0},
        cold_items_scored=False,
        variant="binarised",
    ),
    System("item_knn:ItemKNN", {"neighbours": 10}, cold_items_scored=False),
    System("common_ratings_knn:CommonRatingsKNN", {"neighbours": 10}),
    System(
        "common_ratings_knn:CommonRatingsKNN", {"neighbours": 10, "over": "items"}, variant="items"
    ),
    System("slim:SLIM", {"l1": 0.5, "l2": 5.0}, {"l1": 60.0, "l2": 2000.0}),
    System(
        "slim:SLIM",
        {"l1": 0.5, "l2": 5.0, "neighbours": 8},
        {"l1": 60.0, "l2": 2000.0, "neighbours": 14},
        variant="neighbours",
    ),
    System(
        "averaged_slim:AveragedSLIM",
        {"neighbours": 8, "l1": 0.1},
        {"neighbours": 30, "l1": 6.0, "l2": 200.0},
        random=True,
    ),
    System(
        "averaged_slim:AveragedSLIM",
        {"neighbours": 8, "l1": 0.1, "profiles": "misread"},
        {"neighbours": 30, "l1": 6.0, "l2": 200.0},
        random=True,
        variant="misread",
    ),
    System(
        "centred_neighbourhood:CentredNeighbourhood",
        {"neighbours": 5, "shrinkage": 1.0},
        cold_users_scored=True,
    ),
    System(
        "language_model_neighbourhood:LanguageModelNeighbourhood",
        {"over": "users", "neighbours": 10},
        cold_items_scored=False,
        variant="users",
    ),
    System(
        "language_model_neighbourhood:LanguageModelNeighbourhood",
        {"over": "items", "neighbours": 10},
        cold_items_scored=False,
        variant="items",
    ),
    System(
        "relevance_model:RelevanceModel",
        {"model": "rm1", "neighbours": 10},
        # RM1 trusts one or two neighbours alone unless much is discounted; then all of the own
        # community have a say, and ratings of 1 none.
        {"neighbours": 19, "smoothing": "absolute-discounting", "strength": 2.0},
        cold_items_scored=False,
        variant="rm1",
    ),
    System(
        "relevance_model:RelevanceModel",
        {"model": "rm2", "neighbours": 10},
        cold_items_scored=False,
        variant="rm2",
    ),
    System(
        "rocchio:Rocchio",
        {"weighting": "rw", "neighbours": 10},
        cold_items_scored=False,
        variant="rw",
    ),
    System(
        "rocchio:Rocchio",
        {"weighting": "rsv", "neighbours": 10},
        cold_items_scored=False,
        variant="rsv",
    ),
    System(
        "rocchio:Rocchio",
        {"weighting": "chi2", "neighbours": 10},
        cold_items_scored=False,
        variant="chi2",
    ),
    System(
        "rocchio:Rocchio",
        {"weighting": "kld", "neighbours": 10},
        cold_items_scored=False,
        variant="kld",
    ),
    System(
        "centred_item_neighbourhood:CentredItemNeighbourhood",
        {"neighbours": 5, "shrinkage": 1.0},
        cold_users_scored=True,
    ),
    System(
        "centred_item_neighbourhood:CentredItemNeighbourhood",
        {"neighbours": 5, "cosine": "common", "shrinkage": 2.0},
        {"neighbours": 30, "shrinkage": 1.0},
        cold_users_scored=True,
        variant="common",
    ),
    System("user_item_relevance:UserItemRelevance", cold_items_scored=False),
    System("hitting_time:HittingTime", cold_items_scored=False),
    System(
        "hitting_time:HittingTime",
        {"nearest_items": 40},
        cold_items_scored=False,
        variant="nearest",
    ),
    System("wrmf:WRMF", {"factors": 4}, {"factors": 2}, random=True),
    System(
        "wrmf:WRMF",
        {"factors": 4, "alpha": 4.0, "weights": "logarithm"},
        # A power of four makes confidences of 1 and 5 stars nearly equal.
        {"factors": 2, "alpha": 0.0},
        random=True,
        variant="logarithm",
    ),
    System(
        "wrmf:WRMF",
        {
            "factors": 4,
            "weights": "rating",
            "target": "rating",
            "first": "items",
            "initialisation": "uniform",
        },
        {"factors": 2},
        random=True,
        variant="rating-target",
    ),
    System("eals:EALS", {"factors": 6}, {"factors": 2}, random=True),
    System(
        "eals:EALS",
        {"factors": 6, "alpha": 0.0, "missing": "popularity", "missing_weight": 20.0},
        {"factors": 2},
        random=True,
        variant="popularity",
    ),
    System("pnmf:PNMF", {"factors": 4, "iterations": 60}, {"factors": 2}, random=True),
    System("lda:LDA", {"topics": 5, "iterations": 40}, {"topics": 2}, random=True),
    System(
        "poisson_factorisation:PoissonFactorisation",
        {"factors": 5, "iterations": 40},
        {"factors": 2},
        random=True,
    ),
    System("untrained_poisson:UntrainedPoissonFactorisation", random=True, personalised=False),
    System("bprmf:BPRMF", {"factors": 5}, {"factors": 1, **STRONG, "epochs": 100}, random=True),
    System(
        "bprmf:BPRMF",
        {"factors": 5, "positives": "ratings", "negatives": "popularity"},
        {"factors": 1, **STRONG, "epochs": 100},
        random=True,
        variant="popularity",
    ),
    System(
        "wbpr:WBPR",
        {"factors": 5, "learning_rate": 0.05},
        {"factors": 1, "regularisation": 0.1},
        random=True,
    ),
    System(
        "wbpr:WBPR",
        {"factors": 5, "learning_rate": 0.05, "weights": "drifting-popularity"},
        random=True,
        # Nearly all its rivals are the same few items, those of the other community among them.
        personalised=False,
        variant="drifting",
    ),
    System(
        "gbpr:GBPR",
        {"factors": 5, "learning_rate": 0.05, "epochs": 30},
        {"factors": 1, "regularisation": 0.1},
        random=True,
    ),
    System(
        "gbpr:GBPR",
        {"factors": 5, "learning_rate": 0.001, "epochs": 20, "updates": "epoch"},
        {"factors": 1, "regularisation": 0.1, "epochs": 200},
        random=True,
        variant="epoch",
    ),
    System("puresvd:PureSVD", {"factors": 4}, {"factors": 2}),
    System("plsa:PLSA", {"topics": 5, "iterations": 40}, {"topics": 2}, random=True),
    System(
        "biased_mf:BiasedMF",
        {"factors": 5, "learning_rate": 0.05, "epochs": 60},
        random=True,
        cold_users_scored=True,
    ),
    System(
        "svdpp:SVDPlusPlus",
        {"factors": 5, "learning_rate": 0.02, "epochs": 30},
        random=True,
        cold_users_scored=True,
    ),
    System("rank_sgd:RankSGD", {"factors": 4}, {"regularisation": 1.0}, random=True),
    System("listrank_mf:ListRankMF", {"factors": 4}, random=True),
    System("listrank_mf:ListRankMF", {"zeros": "skipped"}, random=True, variant="skipped"),
]

COLD_USER, ONE_RATING_USER, COLD_ITEM = 3, 5, 7


def to_matrix(values: NDArray[Any], rated: NDArray[np.bool_]) -> RatingMatrix:
    """Build the sparse matrix of a dense one; rated zeros stay entries."""
    users, items = np.nonzero(rated)
    entries = values[users, items].astype(np.float32)
    return csr_array((entries, (users, items)), shape=values.shape)


def generated(
    n_users: int = 60, n_items: int = 45, seed: int = 1, lowest: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Half-star ratings (0 is one of them) with a cold user, a cold item, a one-rating user."""
    generator = np.random.default_rng(seed)
    values = generator.integers(round(2 * lowest), 11, (n_users, n_items)) / 2
    rated = generator.random((n_users, n_items)) < generator.random(n_items) * 0.6 + 0.05
    rated[COLD_USER] = False
    rated[ONE_RATING_USER] = False
    rated[ONE_RATING_USER, 0] = True
    rated[:, COLD_ITEM] = False
    return values * rated, rated


def generated_matrix() -> RatingMatrix:
    return to_matrix(*generated())


def communities() -> tuple[RatingMatrix, NDArray[np.bool_]]:
    """Two communities that rate their own items 5 and, seldom, the others' 1.

    Returns the matrix and which pairs of user and item lie in the same community.
    """
    generator = np.random.default_rng(5)
    own = np.arange(40)[:, None] // 20 == np.arange(30) // 15
    rated = generator.random(own.shape) < np.where(own, 0.7, 0.1)
    return to_matrix(np.where(own, 5, 1), rated), own
