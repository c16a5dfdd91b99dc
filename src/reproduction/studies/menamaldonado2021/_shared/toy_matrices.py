# SPDX-License-Identifier: MIT
"""Toy examples: a few users and items, with everything that can be counted in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from receval.theory.rating_probabilities import RatingProbabilities

MARKS = {"+": (True, True), "-": (True, False), "1": (False, True), "0": (False, False)}
"""Mark of a pair to whether it is rated and whether the item is relevant to the user; a pair that
is not rated and whose relevance is not known is a dot."""

DENOMINATORS = {
    "p_relevant": "sampled",
    "p_train": "sampled",
    "p_test": "sampled",
    "p_relevant_given_train": "train",
    "p_not_relevant_given_train": "train",
    "p_relevant_given_test": "test",
    "p_relevant_given_not_train": "not_train",
    "p_not_relevant": "sampled",
    "p_relevant_and_test": "sampled",
    "p_train_given_relevant": "known_relevant",
}
"""Probability to the count that it is a share of, for printing fractions as the paper does."""


@dataclass(frozen=True)
class ToyMatrix:
    """Ratings and relevance of a few items for a few users, the first half of whom train.

    Each user has all ratings on one side of the split, as in figures 2, 4 and 8 of
    menamaldonado2021.

    Attributes
    ----------
    items : tuple of str
        Names.
    rated, relevant : ndarray of bool, shape (n_users, n_items)
        A pair of unknown relevance is False in ``relevant``.
    is_complete : bool
        Whether the relevance of all pairs is known, not of rated ones only.
    """

    items: tuple[str, ...]
    rated: NDArray[np.bool_]
    relevant: NDArray[np.bool_]
    is_complete: bool

    @classmethod
    def of_marks(cls, rows: Mapping[str, str]) -> Self:
        """Read one row of marks for each item, one mark (:data:`MARKS`) for each user.

        Spaces are left out, so that they may stand between the halves.
        """
        marks = {item: row.replace(" ", "") for item, row in rows.items()}
        lengths = {len(row) for row in marks.values()}
        if len(lengths) != 1 or lengths.pop() % 2:
            raise ValueError(
                f"The rows of marks {dict(rows)} differ in length or have no two halves: give one "
                "mark for each user, an even number of users."
            )
        if unknown := set("".join(marks.values())) - {*MARKS, "."}:
            raise ValueError(
                f"The rows of marks hold {', '.join(sorted(unknown))}: a pair is one of "
                f"{' '.join(MARKS)} or a dot."
            )
        flags = np.array(
            [[MARKS.get(mark, (False, False)) for mark in row] for row in marks.values()]
        )
        return cls(
            items=tuple(marks),
            rated=flags[:, :, 0].T,
            relevant=flags[:, :, 1].T,
            is_complete=not any("." in row for row in marks.values()),
        )

    @classmethod
    def mirrored(cls, rows: Mapping[str, str]) -> Self:
        """Read the marks of the users who train; those who test have the same."""
        return cls.of_marks({item: row + row for item, row in rows.items()})

    @property
    def users(self) -> tuple[str, ...]:
        """Names of the users, from u1."""
        return tuple(f"u{number}" for number in range(1, len(self.rated) + 1))

    @property
    def train(self) -> NDArray[np.bool_]:
        """Ratings of the first half of the users, shape (n_users, n_items)."""
        return self.rated & (np.arange(len(self.rated)) < len(self.rated) // 2)[:, None]

    @property
    def test(self) -> NDArray[np.bool_]:
        """Ratings of the second half of the users, shape (n_users, n_items)."""
        return self.rated & ~self.train

    @property
    def targets(self) -> NDArray[np.bool_]:
        """Users with at least one test rating, who are averaged, shape (n_users,)."""
        return np.asarray(self.test.any(axis=1))

    @property
    def probabilities(self) -> RatingProbabilities:
        """The probabilities of the items, without those of relevance where it is not known."""
        from receval.theory.rating_probabilities import RatingProbabilities

        counted = RatingProbabilities.of_matrices(self.relevant, self.train, self.test)
        return counted if self.is_complete else replace(counted, relevant=None)

    def fractions(self, probability: str) -> list[str]:
        """Return a probability of each item as the fraction of users that it is."""
        return fractions(self.probabilities, probability)

    def values(
        self, ranking: Sequence[str], cutoff: int, *, real: bool
    ) -> dict[str, NDArray[np.int64]]:
        r"""Count what precision and anti-precision count in the first ranks of a ranking.

        Every user is given the items in the same order, without those that the user has in train.
        Observed values know the relevance of pairs in test alone, real ones that of all pairs
        (menamaldonado2021, section 5).
        """
        if real and not self.is_complete:
            raise ValueError(
                "Real values need the relevance of all pairs of users and items, but the toy "
                "example does not say it of some: mark them 1 or 0 instead of with a dot."
            )
        order = [self.items.index(item) for item in ranking]
        candidates = ~self.train[:, order]
        shown = candidates & (np.cumsum(candidates, axis=1) <= cutoff)
        judged = shown if real else shown & self.test[:, order]
        relevant = self.relevant[:, order]
        return {
            "P": (judged & relevant).sum(axis=1, dtype=np.int64),
            "antiP": (judged & ~relevant).sum(axis=1, dtype=np.int64),
        }


def fractions(probabilities: RatingProbabilities, probability: str) -> list[str]:
    """Return a probability of every item as a fraction, in one list also for a single value."""
    wholes = getattr(probabilities, DENOMINATORS[probability])
    shares = getattr(probabilities, probability)
    return [
        f"{round(share * whole)}/{whole}"
        for share, whole in zip(np.ravel(shares), np.ravel(wholes), strict=True)
    ]
