# SPDX-License-Identifier: MIT
"""Relevance models and Rocchio weights against brute force from the formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.brute_force import Dense, cosines, language_models, nearest
from recommenders.matrices import generated, to_matrix
from scipy.special import logsumexp

from receval.recommenders.relevance_model import RelevanceModel
from receval.recommenders.rocchio import Rocchio

seeds = st.integers(0, 10_000)
few_neighbours = st.integers(1, 22)
smoothings = st.sampled_from(
    [("jelinek-mercer", 0.01), ("absolute-discounting", 0.05), ("dirichlet", 20.0)]
)


def brute_rocchio(values: Dense, weighting: str, neighbours: int, normalised: bool) -> Dense:
    scores = np.full(values.shape, np.nan)
    raters = (values > 0).any(axis=1).sum()
    similarities = cosines(values)
    for user in range(len(values)):
        chosen = nearest(similarities[user], range(len(values)), neighbours)
        for item in range(values.shape[1]):
            mass = values[chosen, item].sum()
            if mass == 0:
                continue
            size = len(chosen)
            here = mass / values[chosen].sum()
            everywhere = values[:, item].sum() / values.sum()
            if normalised:
                here, everywhere = here / size, everywhere / raters
            scores[user, item] = {
                "rw": mass / size,
                "rsv": mass / size * here,
                "chi2": (here - everywhere) ** 2 / everywhere,
                "kld": here * np.log(here / everywhere),
            }[weighting]
    return scores


@given(seeds, st.sampled_from(["rw", "rsv", "chi2", "kld"]), few_neighbours, st.booleans())
@pytest.mark.costly
def test_rocchio_weighs_the_items_by_the_neighbours_ratings(
    seed: int, weighting: str, neighbours: int, normalised: bool
) -> None:
    values, rated = generated(20, 15, seed)
    model = Rocchio(weighting, neighbours, normalised).fit(to_matrix(values, rated))
    expected = brute_rocchio(values, weighting, neighbours, normalised)
    # Chi-squared and divergence are small differences of rounded numbers.
    np.testing.assert_allclose(model.score(np.arange(20)), expected, rtol=1e-5, atol=1e-9)


def brute_relevance(
    values: Dense, model: str, neighbours: int, smoothing: str, strength: float
) -> Dense:
    """Scores up to a constant of the user, of the items that a neighbour rated above 0."""
    scores = np.full(values.shape, np.nan)
    models = language_models(values, smoothing, strength)
    similarities = cosines(values)
    for user in range(len(values)):
        chosen = nearest(similarities[user], range(len(values)), neighbours)
        profile = np.flatnonzero(values[user])
        if not chosen:
            continue
        # Items without ratings have the probability 0; none of them is scored.
        of_items = np.log(np.where(models > 0, models, 1)[chosen])
        likelihoods = of_items[:, profile]
        items = np.flatnonzero(values[chosen].any(axis=0))
        own = of_items[:, items]
        if model == "rm1":
            scores[user, items] = logsumexp(own + likelihoods.sum(axis=1)[:, None], axis=0)
        else:
            joint = own[:, :, None] + likelihoods[:, None, :]
            scores[user, items] = logsumexp(joint, axis=0).sum(axis=1)
    return scores


def from_the_best(scores: NDArray[np.floating[Any]]) -> Dense:
    """Each user's scores minus their highest: what is left without constants of the user."""
    scored = ~np.isnan(scores).all(axis=1)
    differences = np.array(scores, dtype=float)
    differences[scored] -= np.nanmax(differences[scored], axis=1, keepdims=True)
    return differences


@given(seeds, st.sampled_from(["rm1", "rm2"]), few_neighbours, smoothings)
@pytest.mark.costly
def test_relevance_models_are_the_published_forms_up_to_a_constant_of_the_user(
    seed: int, model: str, neighbours: int, smoothing: tuple[str, float]
) -> None:
    values, rated = generated(20, 15, seed)
    fitted = RelevanceModel(model, neighbours, *smoothing).fit(to_matrix(values, rated))
    found = from_the_best(fitted.score(np.arange(20)))
    expected = from_the_best(brute_relevance(values, model, neighbours, *smoothing))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.costly
@pytest.mark.each("neighbours", [3, 4, 5, 17, 23])
@pytest.mark.each("model", ["rm1", "rm2"])
def test_relevance_models_count_each_of_many_raters_once(model: str, neighbours: int) -> None:
    # Raters are added by fours, and then one by one.
    values = np.random.default_rng(5).integers(1, 6, (24, 9)).astype(float)
    values[:12, 4] = 0.0
    fitted = RelevanceModel(model, neighbours).fit(to_matrix(values, values > 0))
    found = from_the_best(fitted.score(np.arange(24)))
    expected = from_the_best(
        brute_relevance(values, model, neighbours, fitted.smoothing, fitted.strength)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.costly
@pytest.mark.parametrize("model", ["rm1", "rm2"])
def test_large_profiles_neither_underflow_nor_overflow(model: str) -> None:
    generator = np.random.default_rng(3)
    values = np.where(
        generator.random((6, 500)) < 0.7, generator.integers(1, 6, (6, 500)), 0
    ).astype(float)
    fitted = RelevanceModel(model, 4, "jelinek-mercer", 1e-4).fit(to_matrix(values, values > 0))
    found = from_the_best(fitted.score(np.arange(6)))
    expected = from_the_best(brute_relevance(values, model, 4, "jelinek-mercer", 1e-4))
    assert np.nanmin(expected) < (-1000 if model == "rm2" else -5)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
