# SPDX-License-Identifier: MIT
"""Systems that fit or score in blocks of their own, against those that do all at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.matrices import generated, to_matrix
from recommenders.test_base import shuffled

from receval.recommenders import (
    base,
    centred_item_neighbourhood,
    hitting_time,
    slim,
    user_item_relevance,
)
from receval.recommenders.base import Recommender
from receval.recommenders.centred_item_neighbourhood import CentredItemNeighbourhood
from receval.recommenders.centred_neighbourhood import CentredNeighbourhood
from receval.recommenders.hitting_time import HittingTime
from receval.recommenders.librec import knn as librec_knn
from receval.recommenders.librec import slim as librec_slim
from receval.recommenders.librec.knn import LibRecKNN
from receval.recommenders.librec.slim import LibRecSLIM
from receval.recommenders.model_grid import ModelGrid
from receval.recommenders.non_personalised import Popularity
from receval.recommenders.plsa import PLSA
from receval.recommenders.slim import SLIM
from receval.recommenders.user_item_relevance import UserItemRelevance

N_USERS, N_ITEMS = 59, 44
EVERYONE = np.arange(N_USERS)


BLOCK_SIZES = [1, 2, 3, N_ITEMS - 1, N_USERS - 1]


def few_at_a_time(patch: pytest.MonkeyPatch, most: int = 3) -> None:
    """Let no block hold more than these users or items: of three, the last block holds two.

    Those of hitting times, with two in the last, too, lie within blocks of eight users.
    """
    patch.setattr(base, "BLOCK_USERS", 8 if most == 3 else most)
    patch.setattr(librec_knn, "BLOCK_USERS", most)
    patch.setattr(librec_slim, "BLOCK_USERS", most)
    patch.setattr(slim, "BLOCK_ITEMS", most)
    patch.setattr(centred_item_neighbourhood, "ROWS", most)
    patch.setattr(hitting_time, "USERS_AT_A_TIME", most)
    patch.setattr(user_item_relevance, "ITEMS_A_BLOCK", most)


@pytest.mark.parametrize(
    "system",
    [
        LibRecKNN(5),
        LibRecKNN(5, over="items"),
        LibRecSLIM(neighbours=6, sweeps=3),
        SLIM(1.0, 5.0),
        SLIM(1.0, 5.0, 6),
        CentredItemNeighbourhood(5),
        CentredItemNeighbourhood(5, cosine="common"),
        HittingTime(7),
        UserItemRelevance(0.5),
    ],
    ids=lambda system: type(system).__name__,
)
def test_blocks_of_any_size_fit_and_score_what_is_fitted_and_scored_at_once(
    system: Recommender, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = to_matrix(*generated(N_USERS, N_ITEMS))
    whole = system.fit(train).score(EVERYONE)
    assert np.unique(whole[np.isfinite(whole)]).size > 100
    system.save(tmp_path / "whole.npz")
    for most in BLOCK_SIZES:
        few_at_a_time(monkeypatch, most)
        assert system.fit(train).score(EVERYONE).tobytes() == whole.tobytes()
        system.save(tmp_path / "blocks.npz")
        assert (tmp_path / "blocks.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_users_of_all_blocks_are_scored_in_the_order_of_the_items_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order = (shuffled(N_USERS, 1), shuffled(N_ITEMS, 2))
    model = PLSA(3, iterations=4).fit(to_matrix(*generated(N_USERS, N_ITEMS)), order=order)
    whole = model.score(EVERYONE)
    few_at_a_time(monkeypatch)
    np.testing.assert_array_equal(model.score(EVERYONE), whole)
    np.testing.assert_array_equal(model.score(EVERYONE[::-1]), whole[::-1])


def test_settings_score_users_of_all_blocks_together(monkeypatch: pytest.MonkeyPatch) -> None:
    train = to_matrix(*generated(N_USERS, N_ITEMS))
    models = [PLSA(3, iterations=number) for number in (2, 5)]
    expected = [model.fit(train).score(EVERYONE) for model in models]
    few_at_a_time(monkeypatch)
    np.testing.assert_array_equal(ModelGrid(models).fit(train).score(EVERYONE), expected)


@pytest.mark.parametrize("system", [LibRecKNN(5), CentredNeighbourhood(5)])
def test_many_items_are_ordered_by_falling_count_and_equal_ones_by_code(
    system: LibRecKNN | CentredNeighbourhood,
) -> None:
    _, rated = generated(12, 150)
    order = system.fit(to_matrix(rated * 3.0, rated)).item_order_
    counts = rated.sum(axis=0).tolist()
    assert order.tolist() == sorted(range(150), key=lambda item: -counts[item])


class Recorded(Popularity):
    """Remembers of how many users the blocks were."""

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        blocks.append(len(users))
        super()._score_block(users, scores)


blocks: list[int] = []


@pytest.mark.each(
    ("users", "entries", "expected"),
    [
        (3, 2**24, [3] * 19 + [2]),
        (256, 4 * N_USERS - 1, [3] * 19 + [2]),
        (256, N_USERS - 1, [1] * 59),
        (256, 2**24, [59]),
    ],
)
def test_a_block_holds_no_more_users_and_entries_than_it_may(
    users: int, entries: int, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "BLOCK_USERS", users)
    monkeypatch.setattr(base, "BLOCK_ENTRIES", entries)
    blocks.clear()
    Recorded().fit(to_matrix(*generated(N_USERS, N_ITEMS))).score(EVERYONE)
    assert blocks == expected
