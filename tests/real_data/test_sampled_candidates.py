# SPDX-License-Identifier: MIT
"""Exact expectations over sampled candidates, against samples that are drawn, on MovieLens 1M."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from real_data.movielens import DATASET, MovieLens, needs_movielens

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.candidates import popularity_weights
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.sampled_metrics.sampled_candidates import SamplingOdds, expected_under_one_relevant
from receval.sampled_metrics.weighted_candidates import (
    expected_of_weighted_ranks,
    weight_shares_above,
)
from receval.seeds import generator

pytestmark = pytest.mark.costly

SAMPLES = 8
THRESHOLD = 4.0
LABELS = ("Recall@10", "nDCG(gain=binary)@10", "RR")


@needs_movielens
@pytest.mark.parametrize("system", ["pop", "puresvd"])
def test_samples_of_a_hundred_have_the_exact_mean_within_their_error(
    movielens: MovieLens, system: str
) -> None:
    data = movielens.first_fold("user-80")
    model = movielens.trained("user-80", system)
    metrics = [parse(label) for label in LABELS]
    whole = Protocol("AR", "AI").with_threshold(THRESHOLD)
    (ranks,) = rank_judged(model, data, [whole], partial(generator, 1))
    odds = SamplingOdds.of(data, JudgedLists.of(data.test, ranks, THRESHOLD, whole), whole)
    exact = [expected_under_one_relevant(odds, metric, 100).mean() for metric in metrics]
    sampled = Protocol("1R", "AI", sampled=100).with_threshold(THRESHOLD)
    means = []
    for number in range(SAMPLES):
        (drawn,) = rank_judged(model, data, [sampled], partial(generator, 1, DATASET, number))
        lists = JudgedLists.of(data.test, drawn, THRESHOLD, sampled)
        means.append(evaluate(metrics, lists).mean(axis=1))
    error = np.std(means, axis=0, ddof=1) / np.sqrt(SAMPLES)
    # The systems have other ties in every sample, and share candidates within a user.
    assert (np.abs(np.mean(means, axis=0) - exact) < 4 * error + 1e-6).all()


@needs_movielens
def test_samples_by_popularity_have_the_exact_mean_within_their_error(
    movielens: MovieLens,
) -> None:
    data = movielens.first_fold("user-80")
    model = movielens.trained("user-80", "puresvd")
    relevant = data.test.values >= THRESHOLD
    rows = np.flatnonzero(relevant)[::400]
    weights = popularity_weights(data, 1.0)
    ties = np.arange(data.train.shape[1], dtype=np.uint32)
    shares, _ = weight_shares_above(model, data, rows, relevant, weights, ties)
    table = np.r_[0.0, 1.0 / np.arange(1.0, 22.0)][:, None]
    exact = expected_of_weighted_ranks(shares, table, 20)[:, 0]
    rng, n_samples = generator(1, "by popularity"), 200
    users = data.test.users[rows].astype(np.int64)
    scores = np.asarray(model.score(users), dtype=np.float32)
    own_scores = scores[np.arange(len(rows)), data.test.items[rows]]
    points = rng.random((n_samples, 20, len(rows)))
    hits = np.zeros((n_samples, len(rows)), dtype=np.int64)
    for row, user in enumerate(users):
        candidates = weights.copy()
        candidates[data.train.indices[slice(*data.train.indptr[user : user + 2])]] = 0
        candidates[data.test.items[relevant & (data.test.users == user)]] = 0
        bounds = np.cumsum(candidates)
        drawn = np.searchsorted(bounds, points[:, :, row] * bounds[-1], side="right")
        hits[:, row] = (scores[row, drawn] > own_scores[row]).sum(axis=1)
    means = table[1 + hits, 0].mean(axis=1)
    error = np.std(means, ddof=1) / np.sqrt(n_samples)
    assert abs(np.mean(means) - exact.mean()) < 4 * error
