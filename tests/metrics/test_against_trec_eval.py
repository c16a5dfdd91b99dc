"""Every metric that trec_eval has, on random runs, against trec_eval."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.parse import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments

CUTOFFS = (1, 2, 3, 5, 10, 30, 100)
THRESHOLD = 4


class Run:
    """Scores of a random run; NaN leaves an item out of a user's list."""

    def __init__(self, scores: np.ndarray) -> None:
        self.scores = scores

    def score(self, users: np.ndarray) -> np.ndarray:
        return self.scores[users]


def random_run(seed: int) -> tuple[Judgments, np.ndarray]:
    rng = np.random.default_rng(seed)
    n_users, n_items = 9, int(rng.integers(5, 60))
    judged = rng.random((n_users, n_items)) < rng.uniform(0.05, 0.6)
    judged[:, 0] = True
    users, items = np.nonzero(judged)
    ratings = rng.integers(1, 6, size=len(users))
    ratings[users == 0] = 2  # a user without relevant items
    scores = rng.normal(size=(n_users, n_items)).astype(np.float32)
    if seed % 3 == 0:
        scores = np.round(scores)  # ties
    scores[rng.random(scores.shape) < rng.uniform(0, 0.8)] = np.nan  # short lists
    scores[1] = np.nan  # an empty list
    return Judgments.from_pairs(users, items, ratings, n_users), scores


def lists_of(judgments: Judgments, scores: np.ndarray, threshold: float) -> JudgedLists:
    n_users, n_items = scores.shape
    nothing = csr_array((n_users, n_items), dtype=np.float32)
    protocol = Protocol("AR", "AI", ties="index")
    fold = Fold(train=nothing, test=judgments, unbiased=None)
    (outcome,) = rank_judged(Run(scores), fold, [protocol], lambda *names: None)
    return JudgedLists.of(judgments, outcome, threshold, protocol)


def name_of(item: int) -> str:
    # trec_eval puts the greater name first among equal scores; we put the smaller index first.
    return f"{9999 - item:04d}"


def trec_eval(
    judgments: Judgments, scores: np.ndarray, measures: set[str], gain=lambda rating: rating
) -> list[dict[str, float]]:
    qrels, run = {}, {}
    for user in range(judgments.n_users):
        rows = slice(judgments.indptr[user], judgments.indptr[user + 1])
        qrels[str(user)] = {
            name_of(item): int(gain(rating))
            for item, rating in zip(judgments.items[rows], judgments.values[rows], strict=True)
        }
        run[str(user)] = {
            name_of(item): float(score)
            for item, score in enumerate(scores[user])
            if not np.isnan(score)
        }
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=int(gain(THRESHOLD))
    )
    answer = evaluator.evaluate({user: ranking for user, ranking in run.items() if ranking})
    return [answer.get(str(user), {}) for user in range(judgments.n_users)]


COUNTED = ",".join(str(cutoff) for cutoff in CUTOFFS)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_precision_recall_map_and_ndcg_equal_trec_eval_at_every_cutoff(seed: int) -> None:
    judgments, scores = random_run(seed)
    measures = {f"P.{COUNTED}", f"recall.{COUNTED}", f"ndcg_cut.{COUNTED}", "ndcg", "set_P"}
    measures |= {f"map_cut.{COUNTED}", "map"}
    expected = trec_eval(judgments, scores, measures)
    names = {"P": "P", "Recall": "recall", "nDCG": "ndcg_cut", "AP": "map_cut"}
    pairs = {f"{ours}@{n}": f"{theirs}_{n}" for ours, theirs in names.items() for n in CUTOFFS}
    pairs |= {"nDCG": "ndcg", "P": "set_P", "nDCG(ideal=all)": "ndcg", "AP": "map"}
    values = evaluate([parse(label) for label in pairs], lists_of(judgments, scores, THRESHOLD))
    for row, theirs in zip(values, pairs.values(), strict=True):
        reference = [answer.get(theirs, 0.0) for answer in expected]
        np.testing.assert_allclose(row, reference, atol=1e-12, err_msg=theirs)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_other_gains_equal_trec_eval_on_mapped_judgments(seed: int) -> None:
    judgments, scores = random_run(seed)
    lists = lists_of(judgments, scores, THRESHOLD)
    gains = {
        "exponential": lambda rating: 2**rating - 1,
        "binary": lambda rating: rating >= THRESHOLD,
        "relevant": lambda rating: rating if rating >= THRESHOLD else 0,
    }
    for name, gain in gains.items():
        expected = trec_eval(judgments, scores, {f"ndcg_cut.{COUNTED}"}, gain)
        values = evaluate([parse(f"nDCG(gain={name})@{n}") for n in CUTOFFS], lists)
        for row, cutoff in zip(values, CUTOFFS, strict=True):
            reference = [answer.get(f"ndcg_cut_{cutoff}", 0.0) for answer in expected]
            np.testing.assert_allclose(row, reference, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 100_000), depth=st.sampled_from([1, 3, 10, 100]))
def test_uncut_ndcg_of_a_run_of_some_depth_equals_trec_eval_on_the_cut_run(
    seed: int, depth: int
) -> None:
    judgments, scores = random_run(seed)
    cut = scores.copy()
    for user, row in enumerate(scores):
        order = sorted(np.flatnonzero(~np.isnan(row)), key=lambda item: (-row[item], item))
        cut[user, order[depth:]] = np.nan
    expected = trec_eval(judgments, cut, {"ndcg"})
    values = evaluate([parse(f"nDCG(depth={depth})")], lists_of(judgments, scores, THRESHOLD))
    reference = [answer.get("ndcg", 0.0) for answer in expected]
    np.testing.assert_allclose(values[0], reference, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_condensed_metrics_equal_trec_eval_on_runs_without_unjudged_items(seed: int) -> None:
    judgments, scores = random_run(seed)
    judged_only = np.full_like(scores, np.nan)
    judged_only[judgments.users, judgments.items] = scores[judgments.users, judgments.items]
    expected = trec_eval(judgments, judged_only, {f"P.{COUNTED}", f"ndcg_cut.{COUNTED}"})
    lists = lists_of(judgments, scores, THRESHOLD)
    for ours, theirs in (("P", "P"), ("nDCG", "ndcg_cut")):
        values = evaluate([parse(f"{ours}(condensed=true)@{n}") for n in CUTOFFS], lists)
        for row, cutoff in zip(values, CUTOFFS, strict=True):
            reference = [answer.get(f"{theirs}_{cutoff}", 0.0) for answer in expected]
            np.testing.assert_allclose(row, reference, atol=1e-12)


def test_half_stars_keep_their_half() -> None:
    judgments = Judgments.from_pairs([0, 0], [0, 1], [4.5, 1.5], 1)
    lists = lists_of(judgments, np.array([[0.1, 0.9]], dtype=np.float32), 4)
    values = evaluate([parse("nDCG@2")], lists)
    gained = 1.5 + 4.5 / np.log2(3)
    ideal = 4.5 + 1.5 / np.log2(3)
    assert values[0, 0] == pytest.approx(gained / ideal)
