# SPDX-License-Identifier: MIT
"""The systems under test, with what each promises."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from recommenders.matrices import generated_matrix, held_out
from recommenders.promises import System, Trace

from receval.recommenders.base import RatingMatrix, Recommender

FALLING = Trace("objective_")
FALLING_EXACTLY = Trace("objective_", slack=1e-9)
# Sigmoids leave the lists nearly as even as they start; a step that rises is not taken.
BARELY_FALLING = Trace("objective_", share=1e-4, slack=0)
BOUND = Trace("bound_", rises=True)
LOSS = Trace("loss_", slack=None)
ERROR = Trace("squared_error_", slack=None)

# BPR overfits so few users, pushing unrated items down, unless it is strongly regularised.
STRONG = {f"{of}_regularisation": 0.1 for of in ("user", "positive", "negative", "bias")}

SYSTEMS = [
    System("non_personalised:Random", random=True, personalised=False, cold_users_scored=True),
    System("non_personalised:Popularity", personalised=False, cold_users_scored=True),
    System("non_personalised:AverageRating", personalised=False, cold_users_scored=True),
    *(
        System(
            "non_personalised:OptimalRanking",
            {"metric": metric, "knowledge": knowledge},
            personalised=False,
            cold_users_scored=True,
            variant=f"{knowledge}-{metric}",
        )
        for knowledge in ("train", "judged", "test")
        for metric in ("precision", "anti-precision")
    ),
    System("knn:UserKNN", {"neighbours": 10}, scored_items="neighbours"),
    System(
        "knn:UserKNN",
        {"neighbours": 10, "threshold": 0.0},
        {"neighbours": 10, "threshold": 4.0},
        scored_items="neighbours",
        zeros_count=True,
        variant="binarised",
    ),
    System("knn:ItemKNN", {"neighbours": 10}, scored_items="neighbours"),
    System("librec.knn:LibRecKNN", {"neighbours": 10}),
    System("librec.knn:LibRecKNN", {"neighbours": 10, "over": "items"}, variant="items"),
    System("slim:SLIM", {"l1": 0.5, "l2": 5.0}, {"l1": 60.0, "l2": 2000.0}, trace=FALLING_EXACTLY),
    System(
        "slim:SLIM",
        {"l1": 0.5, "l2": 5.0, "neighbours": 8},
        {"l1": 60.0, "l2": 2000.0, "neighbours": 14},
        trace=FALLING_EXACTLY,
        variant="neighbours",
    ),
    System(
        "librec.slim:LibRecSLIM",
        {"neighbours": 8, "l1": 0.1},
        {"neighbours": 30, "l1": 6.0, "l2": 200.0},
        random=True,
        trace=LOSS,
    ),
    System(
        "librec.slim:LibRecSLIM",
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
    *(
        System(
            "language_model_neighbourhood:LanguageModelNeighbourhood",
            {"over": over, "neighbours": 10},
            scored_items="neighbours",
            variant=over,
        )
        for over in ("users", "items")
    ),
    System(
        "relevance_model:RelevanceModel",
        {"model": "rm1", "neighbours": 10},
        # RM1 trusts one or two neighbours alone unless much is discounted; then all of the own
        # community have a say, and ratings of 1 none.
        {"neighbours": 19, "smoothing": "absolute-discounting", "strength": 2.0},
        scored_items="neighbours",
        variant="rm1",
    ),
    System(
        "relevance_model:RelevanceModel",
        {"model": "rm2", "neighbours": 10},
        scored_items="neighbours",
        variant="rm2",
    ),
    *(
        System(
            "rocchio:Rocchio",
            {"weighting": weighting, "neighbours": 10},
            scored_items="neighbours",
            variant=weighting,
        )
        for weighting in ("rw", "rsv", "chi2", "kld")
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
    System("user_item_relevance:UserItemRelevance", scored_items="rated"),
    System("hitting_time:HittingTime", scored_items="rated"),
    System(
        "hitting_time:HittingTime",
        {"nearest_items": 40},
        scored_items="rated",
        variant="nearest",
    ),
    System("wrmf:WRMF", {"factors": 4}, {"factors": 2}, random=True, trace=FALLING),
    System(
        "wrmf:WRMF",
        {"factors": 4, "alpha": 4.0, "weights": "logarithm"},
        # A power of four makes confidences of 1 and 5 stars nearly equal.
        {"factors": 2, "alpha": 0.0},
        random=True,
        trace=FALLING,
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
        trace=FALLING,
        variant="rating-target",
    ),
    System("eals:EALS", {"factors": 6}, {"factors": 2}, random=True, trace=FALLING),
    System(
        "eals:EALS",
        {"factors": 6, "alpha": 0.0, "missing": "popularity", "missing_weight": 20.0},
        {"factors": 2},
        random=True,
        trace=FALLING,
        variant="popularity",
    ),
    System(
        "pnmf:PNMF",
        {"factors": 4, "iterations": 150},
        {"factors": 2},
        random=True,
        trace=Trace("divergence_"),
    ),
    System("lda:LDA", {"topics": 5, "iterations": 150}, {"topics": 2}, random=True, trace=BOUND),
    System(
        "poisson_factorisation:PoissonFactorisation",
        {"factors": 5, "iterations": 150},
        {"factors": 2},
        random=True,
        trace=BOUND,
    ),
    System("poisson_factorisation:UntrainedPoissonFactorisation", random=True, personalised=False),
    System(
        "bprmf:BPRMF",
        {"factors": 5},
        {"factors": 1, **STRONG, "epochs": 100},
        random=True,
        trace=LOSS,
    ),
    System(
        "bprmf:BPRMF",
        {"factors": 5, "positives": "ratings", "negatives": "popularity"},
        {"factors": 1, **STRONG, "epochs": 100},
        random=True,
        trace=LOSS,
        variant="popularity",
    ),
    System(
        "wbpr:WBPR",
        {"factors": 5, "learning_rate": 0.05},
        {"factors": 1, "regularisation": 0.1},
        random=True,
        trace=LOSS,
    ),
    System(
        "gbpr:GBPR",
        {"factors": 5, "learning_rate": 0.05, "epochs": 30},
        {"factors": 1, "regularisation": 0.1},
        random=True,
        trace=LOSS,
    ),
    System(
        "gbpr:GBPR",
        {"factors": 5, "learning_rate": 0.001, "epochs": 20, "updates": "epoch"},
        {"factors": 1, "regularisation": 0.1, "epochs": 200},
        random=True,
        trace=LOSS,
        variant="epoch",
    ),
    System("puresvd:PureSVD", {"factors": 4}, {"factors": 2}),
    System("ease:EASE", {"regularisation": 5.0}, {"regularisation": 500.0}),
    System(
        "plsa:PLSA",
        {"topics": 5, "iterations": 150},
        {"topics": 2},
        random=True,
        trace=Trace("log_likelihood_", rises=True, share=0.05),
    ),
    System(
        "biased_mf:BiasedMF",
        {"factors": 5, "learning_rate": 0.05, "epochs": 60},
        random=True,
        cold_users_scored=True,
        trace=ERROR,
    ),
    System(
        "svdpp:SVDPlusPlus",
        {"factors": 5, "learning_rate": 0.02, "epochs": 30},
        random=True,
        cold_users_scored=True,
        trace=ERROR,
    ),
    System("rank_sgd:RankSGD", {"factors": 4}, {"regularisation": 1.0}, random=True, trace=ERROR),
    System("listrank_mf:ListRankMF", {"factors": 4}, random=True, trace=BARELY_FALLING),
    System(
        "listrank_mf:ListRankMF",
        {"zeros": "misread", "highest": 1.0},
        random=True,
        trace=BARELY_FALLING,
        variant="misread",
    ),
    # With LibRec's draws a seed changes nothing.
    System(
        "librec.random:LibRecRandom",
        personalised=False,
        scored_items="rated",
        zeros_count=True,
        own_items_scored=False,
    ),
    # Trained by implicit and scikit-learn.
    System("implicit_systems:ImplicitALS", {"factors": 4}, {"factors": 2}, random=True),
    System(
        "implicit_systems:ImplicitALS",
        {"factors": 4, "weights": "rating", "solver": "cholesky"},
        {"factors": 2},
        random=True,
        variant="cholesky",
    ),
    System(
        "implicit_systems:ImplicitBPR",
        {"factors": 5, "learning_rate": 0.05},
        {"factors": 1, "regularisation": 0.1, "epochs": 100},
        random=True,
    ),
    # An item that is rated has itself for a neighbour.
    System(
        "implicit_systems:ImplicitItemKNN",
        {"neighbours": 10},
        # Some item of the own community is among no other's ten nearest.
        {"neighbours": 14},
        scored_items="rated",
    ),
    System("sklearn_topics:SklearnNMF", {"topics": 5}, {"topics": 2}, random=True),
    System(
        "sklearn_topics:SklearnLDA",
        {"topics": 5, "iterations": 5},
        {"topics": 2},
        random=True,
    ),
    System("sklearn_systems:SklearnSVD", {"factors": 4}, {"factors": 2}, random=True),
    System(
        "sklearn_systems:SklearnElasticNet",
        {"l1": 0.5, "l2": 5.0, "neighbours": 8},
        {"l1": 60.0, "l2": 2000.0, "neighbours": 14},
    ),
    System("sklearn_systems:SklearnNeighbours", {"neighbours": 10}, scored_items="neighbours"),
]


def with_draws_of_librec(name: str, librec_seed: int = 1, **changed: Any) -> System:
    """Return a system that repeats LibRec's draws, so that nothing is left to chance."""
    (system,) = (own for own in SYSTEMS if own.name == name)
    parameters = system.parameters | {"librec_seed": librec_seed}
    return replace(system, parameters=parameters, random=False, variant="librec", **changed)


