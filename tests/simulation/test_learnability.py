from __future__ import annotations

import numpy as np

from receval.simulation.twins import Simulation


def precision_at_10(scores: np.ndarray, train: np.ndarray, relevant: np.ndarray) -> float:
    top = np.argsort(-np.where(train > 0, -np.inf, scores), axis=1, kind="stable")[:, :10]
    return float(np.take_along_axis(relevant, top, axis=1).mean())


def test_personalised_beats_popularity_beats_random_on_the_movielens_twin(
    simulations: dict[str, Simulation],
) -> None:
    simulation = simulations["ml-1m"]
    seen, shape = simulation.observation, simulation.world.relevance.shape
    rng = np.random.default_rng(0)
    in_test = rng.random(len(seen)) < 0.2
    train = np.zeros(shape)
    train[seen.users[~in_test], seen.items[~in_test]] = seen.values[~in_test]
    relevant = np.zeros(shape, dtype=bool)
    relevant[seen.users[in_test], seen.items[in_test]] = seen.values[in_test] >= 4

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
