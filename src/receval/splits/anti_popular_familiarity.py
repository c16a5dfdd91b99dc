# SPDX-License-Identifier: MIT
"""Splits in which the least liked items become the best known ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.seeds import GeneratorFor
from receval.splits.random_splits import split_with_unbiased_test
from receval.splits.split import Metadatum, Split


@dataclass(frozen=True)
class ItemFamiliarity:
    """How often each item was judged, how often positively, and how often by users who knew it.

    ``known_and_relevant`` is the number of judgments of all items that are both.
    """

    judged: NDArray[np.int64]
    relevant: NDArray[np.int64]
    known: NDArray[np.int64]
    known_and_relevant: int

    @classmethod
    def of(cls, ratings: Ratings, relevant_from: float) -> Self:
        """Count the judgments of each item; those at or above a threshold are positive."""
        known = _known(ratings)
        relevant = ratings.values >= relevant_from

        def count(rows: NDArray[np.bool_]) -> NDArray[np.int64]:
            return np.bincount(ratings.items[rows], minlength=ratings.n_items)

        return cls(
            judged=np.bincount(ratings.items, minlength=ratings.n_items),
            relevant=count(relevant),
            known=count(known),
            known_and_relevant=int((known & relevant).sum()),
        )

    @property
    def never_known(self) -> int:
        """Number of judged items that no user knew."""
        return int(((self.judged > 0) & (self.known == 0)).sum())

    @property
    def relevant_share_of_known(self) -> float:
        """Share of the positive judgments among the known ones; NaN where none is known."""
        n_known = int(self.known.sum())
        return self.known_and_relevant / n_known if n_known else float("nan")

    @property
    def correlation(self) -> float:
        """Spearman's correlation over items of the known judgments and the share of positive ones.

        Only judged items count. NaN if one of the two is the same for all of them.
        """
        some = self.judged > 0
        counts, shares = self.known[some], self.relevant[some] / self.judged[some]
        if not some.any() or np.ptp(counts) == 0 or np.ptp(shares) == 0:
            return float("nan")
        return float(np.corrcoef(_middle_ranks(counts), _middle_ranks(shares))[0, 1])


def anti_popular_rates(
    judged: NDArray[np.int64],
    relevant: NDArray[np.int64],
    known: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    r"""Reassign the items' familiarity rates in the opposite order of their positive judgments.

    With the items :math:`i_1, \ldots, i_n` sorted by their numbers of positive judgments,
    ascending, and the rates :math:`p(train|i) = known_i / judged_i` sorted so that :math:`p_1 \ge
    \ldots \ge p_n`, item :math:`i_k` gets the rate :math:`p_k`. Items with equally many positive
    judgments are in random order, and not in that of their codes: codes follow the items' first
    judgments, which come earlier for items with more judgments. Items without a judgment have the
    rate NaN.

    Mena-Maldonado et al. (2021), section 8.5 and figure 16, do not say how the distribution was
    shuffled; the rule was inferred from the released data.
    """
    items = rng.permutation(np.flatnonzero(judged))
    ascending = items[np.argsort(relevant[items], kind="stable")]
    rates = np.full(len(judged), np.nan)
    rates[ascending] = np.sort(known[items] / judged[items])[::-1]
    return rates


def with_anti_popular_familiarity(
    ratings: Ratings, relevant_from: float, rng: np.random.Generator
) -> Ratings:
    """Redraw which judgments are known, so that the least liked items are the best known.

    Only ``known`` differs. The generator orders items with equally many positive judgments, then
    makes one draw per judgment. The number of known judgments, in total and per user, becomes
    random: a rate that is given to an item with more judgments makes more of them known.
    """
    counts = ItemFamiliarity.of(ratings, relevant_from)
    rates = anti_popular_rates(counts.judged, counts.relevant, counts.known, rng)
    return replace(ratings, known=rng.random(len(ratings)) < rates[ratings.items])


def _known(ratings: Ratings) -> NDArray[np.bool_]:
    if ratings.known is None:
        raise ValueError(
            "Familiarity cannot be drawn again, because the dataset does not say which ratings "
            "users knew before (its ratings have no column 'known'). Use a dataset that does, "
            "such as CM100k."
        )
    return ratings.known


def _middle_ranks(values: NDArray) -> NDArray[np.float64]:
    """Return ranks from 1, where equal values get their mean rank; shape as `values`."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[indices]


def split_with_anti_popular_familiarity(
    ratings: Ratings,
    rng_for: GeneratorFor,
    *,
    relevant_from: float,
    folds: int,
    train_order: Literal["rows", "folds", "least-liked-first"] = "least-liked-first",
) -> Split:
    """Redraw which judgments are known, then put every judgment into one of k folds at random.

    The least liked items become the best known ones. The judgments that are then known test in
    their own fold and train in the others. All judgments of a fold, known or not, are its unbiased
    test. No judgment changes its value. All folds share the generators of the redraw and of the
    partition, and the partition does not depend on the redraw (Mena-Maldonado et al. 2021, section
    8.5 and figure 16).

    The released train files have the other folds one after the other, each from the least liked
    item to the most liked; the rows of an item are in no recognisable order. LibRec's numbering of
    users and items depends on this order, and so do the errors of its SLIM.

    Metadata: ``train_order`` and ``relevant_from``; ``known`` judgments, ``never_known`` items,
    ``relevant_share_of_known`` judgments, and ``known_relevant_correlation``, Spearman's
    correlation over items of the number of known judgments and the share of positive ones. These
    four are given after the redraw and, with the suffix ``_before``, before it. A share or
    correlation that is not defined is NaN.
    """
    redrawn = with_anti_popular_familiarity(ratings, relevant_from, rng_for("familiarity"))
    metadata: dict[str, Metadatum] = {"train_order": train_order, "relevant_from": relevant_from}
    for suffix, table in (("_before", ratings), ("", redrawn)):
        counts = ItemFamiliarity.of(table, relevant_from)
        metadata[f"known{suffix}"] = int(counts.known.sum())
        metadata[f"never_known{suffix}"] = counts.never_known
        metadata[f"relevant_share_of_known{suffix}"] = counts.relevant_share_of_known
        metadata[f"known_relevant_correlation{suffix}"] = counts.correlation
    split = split_with_unbiased_test(redrawn, rng_for, unbiased_rows="fold", folds=folds)
    return Split(split.codes, metadata)
