# SPDX-License-Identifier: MIT
"""Orders by lexirecall, against comparing two lists at a time."""

from __future__ import annotations

import numpy as np
import pytest

from receval.metrics.judged_items import JudgedItems
from receval.metrics.lexicographic_recall import lexirecall
from receval.metrics.lists import ListView
from receval.splits.split import Judgments
from reproduction.studies.followups._shared.lexirecall_orders import LexirecallLists

N_USERS, N_SYSTEMS = 30, 4


def judgments_of(rng: np.random.Generator) -> Judgments:
    users, items = np.nonzero(rng.random((N_USERS, 12)) < 0.4)
    return Judgments.from_pairs(users, items, rng.integers(1, 6, len(users)), n_users=N_USERS)


def views_of(rng: np.random.Generator, judged: JudgedItems) -> list[ListView]:
    """Return lists with few ranks, so that many tie, and some items in none."""
    lengths = np.full(N_USERS, 12)
    return [
        ListView.of(judged, rng.integers(0, 6, len(judged.positions)), lengths)
        for _ in range(N_SYSTEMS)
    ]


@pytest.mark.parametrize("share", [1.0, 0.6, 0.1, 0.0])
@pytest.mark.costly
def test_preferences_are_those_of_two_lists_at_a_time(share: float) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        judgments = judgments_of(rng)
        judged = JudgedItems.of(judgments, 4)
        views = views_of(rng, judged)
        kept = rng.random(len(judgments)) < share
        lists = LexirecallLists.of(views)
        found = lists.preferences(kept)
        reduced = judged.kept(kept)
        ranks = {}
        for system, view in enumerate(views):
            of_judged = np.zeros(len(judged.positions), dtype=np.int64)
            of_judged[view.indices] = view.ranks
            ranks[system] = of_judged[kept[judged.positions]]
        lengths = np.full(N_USERS, 12)
        rebuilt = [ListView.of(reduced, ranks[s], lengths) for s in range(N_SYSTEMS)]
        for one in range(N_SYSTEMS):
            for other in range(N_SYSTEMS):
                signs = lexirecall(rebuilt[one], rebuilt[other])
                assert found[one, other] == (signs > 0).sum()
                assert found[other, one] == (signs < 0).sum()


def test_mean_preferences_are_zero_in_sum_and_users_without_relevant_items_count() -> None:
    rng = np.random.default_rng(3)
    judged = JudgedItems.of(judgments_of(rng), 4)
    lists = LexirecallLists.of(views_of(rng, judged))
    means = lists.mean_preferences()
    assert means.sum() == pytest.approx(0, abs=1e-12)
    wins = lists.preferences()
    assert means[0] == (wins[0].sum() - wins[:, 0].sum()) / (N_USERS * (N_SYSTEMS - 1))
    assert lists.n_users_with_relevant == np.count_nonzero(judged.n_relevant)


def test_lists_of_other_folds_are_refused() -> None:
    rng = np.random.default_rng(4)
    one, other = (JudgedItems.of(judgments_of(rng), 4) for _ in range(2))
    with pytest.raises(ValueError, match="measured by different judged items"):
        LexirecallLists.of([*views_of(rng, one), *views_of(rng, other)])