SYSTEMS += [
    with_draws_of_librec("LibRecSLIM-misread"),
    with_draws_of_librec("WRMF-logarithm"),
    with_draws_of_librec("EALS"),
    with_draws_of_librec("PNMF", 123456789),
    with_draws_of_librec("UntrainedPoissonFactorisation"),
    # Nearly all its rivals are the same few items, those of the other community among them.
    with_draws_of_librec("WBPR", personalised=False, refuses_users_of_all_items=True),
    with_draws_of_librec("GBPR", refuses_users_of_all_items=True),
    with_draws_of_librec("PLSA"),
    with_draws_of_librec("SVDPlusPlus"),
    with_draws_of_librec("RankSGD", refuses_users_of_all_items=True),
    with_draws_of_librec("ListRankMF-misread"),
]


def pcg(seed: int) -> np.random.Generator:
    """Return the generator that systems make of their seed."""
    return np.random.Generator(np.random.PCG64(seed))


def fit(model: Recommender, train: RatingMatrix) -> Recommender:
    """Fit a model, an oracle to held-out ratings too."""
    return model.fit(train, held_out(train) if model.reads_test else None)


@cache
def fitted(system: System) -> Recommender:
    """Fit a system to the generated matrix, once for all tests that leave it as it is."""
    return fit(system.make(), generated_matrix())
