# SPDX-License-Identifier: MIT
"""What is tried: forms of both neighbourhoods, and settings of the library's own systems."""

from __future__ import annotations

from typing import Any

from neighbourhoods import Form

# Mahout 0.9, ParallelSGDFactorizer: noise, rate and regularisation of biases.
MAHOUT = {"initial_deviation": 0.02, "bias_rate_ratio": 0.5, "bias_regularisation_ratio": 0.1}

USERS = (
    Form("cosine", 200, "sum", shrinkage=100, raters=True, candidates=0),
    Form("cosine", 5, "sum", baseline="plain", raters=True, candidates=0),
    Form("cosine", 200, "sum", shrinkage=100),
    Form("cosine", 10, "sum"),
    Form("cosine", 10, "sum", baseline="plain", candidates=0),
    Form("cosine", 50, "sum", baseline="user mean"),
    Form("cosine", 200, "raw sum", shrinkage=100, raters=True),
    Form("cosine", 50, "raw sum", shrinkage=100, raters=True),
    Form("cosine", 100, "raw sum"),
    Form("cosine", 200, "raw share"),
    Form("common", 200, "raw share"),
    Form("pearson", 50, "raw share"),
    Form("cosine", 50, "raw mean", candidates=2),
    Form("pearson", 50, "raw mean", candidates=2, highest=5),
    Form("cosine", 50, "mean"),
    Form("cosine", 50, "mean", candidates=10),
    Form("cosine", 6040, "mean", highest=5, candidates=0),
    Form("pearson", 80, "mean", shrinkage=10, raters=True, highest=5, candidates=0),
    Form("cosine", 50, "damped", damping=0.1),
    Form("cosine", 50, "damped", damping=0.5),
    Form("cosine", 200, "damped", damping=5),
    Form("cosine", 50, "share"),
    Form("cosine", 6040, "sum", threshold=0.3),
    Form("cosine", 6040, "sum", threshold=0.42),
    Form("cosine", 6040, "sum", threshold=0.4, baseline="plain", candidates=0),
    Form("common", 10, "sum"),
    Form("common", 200, "sum"),
    Form("common", 10, "sum", shrinkage=1),
    Form("common", 50, "sum", shrinkage=100),
    Form("pearson", 50, "sum"),
    Form("pearson", 10, "sum", shrinkage=10),
    Form("pearson", 50, "sum", shrinkage=100),
    Form("adjusted", 50, "sum"),
    Form("centred", 10, "sum"),
    Form("residual", 50, "sum"),
    Form("cosine", 50, "own"),
    Form("cosine", 50, "missing"),
    Form("cosine", 200, "missing"),
    Form("cosine", 200, "missing", baseline="plain"),
    Form("pearson", 200, "missing", shrinkage=10),
    Form("centred", 200, "missing"),
    Form("residual", 30, "missing"),
    Form("residual", 50, "missing"),
)

ITEMS = (
    Form("cosine", 200, "sum", shrinkage=100, raters=True, candidates=0),
    Form("common", 20, "sum", shrinkage=1, baseline="plain", raters=True, candidates=0),
    Form("cosine", 20, "sum", raters=True),
    Form("cosine", 20, "raw sum", shrinkage=100, raters=True),
    Form("cosine", 20, "mean", raters=True),
    Form("cosine", 20, "damped", damping=5, raters=True),
    Form("cosine", 50, "sum"),
    Form("cosine", 50, "sum", shrinkage=100),
    Form("cosine", 50, "raw sum"),
    Form("cosine", 50, "raw mean", candidates=2),
    Form("cosine", 50, "mean"),
    Form("cosine", 50, "damped", damping=1),
    Form("cosine", 50, "share"),
    Form("cosine", 50, "missing"),
    Form("cosine", 50, "missing", shrinkage=100),
    Form("cosine", 10, "missing"),
    Form("cosine", 30, "missing"),
    Form("cosine", 50, "own"),
    Form("cosine", 3706, "sum", threshold=0.3),
    Form("adjusted", 50, "sum"),
    Form("adjusted", 50, "sum", shrinkage=10),
    Form("adjusted", 50, "sum", shrinkage=100),
    Form("adjusted", 50, "mean", shrinkage=100),
    Form("adjusted", 50, "missing", shrinkage=100),
    Form("adjusted", 20, "raw mean", shrinkage=100, raters=True),
    Form("adjusted", 20, "sum", raters=True),
    Form("pearson", 50, "sum", shrinkage=100),
    Form("pearson", 50, "mean", shrinkage=10, highest=5),
    Form("common", 20, "sum"),
    Form("common", 50, "raw share"),
    Form("common", 50, "missing", shrinkage=10),
    Form("residual", 50, "sum"),
)


