# SPDX-License-Identifier: MIT
"""Complete judgments of a simulated world, and random samples of them.

A metric that is measured with judgments of all items has its *real* value. With a uniform random
sample of these (missing at random), P@n and antiP@n count each true or false positive with the
probability that the sample has its judgment, so they are unbiased when divided by that rate. With
judgments of items that users chose (missing not at random), they are biased.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from receval.data.ratings import Ratings
from receval.splits.random_splits import random_ranks_within_groups
from receval.splits.split import Judgments
from receval.storage.archives import Archive
from reproduction.simulation.twins import Simulation


def observed_ratings(simulation: Simulation) -> Ratings:
    """Return the observed ratings of a world, as the table that splits take.

    The codes of users and items are their indices into the world and into its complete relevance.
    Items without ratings have a code, too. Users without a random sample are included, although the
    parser of Yahoo! R3 leaves them out.

    Examples
    --------
    User 0 rated item 1 with 4; nobody rated item 0:

    >>> from reproduction.simulation.observation import Observation
    >>> from reproduction.simulation.observation import World
    >>> seen = Observation(
    ...     users=np.array([0], dtype=np.int32),
    ...     items=np.array([1], dtype=np.int32),
    ...     values=np.array([4], dtype=np.float32),
    ...     timestamps=None,
    ...     known=None,
    ...     repeated=np.array([False]),
    ... )
    >>> wanted, nothing = np.array([[2, 4]], dtype=np.int16), np.zeros((1, 2))
    >>> world = World(nothing, wanted, 1.0, nothing, np.array([1]), popularity_exponent=0.0)
    >>> twin = Simulation(world, seen, user_ids=np.array(["7"]), item_ids=np.array(["3", "9"]))
    >>> ratings = observed_ratings(twin)
    >>> len(ratings), ratings.n_items, ratings.item_ids[ratings.items].tolist()
    (1, 2, ['9'])
    """
    seen = simulation.observation
    return Ratings(
        users=seen.users,
        items=seen.items,
        values=seen.values,
        user_ids=simulation.user_ids,
        item_ids=simulation.item_ids,
        timestamps=seen.timestamps,
        known=seen.known,
    )


def relevance_of_twin(truth_file: Path, ratings: Ratings) -> NDArray[np.float32]:
    """Read the complete relevance of a synthetic twin, indexed by the codes of parsed ratings.

    The result has the actual or hypothetical rating of every pair, of shape (n_users, n_items).
    Users whom the parser left out and items without ratings have no code and are not included.
    """
    with Archive(truth_file) as truth:
        users, items = (truth.array(name, str, (None,)) for name in ("user_ids", "item_ids"))
        complete = truth.array("relevance", np.float32, (len(users), len(items)))
    rows = _indices(ratings.user_ids, users, "user", truth_file)
    columns = _indices(ratings.item_ids, items, "item", truth_file)
    relevance: NDArray[np.float32] = complete[np.ix_(rows, columns)]
    return relevance


def complete_judgments(relevance: NDArray[np.float32], train: csr_array) -> Judgments:
    """Return a judgment of every (user, item) pair that is not in train.

    Examples
    --------
    The user would rate three items with 5, 1 and 3, and item 0 is in train:

    >>> relevance = np.array([[5, 1, 3]], dtype=np.float32)
    >>> train = csr_array(np.array([[5, 0, 0]], dtype=np.float32))
    >>> judgments = complete_judgments(relevance, train)
    >>> judgments.items.tolist(), judgments.values.tolist()
    ([1, 2], [1.0, 3.0])
    """
    if relevance.shape != train.shape:
        raise ValueError(
            f"The relevance has the shape {relevance.shape}, but the training ratings have the "
            f"shape {train.shape}. Both need one row per user and one column per item of the "
            "same dataset."
        )
    judged = np.ones(relevance.shape, dtype=bool)
    judged[np.repeat(np.arange(train.shape[0]), np.diff(train.indptr)), train.indices] = False
    users, items = np.nonzero(judged)
    return Judgments.from_pairs(users, items, relevance[judged], len(relevance))


def drawn_at_random(
    judgments: Judgments, per_user: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw some judgments of each user, uniformly without replacement; at most all of them.

    Examples
    --------
    >>> judgments = Judgments.from_pairs([0, 0, 0, 1], [3, 5, 7, 3], [5, 1, 4, 2], n_users=2)
    >>> drawn = drawn_at_random(judgments, per_user=2, rng=np.random.default_rng(1))
    >>> int(drawn[:3].sum()), int(drawn[3:].sum())
    (2, 1)
    """
    return random_ranks_within_groups(judgments.users, judgments.n_users, rng) < per_user


