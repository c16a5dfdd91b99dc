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
        n_items = fold.train.shape[1]
        counts = np.bincount(fold.train.indices, minlength=n_items)
        of_items = counts.astype(np.float64)
        if policy == "average":
            sums = np.bincount(fold.train.indices, weights=fold.train.data, minlength=n_items)
            of_items = np.full(n_items, -np.inf)
            np.divide(sums, counts, out=of_items, where=counts > 0)
        self._of_items = of_items.astype(np.float32)

    def where_not_computable(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return scores of the items that a system has none for, NaN for all others.

        To be asked for block after block, in the order of the users: random orders are drawn on
        the way.

        Parameters
        ----------
        scores : ndarray of float32, shape (n_block, n_items)
            The system's own, NaN where not computable.
        """
        others = self._of_items
        if self._rng is not None:
            others = self._rng.random(scores.shape, dtype=np.float32)
        return np.where(np.isnan(scores), others, np.float32(np.nan))
