# SPDX-License-Identifier: MIT
"""The systems that draw what LibRec drew, with what each promises: a seed changes nothing."""

from __future__ import annotations

from recommenders.promises import System, Trace

LOSS = Trace("loss_", slack=None)
ERROR = Trace("squared_error_", slack=None)

LIBREC_SYSTEMS = [
    System(
        "librec.random:LibRecRandom",
        personalised=False,
        scored_items="rated",
        zeros_count=True,
        own_items_scored=False,
    ),
    System(
        "librec.slim:LibRecSLIM",
        {"neighbours": 8, "l1": 0.1, "profiles": "misread", "librec_seed": 1},
        {"neighbours": 30, "l1": 6.0, "l2": 200.0},
        variant="librec",
    ),
    System(
        "wrmf:WRMF",
        {"factors": 4, "alpha": 4.0, "weights": "logarithm", "librec_seed": 1},
        {"factors": 2, "alpha": 0.0},
        trace=Trace("objective_"),
        variant="librec",
    ),
    System(
        "eals:EALS",
        {"factors": 6, "librec_seed": 1},
        {"factors": 2},
        trace=Trace("objective_"),
        variant="librec",
    ),
    System(
        "pnmf:PNMF",
        {"factors": 4, "iterations": 150, "librec_seed": 123456789},
        {"factors": 2},
        trace=Trace("divergence_"),
        variant="librec",
    ),
    System(
        "poisson_factorisation:UntrainedPoissonFactorisation",
        {"librec_seed": 1},
        personalised=False,
        variant="librec",
    ),
    System(
        "wbpr:WBPR",
        {"factors": 5, "learning_rate": 0.05, "librec_seed": 1},
        # Nearly all its rivals are the same few items, those of the other community among them.
        personalised=False,
        refuses_users_of_all_items=True,
        trace=LOSS,
        variant="librec",
    ),
    System(
        "gbpr:GBPR",
        {"factors": 5, "learning_rate": 0.05, "epochs": 30, "librec_seed": 1},
        {"factors": 1, "regularisation": 0.1},
        refuses_users_of_all_items=True,
        trace=LOSS,
        variant="librec",
    ),
    System(
        "plsa:PLSA",
        {"topics": 5, "iterations": 150, "librec_seed": 1},
        {"topics": 2},
        trace=Trace("log_likelihood_", rises=True, share=0.05),
        variant="librec",
    ),
    System(
        "svdpp:SVDPlusPlus",
        {"factors": 5, "learning_rate": 0.02, "epochs": 30, "librec_seed": 1},
        cold_users_scored=True,
        trace=ERROR,
        variant="librec",
    ),
    System(
        "rank_sgd:RankSGD",
        {"factors": 4, "librec_seed": 1},
        {"regularisation": 1.0},
        refuses_users_of_all_items=True,
        trace=ERROR,
        variant="librec",
    ),
    System(
        "listrank_mf:ListRankMF",
        {"zeros": "misread", "highest": 1.0, "librec_seed": 1},
        trace=Trace("objective_", share=1e-4, slack=0),
        variant="librec",
    ),
]
