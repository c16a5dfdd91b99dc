# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from simulation.twin_folders import ROOT

from receval.recommenders.knn import UserKNN
from receval.recommenders.wrmf import WRMF
from reproduction.config.settings import load_settings
from reproduction.simulation.twins import Simulation


def precision_at_10(scores: np.ndarray, train: np.ndarray, relevant: np.ndarray) -> float:
    top = np.argsort(-np.where(train > 0, -np.inf, scores), axis=1, kind="stable")[:, :10]
    return float(np.take_along_axis(relevant, top, axis=1).mean())


def split_of(simulation: Simulation, in_train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the training ratings, and which of the others are relevant, of all pairs."""
    seen, shape = simulation.observation, simulation.world.relevance.shape
    train, relevant = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=bool)
    train[seen.users[in_train], seen.items[in_train]] = seen.values[in_train]
    relevant[seen.users[~in_train], seen.items[~in_train]] = seen.values[~in_train] >= 4
    return train, relevant


@pytest.mark.costly
def test_personalised_beats_popularity_beats_random_on_the_movielens_twin(
    simulations: dict[str, Simulation],
) -> None:
    simulation = simulations["ml-1m"]
    rng = np.random.default_rng(0)
    train, relevant = split_of(simulation, rng.random(len(simulation.observation)) >= 0.2)
    shape = train.shape
    values, vectors = np.linalg.eigh(train.T @ train)
    directions = vectors[:, np.argsort(values)[-10:]]
    lengths = np.linalg.norm(train, axis=1, keepdims=True)
    similarity = (train / lengths) @ (train / lengths).T
    np.fill_diagonal(similarity, 0)
    similarity[similarity < np.sort(similarity, axis=1)[:, [-30]]] = 0

    random = precision_at_10(rng.random(shape), train, relevant)
    popularity = precision_at_10(np.broadcast_to((train > 0).sum(axis=0), shape), train, relevant)
    pure_svd = precision_at_10(train @ directions @ directions.T, train, relevant)
    neighbours = precision_at_10(similarity @ train, train, relevant)
    assert popularity > 5 * random
    assert pure_svd > 1.3 * popularity
    assert neighbours > 1.3 * popularity


@pytest.mark.costly
@pytest.mark.parametrize(("train_ratio", "ahead"), [(0.2, "knn-user"), (0.8, "ranksys-mf")])
def test_knn_and_mf_of_the_demo_change_places_on_the_movielens_twin(
    simulations: dict[str, Simulation], train_ratio: float, ahead: str
) -> None:
    """As in figure 2 of canamares2020: kNN with few training ratings, MF with many."""
    systems = load_settings(ROOT / "config", "demo").systems
    simulation = simulations["ml-1m"]
    coins = np.random.default_rng(0).random(len(simulation.observation))
    train, relevant = split_of(simulation, coins < train_ratio)
    precision = {}
    for name, system in (("knn-user", UserKNN), ("ranksys-mf", WRMF)):
        fitted = system(**systems[name].parameters).fit(csr_array(train))
        scores = np.nan_to_num(fitted.score(np.arange(len(train))), nan=-1e9)
        precision[name] = precision_at_10(scores, train, relevant)
    (behind,) = precision.keys() - {ahead}
    assert precision[ahead] > 1.05 * precision[behind]
