# SPDX-License-Identifier: MIT
"""The lemmas of menamaldonado2021 on items with exact counts, in both directions."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from theory.counted_items import (
    Item,
    items,
    items_rated_by_relevance,
    items_rated_whatever_relevance,
    probabilities_of,
    sign,
)

from receval.theory.item_pairs import ItemPairs, Relevance, item_pairs
from reproduction.studies.menamaldonado2021.lemma_cases import (
    lemma1_predicts_disagreement,
    lemma3_predicts_consistent_anti_precision,
    lemma3_predicts_consistent_precision,
)


def compared(a: Item, b: Item, relevance: Relevance) -> ItemPairs:
    """Return the one case of one pair."""
    found = item_pairs(probabilities_of([a, b]), relevance)
    assert found.pairs.tolist() == [1]
    return found


def predicted_disagreement(pair: ItemPairs) -> bool:
    return bool(
        lemma1_predicts_disagreement(
            pair.popularity,
            pair.relevance,
            pair.steeper_than_relevance,
            pair.steeper_than_non_relevance,
        )[0]
    )


def observed_agreement(pair: ItemPairs) -> int:
    return int((pair.observed_precision * pair.observed_anti_precision)[0])


def consistency(pair: ItemPairs) -> tuple[bool, bool]:
    real = pair.real_ranking
    return (
        bool((pair.observed_precision * real)[0] > 0),
        bool((pair.observed_anti_precision * real)[0] > 0),
    )


def predicted_consistency(pair: ItemPairs) -> tuple[bool, bool]:
    precision = lemma3_predicts_consistent_precision(
        pair.popularity, pair.relevance, pair.steeper_than_relevance
    )
    anti_precision = lemma3_predicts_consistent_anti_precision(
        pair.popularity, pair.relevance, pair.steeper_than_non_relevance
    )
    return bool(precision[0]), bool(anti_precision[0])


@given(items(9), items(9))
def test_lemma_1_holds_in_both_directions(a: Item, b: Item) -> None:
    pair = compared(a, b, "rated")
    assume(pair.popularity[0] and pair.relevance[0])
    assert predicted_disagreement(pair) == (observed_agreement(pair) < 0)


@given(items(9), items(9))
def test_the_four_rows_of_table_3(a: Item, b: Item) -> None:
    pair = compared(a, b, "rated")
    together = int((pair.popularity * pair.relevance)[0])
    assume(together)
    steeper_than = pair.steeper_than_non_relevance if together > 0 else pair.steeper_than_relevance
    # Steeper: disagree; less steep: agree; equally steep, of which the table is silent: a tie.
    assert observed_agreement(pair) == -int(steeper_than[0])


@given(items_rated_by_relevance())
def test_lemma_2_if_rating_depends_on_relevance_alone_both_metrics_are_consistent(
    pair_of_items: list[Item],
) -> None:
    a, b = pair_of_items
    pair = compared(a, b, "all")
    # All three rankings have the order of p(rel | i).
    expected = sign(a.p_relevant - b.p_relevant)
    side = int(pair.relevance[0]) * expected
    for order in (pair.observed_precision, pair.observed_anti_precision, pair.real_ranking):
        assert int(order[0]) * (side or 1) == expected
    if expected:
        assert consistency(pair) == (True, True)


@given(items_rated_whatever_relevance(), items_rated_whatever_relevance())
def test_lemma_3_if_rating_is_independent_of_relevance_it_holds_in_both_directions(
    a: Item, b: Item
) -> None:
    assert a.average_rating == a.p_relevant
    pair = compared(a, b, "all")
    # With annex B, of flat functions: the lemma predicts every pair.
    assert predicted_consistency(pair) == consistency(pair)


def test_lemma_1_decides_every_combination_of_signs_as_its_four_cases_do() -> None:
    # Also combinations that no pair of items has, such as a flat popularity that is steeper.
    signs = list(product((-1, 0, 1), repeat=4))
    expected = []
    for popularity, relevance, than_relevance, than_non_relevance in signs:
        if popularity == 0:
            disagree = False
        elif relevance == 0:
            disagree = True
        elif popularity == relevance:
            disagree = than_non_relevance == 1
        else:
            disagree = than_relevance == 1
        expected.append(disagree)
    assert lemma1_predicts_disagreement(*zip(*signs, strict=True)).tolist() == expected


# --- annex B: flat functions ------------------------------------------------------------------


@given(items(9), items(9))
def test_flat_popularity_makes_the_observed_rankings_agree(a: Item, b: Item) -> None:
    b = with_popularity_of(a, b)
    pair = compared(a, b, "rated")
    assert pair.popularity[0] == 0
    assert observed_agreement(pair) == (a.average_rating != b.average_rating)
    assert not predicted_disagreement(pair)


def with_popularity_of(a: Item, b: Item) -> Item:
    """Return an item with the average rating of b and the popularity of a, in a larger sample."""
    return Item(
        sampled=a.sampled * b.train,
        train=a.train * b.train,
        relevant=a.train * b.relevant_train,
        relevant_train=a.train * b.relevant_train,
    )


@given(items(9, fewest_of_each=1), st.integers(1, 5), st.integers(1, 40))
def test_flat_relevance_makes_the_observed_rankings_disagree(
    a: Item, times: int, others: int
) -> None:
    train = times * a.train
    liked = times * a.relevant_train
    b = Item(sampled=train + others, train=train, relevant=liked, relevant_train=liked)
    pair = compared(a, b, "rated")
    assert pair.relevance[0] == 0
    assert observed_agreement(pair) == -(a.odds != b.odds)
    assert predicted_disagreement(pair) == (a.odds != b.odds)


@pytest.mark.parametrize("liked", [0, 1])
def test_flat_relevance_of_0_or_1_is_an_exception_to_annex_b(liked: int) -> None:
    a, b = Item(9, 4, 4 * liked, 4 * liked), Item(9, 2, 2 * liked, 2 * liked)
    pair = compared(a, b, "rated")
    assert predicted_disagreement(pair)
    assert observed_agreement(pair) == 0


@given(items_rated_whatever_relevance(), st.integers(2, 6), st.integers(1, 10))
def test_flat_relevance_ties_the_real_ranking_and_opposes_the_observed_ones(
    a: Item, columns: int, trained: int
) -> None:
    # p(rel | i) of a, in a sample of whole columns of which some are in train.
    in_train = 1 + trained % (columns - 1)
    b = Item(columns * a.sampled, in_train * a.sampled, columns * a.relevant, in_train * a.relevant)
    pair = compared(a, b, "all")
    assert (pair.relevance.tolist(), pair.real_ranking.tolist()) == ([0], [0])
    assert observed_agreement(pair) == -(a.odds != b.odds)
    assert predicted_consistency(pair) == consistency(pair) == (False, False)
