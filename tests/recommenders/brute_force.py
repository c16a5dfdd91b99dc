# SPDX-License-Identifier: MIT
"""Similarities, neighbours, baselines and language models by brute force from their formulas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from recommenders.matrices import to_matrix

from receval.recommenders.base import Recommender

Dense = NDArray[np.float64]
Mask = NDArray[np.bool_]


def scores_of(model: Recommender, values: Dense, rated: Mask) -> Dense:
    return model.fit(to_matrix(values, rated)).score(np.arange(len(values))).astype(float)


def cosines(values: Dense) -> Dense:
    """Return the cosine of every two rows, 0 where it is not positive and with the row itself."""
    norms = np.sqrt((values**2).sum(axis=1))
    products = values @ values.T
    np.fill_diagonal(products, 0)
    lengths = np.outer(norms, norms)
    return np.divide(products, lengths, out=np.zeros_like(products), where=products > 0)


def co_rated_cosines(values: Dense, rated: Mask, shrinkage: float) -> Dense:
    """Return the shrunk cosine of every two rows over what both have rated."""
    n = rated.astype(float) @ rated.T
    # Ratings that are missing are zeros: a sum over one row's has the other row's left out.
    norms = np.sqrt((values**2 @ rated.T) * (rated @ (values**2).T))
    has_cosine = norms > 0
    np.fill_diagonal(has_cosine, False)
    similarities = n * (values @ values.T) / np.where(has_cosine, norms * (n + shrinkage), 1)
    return np.where(has_cosine, similarities, 0)


def nearest(similarities: Dense, candidates: Iterable[int], neighbours: int) -> list[int]:
    """Return the most similar candidates, those of equal float32 similarities by code."""
    similar = [c for c in candidates if similarities[c] > 0]
    return sorted(similar, key=lambda c: (-np.float32(similarities[c]), c))[:neighbours]


def shrunk_by_common(similarities: Dense, rated: Mask, shrinkage: float) -> Dense:
    common = rated.astype(float) @ rated.T
    both = np.where(common > 0, common, 1)
    return both / (both + shrinkage) * similarities


def baselines(values: Dense, rated: Mask, model: Any) -> Dense:
    """Return the mean and biases of the baseline of a model, for all pairs."""
    mean = values[rated].mean()
    item_biases, user_biases = np.zeros(values.shape[1]), np.zeros(len(values))
    if "item" in model.baseline:
        sizes = rated.sum(axis=0) + model.item_regularisation
        rest = np.where(rated, values - mean, 0)
        item_biases = rest.sum(axis=0) / np.where(sizes > 0, sizes, 1)
    if "user" in model.baseline:
        sizes = rated.sum(axis=1) + model.user_regularisation
        rest = np.where(rated, values - mean - item_biases, 0)
        user_biases = rest.sum(axis=1) / np.where(sizes > 0, sizes, 1)
    return mean + user_biases[:, None] + item_biases


def language_models(values: Dense, smoothing: str, strength: float) -> Dense:
    """Return the smoothed distribution of every row, all 0 for rows of zeros."""
    collection = values.sum(axis=0) / values.sum()
    models = np.zeros_like(values)
    for row, ratings in enumerate(values):
        mass = ratings.sum()
        if mass == 0:
            continue
        if smoothing == "jelinek-mercer":
            models[row] = (1 - strength) * ratings / mass + strength * collection
        elif smoothing == "absolute-discounting":
            kept = np.maximum(ratings - strength, 0)
            models[row] = (kept + (mass - kept.sum()) * collection) / mass
        else:
            models[row] = (ratings + strength * collection) / (mass + strength)
    return models