def _alike(value: float) -> dict[str, float]:
    roles = ("user", "positive", "negative")
    return {f"{role}_regularisation": value for role in roles}


_LONG = {"learning_rate": 0.02, "epochs": 70, "initial_deviation": 0.01}

BPRMF: dict[str, dict[str, Any]] = {
    "MyMediaLite's defaults (10 factors)": {},
    "MyMediaLite's defaults, 100 factors": {"factors": 100},
    "in use: 100 factors, rate .02, .005, 70 epochs": _LONG | _alike(0.005) | {"factors": 100},
    "the same, 200 factors": _LONG | _alike(0.005) | {"factors": 200},
    "the same, uniform ratings": _LONG | _alike(0.005) | {"factors": 100, "positives": "ratings"},
    # A regularisation of 1 / rate takes a bias back to 0 at each step.
    "the same, no biases": _LONG | _alike(0.005) | {"factors": 100, "bias_regularisation": 50.0},
    "the same, items .0025, users .01": _LONG
    | _alike(0.0025)
    | {"factors": 100, "user_regularisation": 0.01},
    "the same, items .01, users .0025": _LONG
    | _alike(0.01)
    | {"factors": 100, "user_regularisation": 0.0025},
    "LibRec's (no biases, rate .01, .01), 100 factors": _alike(0.01)
    | {"factors": 100, "learning_rate": 0.01, "epochs": 60, "bias_regularisation": 100.0},
}

BPRMF_POSITIVES = (3.0, 4.0)
"""Least rating of the positives; the lower ones count as unrated."""

SVD: dict[str, dict[str, Any]] = {
    "Mahout, 20 factors, .1, 30 epochs": {"factors": 20, "regularisation": 0.1, "epochs": 30}
    | MAHOUT,
    "Mahout, 50 factors, .1, 40 epochs": {"factors": 50, "regularisation": 0.1, "epochs": 40}
    | MAHOUT,
    "Mahout, 50 factors, .1, 45 epochs": {"factors": 50, "regularisation": 0.1, "epochs": 45}
    | MAHOUT,
    "Mahout, 70 factors, .1, 50 epochs": {"factors": 70, "regularisation": 0.1, "epochs": 50}
    | MAHOUT,
    "Mahout, 100 factors, .1, 50 epochs": {"factors": 100, "regularisation": 0.1, "epochs": 50}
    | MAHOUT,
    "Mahout, 100 factors, .1, 60 epochs": {"factors": 100, "regularisation": 0.1, "epochs": 60}
    | MAHOUT,
    "Mahout, 200 factors, .1, 50 epochs": {"factors": 200, "regularisation": 0.1, "epochs": 50}
    | MAHOUT,
    "Mahout, 50 factors, .05, 20 epochs": {"factors": 50, "regularisation": 0.05, "epochs": 20}
    | MAHOUT,
    "biases like factors (BRISMF), 40 factors, .02, 15 epochs": {
        "factors": 40,
        "regularisation": 0.02,
        "epochs": 15,
        "initial_deviation": 0.01,
    },
    "rate .005, 50 factors, .02, 20 epochs": {
        "factors": 50,
        "regularisation": 0.02,
        "epochs": 20,
        "learning_rate": 0.005,
    },
    "MyMediaLite, biased": {
        "factors": 10,
        "regularisation": 0.015,
        "epochs": 30,
        "bias_regularisation_ratio": 0.667,
    },
    "MyMediaLite, without biases": {
        "factors": 10,
        "regularisation": 0.015,
        "epochs": 30,
        "bias_rate_ratio": 0.0,
    },
    "without biases, 50 factors, .1, 30 epochs": {
        "factors": 50,
        "regularisation": 0.1,
        "epochs": 30,
        "bias_rate_ratio": 0.0,
    },
    "LibRec, 10 factors, .01, 100 epochs": {"factors": 10, "regularisation": 0.01, "epochs": 100},
}

HT = (3000, 3250, 3500, 3510, 3520, 3540, 3706)
"""Items that the breadth-first search meets; the last are all."""
