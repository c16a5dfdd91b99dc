# SPDX-License-Identifier: MIT
"""What a uniform test of MovieLens 1M does to popularity, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from real_data.movielens import MovieLens, needs_movielens
from scipy.sparse import csr_array

from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Fold

pytestmark = [needs_movielens, pytest.mark.costly]

ONE, ALL = Protocol("1R", "TI", 99), Protocol("AR", "TI")


@dataclass(frozen=True)
class OneOrder:
    """Ranks all users' items alike."""

    scores: np.ndarray

    def score(self, users: np.ndarray) -> np.ndarray:
        return np.tile(self.scores.astype(np.float32), (len(users), 1))


@pytest.fixture(scope="module")
def uniform(movielens: MovieLens) -> Fold:
    return movielens.first_fold("uniform-test")


def advantage(data: Fold, popularity: np.ndarray, protocol: Protocol, threshold: float) -> float:
    """Return the precision of popularity over that of one random order."""
    random = np.random.default_rng(0).random(len(popularity))
    values = []
    for scores in (popularity, random):
        seeds = partial(generator, 1, "uniform")
        (outcome,) = rank_judged(OneOrder(scores), data, [protocol], seeds, threshold=threshold)
        lists = JudgedLists.of(data.test, outcome, threshold, protocol)
        values.append(float(mean(evaluate([parse("P@10")], lists), lists, "all")[0]))
    return values[0] / values[1]


def test_the_targets_and_their_test_ratings_are_the_paper_s(
    movielens: MovieLens, uniform: Fold
) -> None:
    split = movielens.split("uniform-test")
    # Section 6.2: |T| = 1,703 and 118 test ratings per item (117.6 before rounding).
    assert split.metadata["target_items"] == 1703
    assert split.metadata["eta"] == pytest.approx(117.6)
    counts = np.bincount(uniform.test.items)
    assert set(counts[counts > 0]) == {117, 118}


@pytest.mark.parametrize("protocol", [ONE, ALL], ids=["U1R", "UAR"])
def test_popularity_is_random_if_all_ratings_are_positive_and_training_items_are_candidates(
    uniform: Fold, protocol: Protocol
) -> None:
    popularity = np.bincount(uniform.train.indices, minlength=uniform.train.shape[1])
    nothing = csr_array(uniform.train.shape, dtype=np.float32)
    kept = replace(uniform, train=nothing)
    assert advantage(kept, popularity, protocol, 1.0) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(("protocol", "least"), [(ONE, 1.4), (ALL, 2.0)], ids=["U1R", "UAR"])
def test_popularity_gains_where_training_items_are_no_candidates(
    uniform: Fold, protocol: Protocol, least: float
) -> None:
    # Where more than half of the users have an item in train, the others who rated it are a larger
    # share of those to whom it may be recommended. Section 5.1 takes this for negligible.
    popularity = np.bincount(uniform.train.indices, minlength=uniform.train.shape[1])
    assert advantage(uniform, popularity, protocol, 1.0) > least
