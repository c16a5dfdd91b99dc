# SPDX-License-Identifier: MIT
"""The systems that implicit and scikit-learn train, with what each promises."""

from __future__ import annotations

from recommenders.promises import System

PACKAGE_SYSTEMS = [
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
