# SPDX-License-Identifier: MIT
r"""Samples of judgments: those that stay while others leave, and intervened tests.

An intervened test is a sample of a biased test, drawn to resemble a uniform test. Instead of
weighting all test ratings, some of them are drawn, with probabilities that grow with their weights,
and lists are measured by these without weights. A weight is the ratio of how often a user and an
item would be in a uniform sample to how often they are in the test,

.. math:: w_{ui} = \frac{P_{MAR}(u)}{P_{MNAR}(u)} \cdot \frac{P_{MAR}(i)}{P_{MNAR}(i)},

with the shares of user and item in the uniform (MAR) and the biased (MNAR) ratings. Rating values
do not matter. The MNAR shares are those of the training ratings, because there are more of them; a
user or item without ratings gets a share of .0001.

Notes
-----
Carraro and Bridge (2020), "Debiased offline evaluation of recommender systems: a weighted-sampling
approach", SAC; (2022), "A sampling approach to debiasing the offline evaluation of recommender
systems", Journal of Intelligent Information Systems 58, as their released code has it
(``weighted_intervention``, with half of the test). The text of 2020 squares the item's part of a
weight (``item_power=2``). Weights by items alone, with uniform shares, are those of Liang, Charlin
and Blei (2016), "Causal inference for recommendation" (SKEW); the released code gives items without
training ratings a random weight there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import ListView
from receval.missing_judgments.propensities import CandidatePairs
from receval.protocols.protocol import Protocol
from receval.seeds import gumbel_noise
from receval.splits.split import Fold, Judgments
from receval.storage.kernel_cache import njit
from receval.storage.messages import quoted

SamplingUnit = Literal["ratings", "items", "users", "popular-items", "largest-users"]

RANDOM: frozenset[str] = frozenset({"ratings", "items", "users"})
"""Units that leave in random order; the order of the others is fixed, except for ties."""


def sampling_order(
    judgments: Judgments, unit: SamplingUnit, generator: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Rank test ratings by the order in which they leave: those that stay longest rank lowest.

    Single ratings, items or users leave in random order, or items or users in descending order of
    their numbers of test ratings, each with all of its test ratings. If k of them are kept, the
    ratings with ranks below k remain, so the samples of one order are nested. Also returned is the
    number of ratings, of items with test ratings, or of users with test ratings.

    Examples
    --------
    Item 7 has two test ratings and is removed first; item 3 has one:

    >>> judgments = Judgments.from_pairs([0, 0, 1], [3, 7, 7], [4, 5, 2], n_users=2)
    >>> order, n_items = sampling_order(judgments, "popular-items", np.random.default_rng(1))
    >>> order.tolist(), n_items
    ([0, 1, 1], 2)
    """
    if unit not in get_args(SamplingUnit):
        raise ValueError(
            f"There is no sampling of {quoted(unit)}. The units are "
            f"{', '.join(get_args(SamplingUnit))}."
        )
    if not len(judgments):
        raise ValueError("There are no test ratings, so none can be left out.")
    if unit == "ratings":
        return generator.permutation(len(judgments)).astype(np.int64), len(judgments)
    owners = judgments.items if unit in ("items", "popular-items") else judgments.users
    _, owner_ranks, sizes = np.unique(owners, return_inverse=True, return_counts=True)
    drawn = generator.permutation(len(sizes))
    if unit in RANDOM:
        return drawn[owner_ranks].astype(np.int64), len(sizes)
    smallest_first = np.lexsort((drawn, sizes))
    order = np.empty(len(sizes), dtype=np.int64)
    order[smallest_first] = np.arange(len(sizes))
    return order[owner_ranks], len(sizes)