def kept_judgments(judgments: Judgments, kept: NDArray[np.bool_]) -> Judgments:
    """Return some of the judgments, for the same number of users.

    The same mask applies to ranks that are aligned with the judgments and do not depend on which
    items are judged (AR without sampled candidates).

    Examples
    --------
    >>> judgments = Judgments.from_pairs([0, 0, 1], [3, 5, 3], [5, 1, 4], n_users=2)
    >>> sample = kept_judgments(judgments, np.array([False, True, True]))
    >>> sample.indptr.tolist(), sample.items.tolist()
    ([0, 1, 2], [5, 3])
    """
    return Judgments.from_pairs(
        judgments.users[kept], judgments.items[kept], judgments.values[kept], judgments.n_users
    )


def sampling_rates(sample: Judgments, judgments: Judgments) -> NDArray[np.float64]:
    """Return the share of each user's judgments that is in a sample.

    Examples
    --------
    User 0 has one of two judgments in the sample, user 1 has none at all:

    >>> judgments = Judgments.from_pairs([0, 0], [3, 5], [5, 1], n_users=2)
    >>> sample = Judgments.from_pairs([0], [5], [1], n_users=2)
    >>> sampling_rates(sample, judgments).tolist()
    [0.5, nan]
    """
    drawn, there = np.diff(sample.indptr), np.diff(judgments.indptr)
    rates = np.full(len(there), np.nan)
    np.divide(drawn, there, out=rates, where=there > 0)
    return rates


def _indices(
    wanted: NDArray[np.str_], known: NDArray[np.str_], what: str, file: Path
) -> NDArray[np.int64]:
    """Return the index of each identifier among the known ones."""
    indices = pd.Index(known).get_indexer(wanted)
    strange = np.flatnonzero(indices < 0)
    if len(strange):
        raise ValueError(
            f"{file} has no {what} '{wanted[strange[0]]}'. It belongs to another synthetic twin "
            "than these ratings, or to a twin with another seed."
        )
    return indices


# Worlds with known preferences and known probabilities that pairs are observed.
#
# Twins (:mod:`reproduction.simulation.observation`) draw a fixed number of items per user, so the
# probability of a single pair has no closed form. Here each pair is observed independently with the
# probability
#
# .. math:: p_{ui} = \min(1,\; c\, f_i\, s^{[u \text{ likes } i]}),
#
# with the fame f of an item, which is correlated with its quality, and the factor s by which users
# prefer to rate what they like.

LIKED, DISLIKED = 5.0, 1.0
"""Rating values of liked items, and of all others."""

_FACTORS = 4
_TASTE = 0.9
_QUALITY = (-1.3, 0.7)
_FAME_BY_QUALITY = 0.3
_FAME = 0.9
_RATED = 0.12
_PREFERENCE = 2.0


@dataclass(frozen=True)
class KnownChances:
    """Preferences, and the probability, above 0 and at most .9, that each pair is observed."""

    liked: NDArray[np.bool_]
    chances: NDArray[np.float64]

    @classmethod
    def drawn(cls, n_users: int, n_items: int, rng: np.random.Generator) -> Self:
        """Draw a world from tastes in a few dimensions and from the quality and fame of items."""
        quality = rng.normal(*_QUALITY, n_items)
        fame = np.exp(rng.normal(0, _FAME, n_items) + _FAME_BY_QUALITY * quality)
        tastes = rng.normal(0, 1, (n_users, _FACTORS)) @ rng.normal(0, 1, (_FACTORS, n_items))
        leanings = quality + _TASTE * tastes / np.sqrt(_FACTORS) + rng.normal(0, 0.5, tastes.shape)
        liked = rng.random(tastes.shape) < 1 / (1 + np.exp(-leanings))
        chances = _RATED * fame * np.where(liked, _PREFERENCE, 1.0)
        return cls(liked, np.clip(chances, 1e-4, 0.9))

    @property
    def ratings(self) -> NDArray[np.float32]:
        """The actual or hypothetical rating of every pair."""
        return np.where(self.liked, LIKED, DISLIKED).astype(np.float32)

    def observed(self, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Draw which pairs are observed, each with a share of its probability."""
        return rng.random(self.chances.shape) < share * self.chances
