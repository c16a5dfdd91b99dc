# SPDX-License-Identifier: MIT
"""Lexirecall against its definition, its link to total search efficiency, and all pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import binomtest

from receval.data.ratings_table import read_ratings
from receval.evaluation.lexicographic_pairs import (
    compare_by_lexirecall,
    lexirecall,
    preference_table,
    total_search_efficiency,
)
from receval.metrics.lists import JudgedItems, ListView
from receval.splits.split import Judgments
from receval.splits.split_ratings import split

LENGTH = 12
END = 10**6


@st.composite
def two_systems(draw: st.DrawFn) -> tuple[JudgedItems, np.ndarray, np.ndarray, Judgments]:
    """Some users' judgments, and the ranks that two systems give them; 0 is not retrieved."""
    users, items, values = [], [], []
    for user in range(draw(st.integers(1, 4))):
        for item in draw(st.lists(st.integers(0, 8), unique=True, max_size=5)):
            users.append(user)
            items.append(item)
            values.append(draw(st.sampled_from([2.0, 5.0])))
    judgments = Judgments.from_pairs(users, items, values, n_users=4)
    ranks = []
    for _ in range(2):
        own = np.zeros(len(judgments), dtype=np.int32)
        for user in range(4):
            rows = np.flatnonzero(judgments.users == user)
            order = draw(st.permutations(range(1, LENGTH + 1)))
            own[rows] = [draw(st.sampled_from([rank, rank, 0])) for rank in order[: len(rows)]]
        ranks.append(own)
    return JudgedItems.of(judgments, threshold=4), *ranks, judgments


def views(judged: JudgedItems, *ranks: np.ndarray) -> list[ListView]:
    lengths = np.full(judged.n_rows, LENGTH)
    return [ListView.of(judged, own[judged.positions], lengths) for own in ranks]


def preferred(one: list[int], other: list[int]) -> int:
    """Compare from the lowest-ranked relevant item up; what is not retrieved stands at the end."""
    for mine, theirs in zip(
        sorted((rank or END for rank in one), reverse=True),
        sorted((rank or END for rank in other), reverse=True),
        strict=True,
    ):
        if mine != theirs:
            return 1 if mine < theirs else -1
    return 0


@given(two_systems())
def test_preferences_are_those_of_the_definition(given_systems):
    judged, one, other, judgments = given_systems
    first, second = views(judged, one, other)
    expected = []
    for user in range(4):
        rows = np.flatnonzero((judgments.users == user) & (judgments.values >= 4))
        expected.append(preferred(one[rows].tolist(), other[rows].tolist()))
    assert lexirecall(first, second).tolist() == expected
    assert lexirecall(second, first).tolist() == [-sign for sign in expected]
    assert lexirecall(first, first).tolist() == [0] * 4


@given(two_systems())
def test_the_higher_search_efficiency_is_always_preferred(given_systems):
    judged, one, other, judgments = given_systems
    first, second = views(judged, one, other)
    efficiency = [total_search_efficiency(view) for view in (first, second)]
    for user in range(4):
        rows = np.flatnonzero((judgments.users == user) & (judgments.values >= 4))
        own = one[rows]
        complete = len(rows) > 0 and (own > 0).all()
        assert efficiency[0][user] == (1 / own.max() if complete else 0)
    differ = efficiency[0] != efficiency[1]
    signs = np.sign(efficiency[0] - efficiency[1])
    assert (lexirecall(first, second)[differ] == signs[differ]).all()


def test_the_sign_test_is_scipys_and_the_permutation_test_over_all_signs():
    signs = np.array([1, 1, 1, -1, 0, 0, 1, 1, 1])
    table = preference_table(signs[None], [("a", "b")])
    assert table["p"][0] == pytest.approx(binomtest(6, 7, 0.5).pvalue)
    observed = abs(signs.sum())
    flipped = [abs(int((signs * flips).sum())) for flips in product((1, -1), repeat=9)]
    assert table["p"][0] == pytest.approx(np.mean([total >= observed for total in flipped]))
    assert table["preference"][0] == pytest.approx(5 / 9)
    assert preference_table(np.zeros((1, 3), dtype=int), [("a", "b")])["p"][0] == 1


class Knows:
    """Knows the held-out ratings of some users, and scores at random otherwise."""

    def __init__(self, wanted: np.ndarray) -> None:
        self.wanted = wanted

    def fit(self, train: csr_array) -> Knows:
        return self

    def score(self, users: np.ndarray) -> np.ndarray:
        noise = np.random.default_rng(3).random(self.wanted.shape)
        return (self.wanted + noise)[users].astype(np.float32)


def test_all_pairs_of_systems_are_compared_over_users_and_folds():
    rng = np.random.default_rng(2)
    liked = rng.random((40, 25)) < 0.4
    users, items = np.nonzero(liked)
    ratings = read_ratings({"user": users, "item": items, "rating": np.ones(len(users))})
    wanted = np.zeros((ratings.n_users, ratings.n_items))
    wanted[ratings.users, ratings.items] = 2
    data = split(ratings, "k-fold", folds=2)
    systems = {"oracle": Knows(wanted), "chance": Knows(0 * wanted), "same": Knows(0 * wanted)}
    table = compare_by_lexirecall(data, systems).set_index(["first", "second"])
    assert len(table) == 3
    best = table.loc["oracle", "chance"]
    assert best["significant"]
    assert best["preferring_first"] == 40
    assert best["efficiency_first"] > best["efficiency_second"]
    assert table.loc["chance", "same"]["tied"] == 40
    assert table.loc["chance", "same"]["p"] == 1
    cut = compare_by_lexirecall(data, systems, depth=1).set_index(["first", "second"])
    assert cut.loc["oracle", "chance"]["tied"] > 0


def test_one_system_or_lists_of_one_relevant_item_are_refused():
    table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    data = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    scores = np.ones((2, 3))
    with pytest.raises(ValueError, match="name at least two"):
        compare_by_lexirecall(data, {"one": scores})
    with pytest.raises(ValueError, match=r"one list per relevant item\. Choose AR"):
        compare_by_lexirecall(data, {"one": scores, "two": scores}, protocol="1R TI-NN sampled=1")
    with pytest.raises(ValueError, match=r"have the shape \(3, 2\)"):
        compare_by_lexirecall(data, {"one": scores, "two": scores.T})
    with pytest.raises(ValueError, match=r"which has no score\(users\)"):
        compare_by_lexirecall(data, {"one": scores, "two": object()})


@pytest.mark.parametrize(("value", "n_users"), [(2, 1), (5, 2)])
def test_lists_of_other_judgments_or_users_are_refused(value: int, n_users: int) -> None:
    one, other = (
        views(JudgedItems.of(Judgments.from_pairs([0], [0], [own], number), 4), np.array([1]))[0]
        for own, number in ((5, 1), (value, n_users))
    )
    for first, second in ((one, other), (other, one)):
        with pytest.raises(ValueError, match="measured with different judged items"):
            lexirecall(first, second)
