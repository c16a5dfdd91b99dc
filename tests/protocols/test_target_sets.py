# SPDX-License-Identifier: MIT
"""Target sets against their definitions, and against the ranking that uses them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.data.ratings import Ratings
from receval.protocols.candidates import base_candidates, target_sets
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import BaseCandidates, Protocol, RelevantSelection
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, Fold, Split, fold

N_USERS, N_ITEMS, RELEVANT = 4, 7, 4.0
generator_for = partial(generator, 1, "toy")


class AllScored:
    """Scores every item."""

    def score(self, users: np.ndarray) -> np.ndarray:
        return np.random.default_rng(0).random((len(users), N_ITEMS)).astype(np.float32)


@st.composite
def folds(draw: st.DrawFn) -> tuple[dict[tuple[int, int], tuple[int, float]], Fold]:
    """A fold, and what it was made from: part and value by user and item."""
    pairs = st.tuples(st.integers(0, N_USERS - 1), st.integers(0, N_ITEMS - 1))
    uses = st.tuples(st.sampled_from([TRAIN, TEST]), st.sampled_from([2.0, 4.0, 5.0]))
    rows = draw(st.dictionaries(pairs, uses, min_size=1))
    ratings = Ratings(
        users=np.array([user for user, _ in rows], dtype=np.int32),
        items=np.array([item for _, item in rows], dtype=np.int32),
        values=np.array([value for _, value in rows.values()], dtype=np.float32),
        user_ids=np.arange(N_USERS).astype(np.str_),
        item_ids=np.arange(N_ITEMS).astype(np.str_),
    )
    codes = np.array([part for part, _ in rows.values()], dtype=np.uint8)
    return rows, fold(ratings, Split((codes,)), 0)


@pytest.mark.parametrize("candidates", ["AI", "TI", "train", "rated"])
@given(
    sampled=st.sampled_from([None, 1, 3, 50]), given_fold=folds(), user=st.integers(0, N_USERS - 1)
)
def test_sets_are_those_of_the_definitions(
    candidates: BaseCandidates,
    sampled: int | None,
    given_fold: tuple[dict[tuple[int, int], tuple[int, float]], Fold],
    user: int,
) -> None:
    rows, data = given_fold
    base = {
        "AI": set(range(N_ITEMS)),
        "TI": {item for (_, item), (part, _) in rows.items() if part == TEST},
        "train": {item for (_, item), (part, _) in rows.items() if part == TRAIN},
        "rated": {item for _, item in rows},
    }[candidates]
    mine = {item: use for (owner, item), use in rows.items() if owner == user}
    train = {item for item, (part, _) in mine.items() if part == TRAIN}
    relevant = {item for item, (part, value) in mine.items() if part == TEST and value >= RELEVANT}
    others = base - relevant - train

    protocols = {r: Protocol(r, candidates, sampled, RELEVANT) for r in ("AR", "1R")}
    found = {
        r: target_sets(data, protocol, user, RELEVANT, generator_for)
        for r, protocol in protocols.items()
    }
    for sets in found.values():
        assert sets.base == base
        assert sets.non_relevant <= others
        assert len(sets.non_relevant) == min(
            len(others), len(others) if sampled is None else sampled
        )
    sample = found["AR"].non_relevant
    assert found["AR"].lists == (sample | (relevant & base),)
    assert found["1R"].lists == tuple(sample | {item} for item in sorted(relevant & base))


@given(
    candidates=st.sampled_from(["AI", "TI", "train", "rated"]),
    given_fold=folds(),
    block=st.integers(1, 30),
)
def test_base_candidates_are_the_same_however_many_items_are_marked_at_a_time(
    candidates: BaseCandidates,
    given_fold: tuple[dict[tuple[int, int], tuple[int, float]], Fold],
    block: int,
) -> None:
    _, data = given_fold
    protocol = Protocol(candidates=candidates)
    whole = base_candidates(protocol, data, data.test)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("receval.protocols.candidates._BLOCK_ITEMS", block)
        assert base_candidates(protocol, data, data.test).tolist() == whole.tolist()


@pytest.mark.parametrize("relevant", ["AR", "1R"])
@given(sampled=st.sampled_from([None, 2]), given_fold=folds())
@pytest.mark.costly
def test_sets_have_the_sizes_of_the_lists_that_are_ranked(
    relevant: RelevantSelection,
    sampled: int | None,
    given_fold: tuple[dict[tuple[int, int], tuple[int, float]], Fold],
) -> None:
    _, data = given_fold
    protocol = Protocol(relevant, "TI", sampled, RELEVANT)
    (outcome,) = rank_judged(AllScored(), data, [protocol], generator_for)
    for user in np.flatnonzero(np.diff(data.test.indptr)).tolist():
        sets = target_sets(data, protocol, user, RELEVANT, generator_for)
        ranked = sets.lists[0] if relevant == "AR" else sets.non_relevant
        assert outcome.candidates[user] == len(ranked)
