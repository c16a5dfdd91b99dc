# SPDX-License-Identifier: MIT
"""Universes made on the spot: split, trained and ranked when they are asked for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from multiverse.small_universes import SEED, SYSTEMS, THRESHOLD, small_ratings, small_universes

from receval.metrics.evaluation import evaluate
from receval.metrics.registry import parse
from receval.multiverse.decisions import Configuration
from receval.multiverse.exploration import explore
from receval.multiverse.explore_ratings import NON_COMPUTABLE, TrainedUniverses
from receval.seeds import generator
from receval.splits.kinds import RandomRatio, make_split
from receval.splits.split import fold


def decided(**decisions: Any) -> Configuration:
    return Configuration.model_validate(decisions)


@pytest.mark.each("policy", NON_COMPUTABLE[1:])
def test_policies_for_items_without_a_score_serve_everybody(policy: str) -> None:
    universes = small_universes()
    metrics = [parse("UserCoverage"), parse("Coverage@1"), parse("UserCoverage(condensed=true)")]
    own_lists = universes.lists(Configuration(), "kNN")
    tested = own_lists.full.n_judged > 0
    without = evaluate(metrics, own_lists)[:, tested]
    np.testing.assert_array_equal(without[0], without[1])
    assert 0 < without[0].mean() < 1
    served = universes.lists(decided(non_computable=policy), "kNN")
    assert (evaluate(metrics, served)[:, tested] == 1).all()
    # What has a score of its own keeps its rank.
    ranks = dict(zip(served.full.indices, served.full.ranks, strict=True))
    own = zip(own_lists.full.indices, own_lists.full.ranks, strict=True)
    assert all(ranks[index] == rank for index, rank in own)
    assert len(ranks) == served.full.judged.n_judged.sum() > len(own_lists.full.ranks)


def test_the_default_selection_is_that_of_a_split_without_one() -> None:
    universes = small_universes()
    spec = RandomRatio(kind="random-ratio", train_ratio=0.5)
    data = fold(small_ratings(), make_split(small_ratings(), spec, SEED, "ratings", "split", {}), 0)
    has_train = np.diff(data.train.indptr) > 0
    np.testing.assert_array_equal(universes.has_train(Configuration()), has_train)
    judged = universes.lists(Configuration(), "Pop").full.judged
    assert judged.n_judged.tolist() == np.diff(data.test.indptr).tolist()


def test_what_trains_at_one_ratio_trains_at_every_larger_one() -> None:
    universes = small_universes()
    shares = (0.1, 0.3, 0.5, 0.9)
    users = [universes.has_train(decided(split={"train_ratio": share})) for share in shares]
    assert all((few <= more).all() for few, more in pairwise(users))
    tested = [
        universes.lists(decided(split={"train_ratio": share}), "Pop").full.n_judged
        for share in shares
    ]
    assert all((more >= few).all() for more, few in pairwise(tested))
    assert tested[0].sum() > tested[-1].sum()


def test_a_split_is_made_and_a_system_trained_once() -> None:
    trained: list[str] = []

    def counted(name: str) -> Any:
        def make(seed: int) -> Any:
            trained.append(name)
            return SYSTEMS[name](seed)

        return make

    universes = TrainedUniverses(small_ratings(), {n: counted(n) for n in SYSTEMS}, THRESHOLD, SEED)
    configurations = [
        decided(non_computable=policy, split={"train_ratio": share})
        for policy in NON_COMPUTABLE
        for share in (0.5, 0.8)
    ]
    # Though the splits take turns in the order of the configurations.
    explore(configurations, universes, [("kNN", "Pop")], generator(SEED))
    assert trained == ["kNN", "Pop"] * 2


def test_unknown_systems_and_policies_are_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="no system MF; there are kNN, Pop, Random"):
        small_universes().lists(Configuration(), "MF")
    few = TrainedUniverses(small_ratings(), SYSTEMS, THRESHOLD, SEED, policies=("none", "random"))
    with pytest.raises(ValueError, match="popularity was not asked for; the policies are none, ra"):
        few.lists(decided(non_computable="popularity"), "kNN")
