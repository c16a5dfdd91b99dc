# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from theory.counted_items import Item, items, probabilities_of, sign, steeper

from receval.theory.item_pairs import ItemPairs, Relevance, Steepness, _wide_product, item_pairs
from receval.theory.rating_probabilities import RatingProbabilities

Case = tuple[int, ...]
LARGEST = 2**31 - 1


def case_of(a: Item, b: Item, relevance: Relevance, steepness: Steepness = "odds") -> Case:
    """Compare two items by exact fractions, the item that is ahead first."""
    x, y = (item.average_rating if relevance == "rated" else item.p_relevant for item in (a, b))
    odds = (a.odds, b.odds) if steepness == "odds" else (a.popularity, b.popularity)
    orders = [
        sign(a.odds - b.odds),
        sign(x - y),
        sign(a.observed_precision - b.observed_precision),
        sign(a.observed_anti_precision - b.observed_anti_precision),
        sign(a.real_precision - b.real_precision),
    ]
    first = next((order for order in orders if order), 1)
    orders = [first * order for order in orders]
    return (*orders[:2], steeper(odds, (x, y)), steeper(odds, (1 - x, 1 - y)), *orders[2:])


def cases_of(found: ItemPairs) -> dict[Case, int]:
    columns = (
        found.popularity,
        found.relevance,
        found.steeper_than_relevance,
        found.steeper_than_non_relevance,
        found.observed_precision,
        found.observed_anti_precision,
        found.real_ranking,
    )
    signs = [tuple(int(sign) for sign in row) for row in np.stack(columns, axis=1)]
    assert len(set(signs)) == len(signs)
    return dict(zip(signs, found.pairs.tolist(), strict=True))


@pytest.mark.parametrize("steepness", ["odds", "popularity"])
@pytest.mark.parametrize("relevance", ["rated", "all"])
@given(st.lists(items(4, any_train=True), max_size=8))
@pytest.mark.costly
def test_every_pair_is_in_the_case_that_fractions_give_it(
    relevance: Relevance, steepness: Steepness, drawn: list[Item]
) -> None:
    kept = [item for item in drawn if 0 < item.train < item.sampled]
    expected = Counter(case_of(a, b, relevance, steepness) for a, b in combinations(kept, 2))
    found = item_pairs(probabilities_of(drawn), relevance, steepness)
    assert cases_of(found) == expected
    assert found.n_items == len(kept)
    assert found.n_pairs == found.pairs.sum()


@pytest.mark.parametrize("relevance", ["rated", "all"])
@given(st.lists(items(LARGEST // 4), min_size=2, max_size=4))
@example([Item(LARGEST, LARGEST - 1, 2, 1), Item(LARGEST, LARGEST - 2, 2, 1)])
@example([Item(LARGEST, LARGEST // 2, 3, 2), Item(LARGEST - 1, LARGEST // 2, 3, 2)])
@pytest.mark.costly
def test_counts_of_many_users_are_compared_exactly(relevance: Relevance, drawn: list[Item]) -> None:
    expected = Counter(case_of(a, b, relevance) for a, b in combinations(drawn, 2))
    assert cases_of(item_pairs(probabilities_of(drawn), relevance)) == expected


@given(st.integers(0, 2**62), st.integers(0, 2**62))
@example(2**62, 2**62)
@example(2**31 - 1, 2**31)
def test_products_of_two_products_of_counts_have_all_their_bits(one: int, other: int) -> None:
    assert _wide_product(one, other) == divmod(one * other, 2**62)


def test_a_tie_that_rounding_would_break_is_a_tie() -> None:
    # Odds of 1/3 and 3/9, average ratings of 3/10 and 6/20.
    first, second = Item(40, 10, 12, 3), Item(80, 20, 24, 6)
    assert cases_of(item_pairs(probabilities_of([first, second]), "rated")) == {
        (0, 0, 0, 0, 0, 0, 0): 1
    }


def test_without_the_relevance_of_all_pairs_there_is_no_real_ranking() -> None:
    counts = RatingProbabilities(*np.array([[10, 10], [5, 2], [3, 1]], dtype=np.uint32))
    found = item_pairs(counts, "rated")
    assert found.pairs.tolist() == [1]
    # Example 1 of figure 4: popularity is steeper than .6 and .5, and than .4 and .5.
    assert found.steeper_than_relevance.tolist() == [1]
    assert found.steeper_than_non_relevance.tolist() == [1]
    assert (found.observed_precision * found.observed_anti_precision).tolist() == [-1]
    with pytest.raises(ValueError, match="cannot be compared with the real one"):
        _ = found.real_ranking
    with pytest.raises(ValueError, match="who did not rate them is not known"):
        item_pairs(counts, "all")


def test_items_nobody_or_everybody_has_in_train_make_no_pairs() -> None:
    found = probabilities_of([Item(5, 0, 2, 0), Item(5, 5, 2, 2), Item(5, 3, 2, 2)])
    assert found.with_odds.tolist() == [False, False, True]
    alone = item_pairs(found, "all")
    assert (alone.n_items, alone.n_pairs, len(alone.pairs)) == (1, 0, 0)
    assert np.isnan(alone.share(alone.popularity > 0))


def test_counts_and_shares_add_pairs_up() -> None:
    three = [Item(20, 10, 12, 6), Item(20, 5, 12, 2), Item(20, 2, 4, 1)]
    found = item_pairs(probabilities_of(three), "all")
    assert found.count(found.relevance > 0) == 2
    assert found.share(found.relevance == 0) == 1 / 3
