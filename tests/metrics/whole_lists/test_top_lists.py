# SPDX-License-Identifier: MIT
"""Select and keep the first items of lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.whole_lists.made_lists import made_fold, made_lists
from scipy.sparse import csc_array, csr_array

from receval import top_lists as module
from receval.protocols import kept_lists
from receval.protocols.evaluation import rank_judged
from receval.protocols.kept_lists import KeptLists, KeptPredictions, refuse_protocols_without_lists
from receval.protocols.listed_ranks import ListedItems, first_listed
from receval.protocols.protocol import Protocol
from receval.recommenders.adapters.scores import of_scores
from receval.seeds import generator
from receval.top_lists import _move_smallest_to_front, joined_lists, recommended, top_lists


@given(st.integers(0, 2**32 - 1))
def test_a_list_has_the_best_open_items_by_score_and_then_priority(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_users, n_items, n = (int(rng.integers(1, most)) for most in (5, 90, 12))
    scores = rng.integers(-2, 3, (n_users, n_items)).astype(rng.choice(["f4", "f8", "i2"]))
    if scores.dtype.kind == "f":
        for other in (np.nan, -0.0, np.inf):
            scores[rng.random(scores.shape) < 0.15] = other
    if rng.random() < 0.3:
        scores[:] = np.nan_to_num(scores[0], posinf=3)  # The same for all users.
    kind = csr_array if rng.random() < 0.7 else csc_array
    excluded = kind((rng.random((n_users + 3, n_items)) < 0.3).astype(np.float32))
    users = np.sort(rng.choice(n_users + 3, n_users, replace=False))
    is_candidate = rng.random(n_items) < 0.8
    priority = rng.permutation(n_items).astype(np.uint32) * rng.choice([1, 7]).astype(np.uint32)

    lists = top_lists(
        scores, users, n, exclude=excluded, is_candidate=is_candidate, priority=priority
    )

    closed = excluded.toarray()[users] > 0
    for row in range(n_users):
        is_open = is_candidate & ~closed[row] & ~np.isnan(scores[row].astype(float))
        wanted = sorted(
            np.flatnonzero(is_open), key=lambda item: (-scores[row, item], priority[item])
        )[:n]
        assert lists.items[row, : len(wanted)].tolist() == wanted
        assert (lists.items[row, len(wanted) :] == -1).all()
        assert lists.scores[row, : len(wanted)].tolist() == scores[row, wanted].tolist()
        assert lists.lengths[row] == len(wanted)


@pytest.mark.each("shape", [(1, 4), (3, 4), (2, 3), (4,)])
def test_scores_of_other_users_or_items_than_the_excluded_ones_are_refused(
    shape: tuple[int, ...],
) -> None:
    with pytest.raises(ValueError, match=r"scores (of 2 users have the shape|are of 3 items)"):
        top_lists(np.ones(shape), np.array([0, 1]), 2, exclude=csr_array(np.eye(2, 4)))


@pytest.mark.each("block", [1, 2, 3, 9, 10])
def test_lists_do_not_depend_on_how_users_are_divided_into_blocks(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.random.default_rng(1).integers(0, 9, (10, 400)).astype(np.float32)
    excluded = csr_array((scores == 8).astype(np.float32))
    users = np.arange(10)
    rows = joined_lists(
        [top_lists(scores[[r]], np.array([r]), 20, exclude=excluded) for r in users[::-1]], 20
    )
    assert rows.users.tolist() == users.tolist()

    monkeypatch.setattr(module, "_MASKED_ENTRIES", 400 * (block + 1) - 1)
    whole = top_lists(scores, users, 20, exclude=excluded)
    np.testing.assert_array_equal(whole.items, rows.items)

    monkeypatch.setattr(module, "_BLOCK_ENTRIES", 400 * (block + 1) - 1)
    scored = recommended(of_scores(scores), users, 20, exclude=excluded, n_items=400)
    np.testing.assert_array_equal(scored.items, rows.items)
    np.testing.assert_array_equal(scored.scores, rows.scores)
    assert scored.users.tolist() == users.tolist()


def test_a_system_recommends_for_the_wanted_users_in_ascending_order() -> None:
    scores = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])
    train = csr_array(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))

    lists = recommended(of_scores(scores), np.array([1, 0, 1]), 2, exclude=train, n_items=3)

    assert lists.users.tolist() == [0, 1]
    assert lists.items.tolist() == [[1, 0], [0, 1]]


def test_a_list_without_items_is_refused() -> None:
    with pytest.raises(ValueError, match="0 items"):
        top_lists(np.ones((1, 2)), np.array([0]), 0)


def test_lists_of_other_users_are_empty() -> None:
    lists = made_lists([3, 1], [2]).of_users(np.array([1, 5]))

    assert lists.items.tolist() == [[2, -1], [-1, -1]]
    assert np.isnan(lists.scores[1]).all()


def _generators(*names: str | int) -> np.random.Generator:
    return generator(1, *names)


@given(st.integers(0, 2**32 - 1))
def test_the_kept_lists_are_those_in_which_judged_items_are_ranked(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (4, 8)
    pairs = [(u, i) for u in range(shape[0]) for i in range(shape[1])]
    kinds = rng.choice(3, len(pairs), p=[0.5, 0.25, 0.25])
    fold = made_fold(
        [pair for pair, kind in zip(pairs, kinds, strict=True) if kind == 1],
        [(*pair, 5.0) for pair, kind in zip(pairs, kinds, strict=True) if kind == 2],
        shape,
    )
    scores = rng.integers(0, 3, shape).astype(np.float32)
    scores[rng.random(shape) < 0.1] = np.nan
    protocols = {
        name: Protocol(candidates=name, ties=ties, threshold=1)
        for name, ties in (("AI", "random"), ("TI", "index"), ("train", "random"))
    }
    keeper = KeptLists(of_scores(scores), fold, protocols, _generators, shape[1])

    ranked = rank_judged(keeper, fold, list(protocols.values()), _generators)

    for name, own in zip(protocols, ranked, strict=True):
        lists = keeper.lists(name)
        for user, item, rank in zip(fold.test.users, fold.test.items, own.ranks, strict=True):
            row = np.flatnonzero(lists.users == user)
            listed = lists.items[row[0]].tolist() if len(row) else []
            assert rank == (listed.index(item) + 1 if item in listed else 0)


def test_lists_are_written_under_the_names_of_all_protocols_that_they_serve() -> None:
    fold = made_fold([(0, 0)], [(0, 1, 5.0), (1, 2, 5.0)], (2, 3))
    protocols = {"a": Protocol(), "b": Protocol(threshold=2), "test": Protocol(candidates="TI")}
    written: list[tuple[str, list[list[int]]]] = []
    keeper = KeptLists(
        of_scores(np.array([[3.0, 2.0, 1.0]] * 2)),
        fold,
        protocols,
        _generators,
        3,
        write=lambda name, lists: written.append((name, lists.items.tolist())),
        are_held=False,
    )
    keeper.score(np.array([0, 1]))
    every = [[1, 2, -1], [0, 1, 2]]
    assert written == [("a", every), ("b", every), ("test", [[1, 2, -1], [1, 2, -1]])]


@pytest.mark.each("kind", ["lists", "predictions"])
def test_what_keeps_lists_or_predictions_scores_as_its_system(kind: str) -> None:
    fold = made_fold([(0, 0), (1, 1)], [(0, 1, 5.0), (1, 2, 5.0)], (2, 3))
    system = of_scores(np.array([[3.0, 1.0, 2.0], [0.5, 4.0, -1.0]]))
    keeper: KeptLists | KeptPredictions = KeptPredictions(system, fold)
    if kind == "lists":
        keeper = KeptLists(system, fold, {"AR": Protocol()}, _generators, 2)
    users = np.array([1, 0])
    np.testing.assert_array_equal(keeper.score(users), system.score(users))


@pytest.mark.each("block", [1, 2, 3, 4, 5])
def test_users_without_judgments_can_be_scored_too(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_lists, "_BLOCK_ENTRIES", 3 * block + 2)
    fold = made_fold([(0, 0)], [(0, 1, 5.0)], (6, 3))
    protocols = {"AR": Protocol()}
    keeper = KeptLists(of_scores(np.ones((6, 3))), fold, protocols, _generators, 2)
    rank_judged(keeper, fold, [Protocol()], _generators)
    assert keeper.lists("AR").users.tolist() == [0]

    keeper.score_others()

    assert keeper.lists("AR").users.tolist() == [0, 1, 2, 3, 4, 5]


@given(st.integers(0, 2**32 - 1))
def test_given_lists_keep_their_first_candidates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (3, 7)
    train = [(u, int(i)) for u in range(3) for i in rng.choice(7, 2, replace=False)]
    fold = made_fold(train, [(0, 3, 5.0), (2, 4, 5.0)], shape)
    chosen = np.flatnonzero(rng.random(21) < 0.6)
    scores = rng.integers(0, 4, len(chosen)).astype(np.float64)
    listed = ListedItems((chosen // 7).astype(np.int32), (chosen % 7).astype(np.int32), scores)
    protocol = Protocol(candidates="TI" if seed % 2 else "AI", ties="index")
    matrix = np.full(shape, np.nan)
    matrix[listed.users, listed.items] = scores

    lists = first_listed(listed, fold, protocol, _generators, 4)

    is_candidate = np.isin(np.arange(7), [3, 4]) if seed % 2 else np.ones(7, dtype=bool)
    wanted = top_lists(matrix, np.arange(3), 4, exclude=fold.train, is_candidate=is_candidate)
    np.testing.assert_array_equal(lists.items, wanted.items)
    np.testing.assert_array_equal(lists.scores, wanted.scores)


@pytest.mark.each(
    ("protocol", "words"),
    [
        (Protocol("1R", threshold=1), "needs one list of recommendations per user, but this ranks"),
        (Protocol(sampled=5, threshold=1), "needs one list of recommendations per user"),
        (Protocol(ties="librec"), "cannot be had under this, which places items with equal"),
        (Protocol(non_computable="popularity"), "cannot be had under this"),
    ],
)
def test_protocols_without_one_list_per_user_are_refused(protocol: Protocol, words: str) -> None:
    with pytest.raises(ValueError, match=f"Gini@10 {words}"):
        refuse_protocols_without_lists({"this": protocol}, "Gini@10")


class _Key:
    """A key of McIlroy (1999), "A killer adversary for quicksort": its value is chosen late."""

    compared = 0
    n_chosen = 0
    candidate: _Key | None = None

    def __init__(self) -> None:
        self.value: float = np.inf

    def __lt__(self, other: _Key) -> bool:
        _Key.compared += 1
        if self.value == other.value == np.inf:
            chosen = self if self is _Key.candidate else other
            chosen.value, _Key.n_chosen = float(_Key.n_chosen), _Key.n_chosen + 1
        if np.inf in (self.value, other.value):
            _Key.candidate = self if self.value == np.inf else other
        return self is not other and self.value < other.value

    def __gt__(self, other: _Key) -> bool:
        return other < self


def test_no_order_of_scores_makes_a_selection_quadratic() -> None:
    keys = np.array([_Key() for _ in range(3000)])

    _move_smallest_to_front.py_func(keys, 1000)

    assert _Key.compared < 200 * len(keys)
    values = [key.value for key in keys]
    assert max(values[:1000]) < min(values[1000:])
