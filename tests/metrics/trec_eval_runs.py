# SPDX-License-Identifier: MIT
"""Random runs, measured by us and by trec_eval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from protocols.brute_force import Scores
from scipy.sparse import csr_array
from trec_eval_oracle import pytrec_eval

from receval.metrics.lists import DatasetMetadata, JudgedLists
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments

THRESHOLD = 4
CUTOFFS = (1, 2, 3, 5, 10, 30, 100)
COUNTED = ",".join(str(cutoff) for cutoff in CUTOFFS)

Run = tuple[Judgments, np.ndarray]


def random_run(seed: int, *, half_stars: bool = False) -> Run:
    """Draw judgments and scores: ties, short lists, a user without a list or relevant items."""
    rng = np.random.default_rng(seed)
    n_users, n_items = 9, int(rng.integers(5, 60))
    judged = rng.random((n_users, n_items)) < rng.uniform(0.05, 0.6)
    judged[:, 0] = True
    users, items = np.nonzero(judged)
    ratings = rng.integers(1, 11, len(users)) / 2 if half_stars else rng.integers(1, 6, len(users))
    ratings[users == 0] = 2  # a user without relevant items
    scores = rng.normal(size=(n_users, n_items)).astype(np.float32)
    if seed % 3 == 0:
        scores = np.round(scores)  # ties
    scores[rng.random(scores.shape) < rng.uniform(0, 0.8)] = np.nan  # short lists
    scores[1] = np.nan  # an empty list
    scores[2, 0] = 1.0  # a list with a judged item: trec_eval names no measure of an empty run
    return Judgments.from_pairs(users, items, ratings, n_users), scores


def lists_of(run: Run) -> JudgedLists:
    judgments, scores = run
    n_users, n_items = scores.shape
    nothing = csr_array((n_users, n_items), dtype=np.float32)
    protocol = Protocol("AR", "AI", ties="index")
    fold = Fold(train=nothing, test=judgments, unbiased=None)
    (outcome,) = rank_judged(Scores(scores), fold, [protocol], lambda *names: None)
    metadata = DatasetMetadata(5.0, np.ones(n_items, dtype=np.int64))
    return JudgedLists.of(judgments, outcome, THRESHOLD, protocol, metadata)


def cut(run: Run, depth: int) -> Run:
    """Leave all but the first items out of every list."""
    judgments, scores = run
    shorter = scores.copy()
    for user, row in enumerate(scores):
        order = sorted(np.flatnonzero(~np.isnan(row)), key=lambda item: (-row[item], item))
        shorter[user, order[depth:]] = np.nan
    return judgments, shorter


def judged_alone(run: Run) -> Run:
    """Leave all items without a judgment out of every list."""
    judgments, scores = run
    shorter = np.full_like(scores, np.nan)
    rated = judgments.users, judgments.items
    shorter[rated] = scores[rated]
    return judgments, shorter


def name_of(item: int) -> str:
    # trec_eval puts the greater name first among equal scores; we put the smaller index first.
    return f"{9999 - item:04d}"


def trec_eval(
    run: Run,
    measures: set[str],
    gain: Callable[[float], float] = lambda rating: 2 * rating,
    level: float = 2 * THRESHOLD,
) -> dict[str, np.ndarray]:
    """Return trec_eval's values for each user; users that it leaves out have NaN.

    trec_eval reads whole numbers, so ratings are doubled: half stars become whole, what is
    relevant stays so, and the factor cancels in nDCG.
    """
    judgments, scores = run
    qrels, ranked = {}, {}
    for user in range(judgments.n_users):
        rows = slice(judgments.indptr[user], judgments.indptr[user + 1])
        worth = [gain(float(rating)) for rating in judgments.values[rows]]
        assert all(value == int(value) for value in worth)
        names = map(name_of, judgments.items[rows])
        qrels[str(user)] = dict(zip(names, map(int, worth), strict=True))
        listed = np.flatnonzero(~np.isnan(scores[user]))
        if len(listed):
            ranked[str(user)] = {name_of(item): float(scores[user, item]) for item in listed}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=int(level))
    answer = evaluator.evaluate(ranked)
    names = {measure for values in answer.values() for measure in values}
    users = [answer.get(str(user), {}) for user in range(judgments.n_users)]
    return {name: np.array([values.get(name, np.nan) for values in users]) for name in names}