def kept_units(n_units: int, percents: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many units to keep at each level: the rounded percentage, but at least one.

    The percentages decrease; they are above 0 and at most 100.

    Examples
    --------
    >>> kept_units(8, np.array([100.0, 50.0, 5.0])).tolist()
    [8, 4, 1]
    """
    levels = np.asarray(percents, dtype=np.float64)
    if not len(levels) or levels[0] > 100 or levels[-1] <= 0 or np.any(np.diff(levels) >= 0):
        raise ValueError(
            f"The levels {levels.tolist()} must decrease from at most 100 per cent to a level "
            "above 0."
        )
    return np.maximum(1, np.floor(n_units * levels / 100 + 0.5).astype(np.int64))


class StackedLists(NamedTuple):
    """The lists of several systems in one array, ordered by row and then by system.

    This keeps the lists of one user together, so measuring a few users reads little memory. The
    lengths have shape (n_rows, n_systems), and starts n_rows * n_systems + 1 entries. Each ranked
    item has its index among the judged items, which the systems share, and its rank.
    """

    lengths: NDArray[np.int64]
    starts: NDArray[np.int64]
    indices: NDArray[np.int32]
    ranks: NDArray[np.int32]


def stack(views: Sequence[ListView]) -> StackedLists:
    """Stack the lists of several systems, which have one list for each row of judged items."""
    sizes = np.stack([np.diff(view.starts) for view in views], axis=1)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    indices = np.empty(starts[-1], dtype=np.int32)
    ranks = np.empty(starts[-1], dtype=np.int32)
    for system, view in enumerate(views):
        firsts = starts[:-1].reshape(sizes.shape)[:, system]
        within = np.arange(len(view.ranks)) - np.repeat(view.starts[:-1], sizes[:, system])
        targets = np.repeat(firsts, sizes[:, system]) + within
        indices[targets] = view.indices
        ranks[targets] = view.ranks
    lengths = np.stack([view.lengths for view in views], axis=1)
    return StackedLists(lengths, starts, indices, ranks)


def reduce_lists(
    rows: NDArray[np.int64],
    alive: NDArray[np.bool_],
    judged_starts: NDArray[np.int64],
    stacked: StackedLists,
) -> tuple[NDArray[np.int64], NDArray[np.int64], StackedLists]:
    """Reduce lists to some rows and to the judgments that are kept."""
    chosen, starts, new_indices = _left(rows, alive, judged_starts)
    list_starts, indices, ranks = _listed(
        rows,
        stacked.lengths.shape[1],
        new_indices,
        stacked.starts,
        stacked.indices,
        stacked.ranks,
    )
    return chosen, starts, StackedLists(stacked.lengths[rows], list_starts, indices, ranks)


@njit(cache=True)
def _left(
    rows: NDArray[np.int64], alive: NDArray[np.bool_], judged_starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    total = 0
    for row in rows:
        total += judged_starts[row + 1] - judged_starts[row]
    chosen = np.empty(total, dtype=np.int64)
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    new_indices = np.full(len(alive), -1, dtype=np.int32)
    count = 0
    for number, row in enumerate(rows):
        for index in range(judged_starts[row], judged_starts[row + 1]):
            if alive[index]:
                new_indices[index] = count
                chosen[count] = index
                count += 1
        starts[number + 1] = count
    return chosen[:count], starts, new_indices


@njit(cache=True)
def _listed(
    rows: NDArray[np.int64],
    n_systems: int,
    new_indices: NDArray[np.int32],
    starts: NDArray[np.int64],
    indices: NDArray[np.int32],
    ranks: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    total = 0
    for row in rows:
        total += starts[(row + 1) * n_systems] - starts[row * n_systems]
    out_starts = np.zeros(n_systems * len(rows) + 1, dtype=np.int64)
    out_indices = np.empty(total, dtype=np.int32)
    out_ranks = np.empty(total, dtype=np.int32)
    count = 0
    number = 0
    for row in rows:
        for at in range(row * n_systems, (row + 1) * n_systems):
            for entry in range(starts[at], starts[at + 1]):
                new_index = new_indices[indices[entry]]
                if new_index >= 0:
                    out_indices[count] = new_index
                    out_ranks[count] = ranks[entry]
                    count += 1
            number += 1
            out_starts[number] = count
    return out_starts, out_indices[:count], out_ranks[:count]


Sides = Literal["items", "users and items"]

Counted = Literal["train", "test"]

_NO_RATING = 1e-4
"""Share of a user or item without ratings."""


@dataclass(frozen=True)
class IntervenedTest:
    """A way to draw a sample of the test ratings.

    It corrects the shares of items only, or those of users, too (`sides`). The uniform shares are
    those of the fold's unbiased judgments if they come `from_sample` (WTD), and otherwise equal for
    all users and all items (WTD_H, SKEW). The MNAR shares are `counted` in train or in test. The
    item's part of a weight is raised to the `item_power`.

    Examples
    --------
    >>> SKEW.name, WTD.from_sample
    ('SKEW', True)
    """

    name: str
    sides: Sides = "users and items"
    from_sample: bool = False
    share: float = 0.5
    counted: Counted = "train"
    item_power: float = 1.0

    def weights(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        """Return the weight of each test rating; 0 if its item is not a candidate."""
        judged = CandidatePairs.of(fold, fold.test, protocol).judged
        if self.from_sample and fold.unbiased is None:
            raise ValueError(
                f"{self.name} takes the shares of users and items from unbiased judgments, but the "
                "split has none. Choose a split that has them, or a test that treats all users "
                "and items alike."
            )
        weights = judged.astype(np.float64)
        for axis in (1,) if self.sides == "items" else (1, 0):
            chosen = _shares(self._chosen(fold, judged, axis), fold.train.shape[axis])
            wanted = np.full(len(chosen), 1 / len(chosen))
            if self.from_sample and fold.unbiased is not None:
                wanted = _shares(_owners(fold.unbiased, axis), len(chosen))
            parts = (wanted / chosen) ** (self.item_power if axis else 1.0)
            weights *= parts[_owners(fold.test, axis)]
        return weights

    def _chosen(self, fold: Fold, judged: NDArray[np.bool_], axis: int) -> NDArray[np.integer]:
        """Return the user (axis 0) or the item (1) of each biased rating."""
        if self.counted == "test":
            return _owners(fold.test, axis)[judged]
        if axis == 1:
            return fold.train.indices
        users = np.arange(fold.train.shape[0])
        return np.repeat(users, np.diff(fold.train.indptr))

    def drawn(self, fold: Fold, protocol: Protocol, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Draw test ratings without replacement, and return a mask of them."""
        weights = self.weights(fold, protocol)
        # Ratings of items that are not candidates have no weight.
        there = np.flatnonzero(weights > 0)
        # The largest keys are a sample without replacement, as in receval.protocols.
        keys = np.log(weights[there]) + gumbel_noise((len(there),), rng)
        size = round(self.share * len(there))
        chosen = there[np.argsort(-keys, kind="stable")[:size]]
        kept = np.zeros(len(weights), dtype=np.bool_)
        kept[chosen] = True
        return kept


WTD = IntervenedTest("WTD", from_sample=True)
WTD_H = IntervenedTest("WTD_H")
SKEW = IntervenedTest("SKEW", sides="items")


def _owners(judgments: Judgments, axis: int) -> NDArray[np.integer]:
    return judgments.items if axis else judgments.users


def _shares(owners: NDArray[np.integer], number: int) -> NDArray[np.float64]:
    """Return the share of ratings of each user or item, shape (number,); above 0."""
    counts = np.bincount(owners, minlength=number)
    shares = counts / max(int(counts.sum()), 1)
    return np.where(shares > 0, shares, _NO_RATING)
