# SPDX-License-Identifier: MIT
"""Items with counts of users, drawn by hypothesis, as fractions and as the library's counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from receval.theory.rating_probabilities import RatingProbabilities


@dataclass(frozen=True)
class Item:
    """Users in the sample of one item: all, those in train, and those it is relevant to."""

    sampled: int
    train: int
    relevant: int
    relevant_train: int

    @property
    def popularity(self) -> Fraction:
        return Fraction(self.train, self.sampled)

    @property
    def odds(self) -> Fraction:
        return Fraction(self.train, self.sampled - self.train)

    @property
    def average_rating(self) -> Fraction:
        return Fraction(self.relevant_train, self.train)

    @property
    def p_relevant(self) -> Fraction:
        return Fraction(self.relevant, self.sampled)

    @property
    def observed_precision(self) -> Fraction:
        return self.average_rating * self.odds

    @property
    def observed_anti_precision(self) -> Fraction:
        return (self.average_rating - 1) * self.odds

    @property
    def real_precision(self) -> Fraction:
        return Fraction(self.relevant - self.relevant_train, self.sampled - self.train)

    @property
    def real_anti_precision(self) -> Fraction:
        others = self.sampled - self.train
        return -Fraction(others - (self.relevant - self.relevant_train), others)


def probabilities_of(items: Sequence[Item]) -> RatingProbabilities:
    columns = {
        name: np.array([getattr(item, name) for item in items], dtype=np.int64)
        for name in ("sampled", "train", "relevant_train", "relevant")
    }
    return RatingProbabilities(**columns)


def items(most: int, fewest_of_each: int = 0, any_train: bool = False) -> st.SearchStrategy[Item]:
    """Draw items whose four kinds of users (relevant or not, in train or not) are up to ``most``.

    At least one user is in train and one is not, unless ``any_train``.
    """
    users = st.integers(fewest_of_each, most)

    def item(counts: tuple[int, int, int, int]) -> Item:
        relevant_train, other_train, relevant_rest, other_rest = counts
        train = relevant_train + other_train
        return Item(
            sampled=train + relevant_rest + other_rest,
            train=train,
            relevant=relevant_train + relevant_rest,
            relevant_train=relevant_train,
        )

    drawn = st.tuples(users, users, users, users)
    if not any_train:
        drawn = drawn.filter(lambda n: n[0] + n[1] > 0 and n[2] + n[3] > 0)
    return drawn.map(item)


def items_rated_by_relevance() -> st.SearchStrategy[list[Item]]:
    """Draw two items with the same p(train | rel, i) and p(train | not rel, i), neither 0 nor 1."""
    parts = st.integers(2, 6)

    def pair(drawn: tuple) -> list[Item]:
        whole, of_relevant, of_others, blocks = drawn
        first, second = 1 + of_relevant % (whole - 1), 1 + of_others % (whole - 1)
        return [
            Item(
                sampled=whole * (liked + disliked),
                train=first * liked + second * disliked,
                relevant=whole * liked,
                relevant_train=first * liked,
            )
            for liked, disliked in blocks
        ]

    block = st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any)
    return st.tuples(
        parts, st.integers(0, 9), st.integers(0, 9), st.lists(block, min_size=2, max_size=2)
    ).map(pair)


def items_rated_whatever_relevance() -> st.SearchStrategy[Item]:
    """Draw an item with p(rel | train, i) = p(rel | i), neither 0 nor 1."""

    def item(drawn: tuple[int, int, int, int]) -> Item:
        columns, rows, trained, liked = drawn
        in_train, relevant = 1 + trained % (columns - 1), 1 + liked % (rows - 1)
        return Item(
            sampled=columns * rows,
            train=rows * in_train,
            relevant=columns * relevant,
            relevant_train=in_train * relevant,
        )

    sizes, any_number = st.integers(2, 7), st.integers(0, 20)
    return st.tuples(sizes, sizes, any_number, any_number).map(item)


def sign(value: Fraction | int) -> int:
    return (value > 0) - (value < 0)


def decrement_rate(first: Fraction, second: Fraction) -> Fraction:
    largest = max(first, second)
    return abs(first - second) / largest if largest else Fraction(0)


def steeper(f: tuple[Fraction, Fraction], g: tuple[Fraction, Fraction]) -> int:
    return sign(decrement_rate(*f) - decrement_rate(*g))
