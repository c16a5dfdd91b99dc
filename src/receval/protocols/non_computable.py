"""What happens to items whose score a system cannot compute: another order takes them in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import GeneratorFor
from receval.protocols.protocol import NonComputable
from receval.splits.split import Fold


class FallbackScores:
    r"""Scores that order non-computable items, which stand behind all that have a score.

    ==============  ==========================================================================
    ``random``      another random order for every user, the same for every system
    ``popularity``  the number of training ratings of the item
    ``average``     the mean of its training ratings; items without any stand behind the others
    ==============  ==========================================================================

    Equal ones are ordered as equal scores are.

    Parameters
    ----------
    policy : {"random", "popularity", "average"}
    fold : Fold
    generator_for : callable
        As for :func:`receval.protocols.evaluation.rank_judged`.

    Notes
    -----
    Decision B2 of canamares2020, sections 3.4 and 4.6.
    """

    def __init__(self, policy: NonComputable, fold: Fold, generator_for: GeneratorFor) -> None:
        self._rng = generator_for("non-computable") if policy == "random" else None
        self._words_drawn = 0
        n_items = fold.train.shape[1]
        counts = np.bincount(fold.train.indices, minlength=n_items)
        of_items = counts.astype(np.float64)
        if policy == "average":
            sums = np.bincount(fold.train.indices, weights=fold.train.data, minlength=n_items)
            of_items = np.full(n_items, -np.inf)
            np.divide(sums, counts, out=of_items, where=counts > 0)
        self._of_items = of_items.astype(np.float32)

    def where_not_computable(
        self, scores: NDArray[np.float32], places: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return scores of the items that a system has none for, NaN for all others.

        To be asked for users in their order: random orders are drawn on the way.

        Parameters
        ----------
        scores : ndarray of float32, shape (n, n_items)
            The system's own, NaN where not computable.
        places : ndarray of int64, shape (n,)
            Ascending: the place of each of these users among all who are ranked. The random order
            of a user is the same whoever else is asked for.
        """
        others = self._of_items
        if self._rng is not None:
            others = self._drawn(self._rng, places, scores.shape[1])
        return np.where(np.isnan(scores), others, np.float32(np.nan))

    def _drawn(
        self, rng: np.random.Generator, places: NDArray[np.int64], n_items: int
    ) -> NDArray[np.float32]:
        """Return some rows of the matrix that the generator would fill row after row."""
        words = rng.bit_generator
        if not isinstance(words, np.random.PCG64):
            raise TypeError(
                f"The random order of items without a score was given a {type(words).__name__}, "
                "but it leaps in a PCG64: take generators from receval.seeds."
            )
        drawn = np.empty((len(places), n_items), dtype=np.float32)
        starts = np.flatnonzero(np.diff(places, prepend=-2) != 1)
        stops = np.flatnonzero(np.diff(places, append=-2) != 1) + 1
        for start, stop in zip(starts, stops, strict=True):
            # PCG64 makes two numbers of 32 bits of a word, the lower half first.
            word, half = divmod(int(places[start]) * n_items, 2)
            n_numbers = half + int(stop - start) * n_items
            words.advance(word - self._words_drawn)
            numbers = rng.random(n_numbers, dtype=np.float32)
            drawn[start:stop] = numbers[half:].reshape(-1, n_items)
            self._words_drawn = word + (n_numbers + 1) // 2
        return drawn
