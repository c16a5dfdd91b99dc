# SPDX-License-Identifier: MIT
"""Item-based nearest neighbours on centred ratings, without normalising the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.recommenders.base import RatingMatrix
from receval.recommenders.centred_neighbourhood import BASELINES, CentredModel, rating_baselines
from receval.recommenders.checks import AtLeastOne, NonNegative, OneOf
from receval.recommenders.model_grid import alike_but_for
from receval.recommenders.neighbourhood import co_rated_cosines
from receval.recommenders.products import csr_parts, row_norms
from receval.storage.kernel_cache import njit

# Rows of similarities computed and sorted at a time. With 10,000 items they take 10 MB, and their
# order twice as much.
ROWS = 256


@dataclass(eq=False, repr=False)
class CentredItemNeighbourhood(CentredModel):
    """A baseline plus the similarity-weighted sum of the user's deviations from it.

    ``s(u, i) = b_ui + sum_j d_ij (r_uj - b_uj)`` over the k items j most similar to i among those
    that u rated, without a denominator, where ``d_ij = n_ij / (n_ij + shrinkage) cos(i, j)`` and
    n_ij is the number of users who rated both. It is the counterpart over items of
    `receval.recommenders.centred_neighbourhood`, which describes the baselines b_ui. The cosine is
    of the full rating vectors, or of the ratings of the common users only, which is near 1 for
    nearly all pairs, especially those with few common users. Only items with d_ij > 0 count; equal
    d_ij (in float32) are ordered by item code.

    No score is NaN; parameters that cannot be estimated are 0. Items without training ratings score
    m + b_u, users without training ratings m + b_i, and items without a similar item in the user's
    profile b_ui.

    Parameters
    ----------
    cosine : str
        ``"full"`` or ``"common"``: the ratings of the two items that are compared.
    shrinkage : float
        At least 0, in common users: with fewer common users, similarities are reduced by more than
        half.
    baseline, item_regularisation, user_regularisation : str, float, float
        As in `receval.recommenders.centred_neighbourhood`.

    Attributes
    ----------
    deviations_ : csr_array of float32, shape (n_users, n_items)
        ``r_uj - b_uj``.
    similarities_ : csr_array of float32, shape (n_items, n_items)
        All d_ij > 0, with rows sorted by descending similarity instead of by column. Memory grows
        with the square of the number of items.

    References
    ----------
    Cremonesi, Koren and Turrin, "Performance of Recommender Algorithms on Top-N Recommendation
    Tasks", RecSys 2010, section 3 (NNCosNgbr).
    """

    SHARED_OVER = ("neighbours", "baseline", "item_regularisation", "user_regularisation")

    neighbours: AtLeastOne = 200
    cosine: Annotated[str, OneOf("full", "common")] = "full"
    shrinkage: NonNegative = 100.0
    baseline: Annotated[str, OneOf(*BASELINES)] = "user-and-item"
    item_regularisation: NonNegative = 25.0
    user_regularisation: NonNegative = 10.0

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_grid([self], train)

    @classmethod
    def _fit_grid(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        similarities = models[0]._all_similarities(train)
        for model in models:
            model._centre(train, similarities)

    def _centre(self, train: RatingMatrix, similarities: RatingMatrix) -> None:
        """Fit the baselines and subtract them from the ratings."""
        self.similarities_ = similarities
        baselines = rating_baselines(
            train, self.baseline, self.item_regularisation, self.user_regularisation
        )
        self.mean_ = baselines.mean
        self.user_biases_ = baselines.users.astype(np.float32)
        self.item_biases_ = baselines.items.astype(np.float32)
        users = np.repeat(np.arange(self.n_users_), np.diff(train.indptr))
        expected = baselines.mean + baselines.users[users] + baselines.items[train.indices]
        deviations = (train.data - expected).astype(np.float32)
        self.deviations_ = csr_array((deviations, train.indices, train.indptr), shape=train.shape)

    def _all_similarities(self, train: RatingMatrix) -> RatingMatrix:
        by_item = train.T.tocsr()
        rows = [
            _in_falling_order(self._similarities(train, by_item, start, start + ROWS))
            for start in range(0, self.n_items_, ROWS)
        ]
        starts = np.zeros(self.n_items_ + 1, dtype=np.int32)
        np.cumsum(np.concatenate([counts for _, _, counts in rows]), out=starts[1:])
        items = np.concatenate([items for items, _, _ in rows])
        values = np.concatenate([values for _, values, _ in rows])
        return csr_array((values, items, starts), shape=(self.n_items_, self.n_items_))

    def _similarities(
        self, train: RatingMatrix, by_item: RatingMatrix, start: int, stop: int
    ) -> NDArray[np.float32]:
        items = np.arange(start, min(stop, self.n_items_))
        if self.cosine == "common":
            return co_rated_cosines(items, by_item, train, self.shrinkage).astype(np.float32)
        similarities = np.zeros((len(items), self.n_items_), dtype=np.float32)
        _full_similarities(
            items,
            *csr_parts(by_item),
            *csr_parts(train),
            row_norms(by_item),
            self.shrinkage,
            similarities,
        )
        return similarities

    @classmethod
    def _score_grid(
        cls, models: Sequence[Self], users: NDArray[np.int64], scores: NDArray[np.float32]
    ) -> None:
        # The nearest few are the first of the nearest many, so one pass suffices for all numbers.
        for alike in alike_but_for(models, ("neighbours",)):
            numbers = sorted({models[index].neighbours for index in alike})
            first = models[alike[0]]
            found = np.empty((len(numbers), *scores.shape[1:]), dtype=np.float32)
            found[:] = first._baselines(users)
            _add_deviations(
                users,
                *csr_parts(first.deviations_),
                *csr_parts(first.similarities_),
                np.array(numbers, dtype=np.int64),
                found,
            )
            for index in alike:
                scores[index] = found[numbers.index(models[index].neighbours)]


def _in_falling_order(
    similarities: NDArray[np.float32],
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """Return items and similarities above 0, row by row, and their number per row."""
    order = np.argsort(-similarities, axis=1, kind="stable").astype(np.int32)
    ordered = np.take_along_axis(similarities, order, axis=1)
    positive = ordered > 0
    return order[positive], ordered[positive], positive.sum(axis=1)


@njit(cache=True)
def _full_similarities(  # type: ignore[no-untyped-def]
    items, starts, users, values, by_starts, by_items, by_values, norms, shrinkage, similarities
):
    n_items = len(norms)
    # Product and count are adjacent, so that each pair needs one cache line.
    sums = np.empty((n_items, 2), dtype=np.float64)
    for row in range(len(items)):
        item = items[row]
        sums[:] = 0.0
        for entry in range(starts[item], starts[item + 1]):
            value = np.float64(values[entry])
            user = users[entry]
            # Unsigned positions avoid numba's check for negative indices.
            for position in range(np.uint64(by_starts[user]), np.uint64(by_starts[user + 1])):
                rated = np.uint64(by_items[position])
                sums[rated, 0] += value * by_values[position]
                sums[rated, 1] += 1.0
        sums[item] = 0.0
        for other in range(n_items):
            if sums[other, 0] > 0.0:
                cosine = sums[other, 0] / (norms[item] * norms[other])
                shrunk = sums[other, 1] / (sums[other, 1] + shrinkage) * cosine
                similarities[row, other] = np.float32(shrunk)


@njit(cache=True)
def _add_deviations(  # type: ignore[no-untyped-def]
    users,
    starts,
    items,
    deviations,
    similar_starts,
    similar_items,
    similarities,
    numbers,
    scores,
):
    """Add to every score the weighted deviations of the item's neighbours in the profile.

    The scores are those of several numbers of neighbours, in ascending order. Items of the profile
    are marked as bits at their positions in the item's similarity order, so the nearest are the
    first bits, and sums over fewer neighbours are partial sums of those over more.
    """
    n_items = len(similar_starts) - 1
    lengths = np.empty(len(users), dtype=np.int64)
    for row in range(len(users)):
        lengths[row] = starts[users[row] + 1] - starts[users[row]]
    # For numbers not below the size of the profile, all items of the profile count.
    fewer = np.searchsorted(numbers, lengths)
    for row in range(len(users)):
        if fewer[row] < len(numbers):
            # Similarities are symmetric, so the rows of the profile's items suffice.
            user = users[row]
            target = scores[fewer[row], row]
            for entry in range(starts[user], starts[user + 1]):
                deviation = deviations[entry]
                item = items[entry]
                for index in range(similar_starts[item], similar_starts[item + 1]):
                    target[np.uint64(similar_items[index])] += similarities[index] * deviation
            for number in range(fewer[row] + 1, len(numbers)):
                scores[number, row] = target
    one, word_of, bit_of = np.uint64(1), np.uint64(6), np.uint64(63)
    positions = np.empty(n_items, dtype=np.int32)
    entries = np.empty(n_items + 1, dtype=np.int32)
    bits = np.zeros(n_items // 64 + 1, dtype=np.uint64)
    for item in range(n_items):
        # Unsigned positions avoid numba's check for negative indices.
        begin = np.uint64(similar_starts[item])
        behind = np.uint64(similar_starts[item + 1]) - begin
        positions[:] = behind
        for rank in range(behind):
            positions[np.uint64(similar_items[begin + np.uint64(rank)])] = rank
        for who in np.flatnonzero(fewer):
            for entry in range(np.uint64(starts[users[who]]), np.uint64(starts[users[who] + 1])):
                position = np.uint64(positions[np.uint64(items[entry])])
                bits[position >> word_of] |= one << (position & bit_of)
                entries[position] = entry
            # Items that are not similar come after the last similar one.
            bits[behind >> word_of] &= ~(one << (behind & bit_of))
            met = reached = 0
            goal = numbers[0]
            change = np.float32(0)
            for word in range((behind >> word_of) + one):
                left = bits[np.uint64(word)]
                while left and reached < fewer[who]:
                    lowest = left & (~left + one)
                    left ^= lowest
                    position = (np.uint64(word) << word_of) + _bit_number(lowest)
                    deviation = deviations[np.uint64(entries[position])]
                    change += similarities[begin + position] * deviation
                    met += 1
                    if met == goal:
                        scores[reached, who, item] += change
                        reached += 1
                        goal = numbers[min(reached, len(numbers) - 1)]
                if reached == fewer[who]:
                    break
            bits[: (behind >> word_of) + one] = 0
            for number in range(reached, fewer[who]):
                scores[number, who, item] += change


# A De Bruijn sequence: shifted left by n, its highest six bits are different for every n, which
# gives the number of a single bit without a loop.
_SEQUENCE = 0x03F79D71B4CB0A89
_NUMBERS = np.argsort([(_SEQUENCE << n & 2**64 - 1) >> 58 for n in range(64)])


@njit(cache=True)
def _bit_number(bit):  # type: ignore[no-untyped-def]
    """Return the n of 2 to the power of n."""
    return np.uint64(_NUMBERS[(bit * np.uint64(_SEQUENCE)) >> np.uint64(58)])
