# SPDX-License-Identifier: MIT
"""Every parameter of every system: the bounds that it accepts, and what is said of other values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
import pytest
from recommenders.systems import SYSTEMS

from receval.recommenders.implicit_systems import ImplicitALS
from receval.recommenders.language_model_neighbourhood import LanguageModelNeighbourhood
from receval.recommenders.relevance_model import RelevanceModel
from receval.recommenders.sklearn_systems import SklearnElasticNet
from receval.recommenders.wrmf import WRMF

SGD = "factors>=1 learning_rate>0 regularisation>=0 epochs>=1"
PAIRWISE = f"{SGD} samples_per_user>=1"
BASELINE = "baseline=user-and-item|item|user|global item_regularisation>=0 user_regularisation>=0"
SMOOTHING = "smoothing=jelinek-mercer|absolute-discounting|dirichlet strength>0<=1.0"

# A name with ? may be None; parameters are whole numbers where their defaults are, or with #.
PARAMETERS = {
    "non_personalised:Random": "seed>=0",
    "non_personalised:Popularity": "",
    "non_personalised:AverageRating": "smoothing>=0",
    "non_personalised:OptimalRanking": (
        "metric=precision|anti-precision knowledge=train|judged|test relevance_threshold>=0"
    ),
    "knn:UserKNN": "neighbours>=1 minimum_overlap>=1 threshold?>=-inf",
    "knn:ItemKNN": "neighbours>=1",
    "librec.knn:LibRecKNN": "neighbours>=1 shrinkage>=0 over=users|items",
    "librec.slim:LibRecSLIM": (
        "neighbours>=1 shrinkage>=0 l1>=0 l2>=0 sweeps>=1 tolerance>=0 profiles=whole|misread "
        "seed>=0 librec_seed#?>=0"
    ),
    "librec.random:LibRecRandom": "librec_seed>=0 seed>=0",
    "slim:SLIM": "l1>=0 l2>=0 neighbours#?>=1 tolerance>0 sweeps>=1",
    "centred_neighbourhood:CentredNeighbourhood": f"neighbours>=1 shrinkage>=0 {BASELINE}",
    "centred_item_neighbourhood:CentredItemNeighbourhood": (
        f"neighbours>=1 cosine=full|common shrinkage>=0 {BASELINE}"
    ),
    "language_model_neighbourhood:LanguageModelNeighbourhood": (
        f"over=users|items neighbours>=1 {SMOOTHING}"
    ),
    "relevance_model:RelevanceModel": f"model=rm1|rm2 neighbours>=1 {SMOOTHING}",
    "rocchio:Rocchio": "weighting=rw|rsv|chi2|kld neighbours>=1 length_normalised=",
    "user_item_relevance:UserItemRelevance": "smoothing>0<=1",
    "hitting_time:HittingTime": "steps>=2 nearest_items#?>=1",
    "wrmf:WRMF": (
        "factors>=1 alpha>=0 regularisation>=0 iterations>=1 weights=binary|rating|logarithm "
        "target=preference|rating first=users|items initialisation=normal|uniform "
        "seed>=0 librec_seed#?>=0"
    ),
    "eals:EALS": (
        "factors>=1 alpha>=0 regularisation>=0 iterations>=1 missing=uniform|popularity "
        "missing_weight>=0 exponent>=0 seed>=0 librec_seed#?>=0"
    ),
    "pnmf:PNMF": "factors>=1 iterations>=1 seed>=0 librec_seed#?>=0",
    "lda:LDA": "topics>=1 iterations>=1 alpha>0 beta>0 weights=rating|binary seed>=0",
    "poisson_factorisation:PoissonFactorisation": (
        "factors>=1 iterations>=1 shape>0 activity_shape>0 activity_mean>0 seed>=0"
    ),
    "poisson_factorisation:UntrainedPoissonFactorisation": "factors>=1 seed>=0 librec_seed#?>=0",
    "bprmf:BPRMF": (
        "factors>=1 learning_rate>0 user_regularisation>=0 positive_regularisation>=0 "
        "negative_regularisation>=0 bias_regularisation>=0 epochs>=1 positives=users|ratings "
        "negatives=uniform|popularity initial_deviation>=0 seed>=0"
    ),
    "wbpr:WBPR": f"{PAIRWISE} seed>=0 librec_seed#?>=0",
    "gbpr:GBPR": (
        f"{PAIRWISE} group_weight>=0 group_size>=1 updates=triple|epoch seed>=0 librec_seed#?>=0"
    ),
    "puresvd:PureSVD": "factors>=1",
    "ease:EASE": "regularisation>0",
    "plsa:PLSA": "topics>=1 iterations>=1 seed>=0 librec_seed#?>=0",
    "biased_mf:BiasedMF": (
        f"{SGD} initial_deviation>=0 decay>0<=1 bias_rate_ratio>=0 "
        "bias_regularisation_ratio>=0 seed>=0"
    ),
    "svdpp:SVDPlusPlus": (
        "factors>=1 learning_rate>0 user_regularisation>=0 item_regularisation>=0 "
        "implicit_regularisation>=0 bias_regularisation>=0 epochs>=1 initial_deviation>=0 "
        "seed>=0 librec_seed#?>=0"
    ),
    "rank_sgd:RankSGD": f"{SGD} seed>=0 librec_seed#?>=0",
    "listrank_mf:ListRankMF": (
        "factors>=1 regularisation>=0 learning_rate>0 iterations>=1 zeros=rated|misread highest>0 "
        "seed>=0 librec_seed#?>=0"
    ),
    "implicit_systems:ImplicitALS": (
        "factors>=1 alpha>=0 regularisation>=0 iterations>=1 weights=binary|rating "
        "solver=conjugate-gradients|cholesky seed>=0"
    ),
    "implicit_systems:ImplicitBPR": f"{SGD} seed>=0",
    "implicit_systems:ImplicitItemKNN": "neighbours>=1",
    "sklearn_topics:SklearnNMF": "topics>=1 iterations>=1 seed>=0<=4294967295",
    "sklearn_topics:SklearnLDA": (
        "topics>=1 iterations>=1 alpha>0 beta>0 user_updates>=1 seed>=0<=4294967295"
    ),
    "sklearn_systems:SklearnSVD": "factors>=1 power_iterations>=0 seed>=0<=4294967295",
    "sklearn_systems:SklearnElasticNet": "l1>=0 l2>=0 neighbours>=1 tolerance>0 sweeps>=1",
    "sklearn_systems:SklearnNeighbours": "neighbours>=1",
}


class Parameter(NamedTuple):
    system: Any
    name: str
    kind: str
    values: str


def parameters() -> Iterator[Parameter]:
    for path, words in PARAMETERS.items():
        module, _, name = path.partition(":")
        system = getattr(import_module(f"receval.recommenders.{module}"), name)
        for word in words.split():
            parameter, kind, values = re.split(r"([#?]*(?:=|>=?))", word, maxsplit=1)
            yield Parameter(system, parameter, kind, values)


def cases(parameter: Parameter) -> tuple[list[Any], list[Any], str]:
    """Return accepted and refused values, and what is said of the latter."""
    system, name, kind, values = parameter
    refused: list[Any] = [] if "?" in kind else [None]
    accepted: list[Any] = [None] if "?" in kind else []
    if kind == "=":
        names = values.split("|") if values else [True, False]
        said = f"one of {', '.join(map(repr, names))}" if values else "True or False"
        return [*accepted, *names], [*refused, "other", 1], said
    lowest, _, highest = values.partition("<=")
    is_whole = "#" in kind or isinstance(signature(system).parameters[name].default, int)
    low, above = float(lowest), not kind.endswith("=")
    said = f"above {lowest}" if above else f"of at least {lowest}"
    said += f" and at most {highest}" if highest else ""
    if is_whole:
        accepted += [int(low), np.int32(low), np.int64(highest or low + 9)]
        refused += [int(low) - 1, low, True, "1", *([int(highest) + 1] if highest else [])]
        return accepted, refused, f"a whole number {said}"
    inside = [low + 1e-9] if above else [low] if np.isfinite(low) else []
    accepted += [*inside, 1, np.float32(0.5), float(highest or 1e30)]
    refused += [low if above else low - 0.1, np.nan, np.inf, 1e300, 10**60, True, "1"]
    return (
        accepted,
        [*refused, *([float(highest) + 0.1] if highest else [])],
        f"a finite number {said}",
    )


@pytest.mark.each("parameter", [*parameters()], ids=lambda own: f"{own.system.__name__}-{own.name}")
def test_parameters_accept_their_bounds_and_refuse_all_beyond_by_name_and_range(
    parameter: Parameter,
) -> None:
    system, name, _, _ = parameter
    accepted, refused, said = cases(parameter)
    for value in accepted:
        kept = getattr(system(**{name: value}), name)
        assert kept == value
        assert not isinstance(kept, np.generic)
    for value in refused:
        with pytest.raises(
            ValueError, match=f"^{system.__name__}: the parameter {name} is"
        ) as error:
            system(**{name: value})
        assert str(error.value).endswith(f"but it must be {said}.")


def test_the_table_has_every_parameter_of_every_system() -> None:
    found = {(own.system, own.name) for own in parameters()}
    assert found == {
        (type(system.make()), name) for system in SYSTEMS for name in system.make().parameters
    }


@pytest.mark.each(
    ("system", "parameters", "said"),
    [
        (WRMF, {"alpha": 30.1, "weights": "logarithm"}, "of at least 0 and at most 30"),
        (ImplicitALS, {"regularisation": 0, "solver": "cholesky"}, "above 0"),
        (SklearnElasticNet, {"l2": 0, "l1": 0}, "above 0"),
        (LanguageModelNeighbourhood, {"strength": 0, "smoothing": "dirichlet"}, "above 0"),
        (RelevanceModel, {"strength": 0, "smoothing": "absolute-discounting"}, "above 0"),
    ],
)
def test_bounds_that_depend_on_another_parameter(
    system: Any, parameters: dict[str, Any], said: str
) -> None:
    message = rf"{system.__name__}: the parameter {next(iter(parameters))} is .* number {said}\."
    with pytest.raises(ValueError, match=message):
        system(**parameters)
    for name, value in parameters.items():
        # Each alone, or one with a little more of the other, is accepted.
        assert getattr(system(**{name: value or 1e-3}), name)


def test_strengths_of_other_smoothings_may_exceed_1() -> None:
    for system in (LanguageModelNeighbourhood, RelevanceModel):
        assert system(smoothing="dirichlet", strength=30).strength == 30
