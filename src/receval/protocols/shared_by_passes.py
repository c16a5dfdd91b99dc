# SPDX-License-Identifier: MIT
"""Data shared by the passes over the scores of a fold: tie order, samples, missing scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import Sample, SampledCandidates
from receval.protocols.protocol import NonComputable, Protocol
from receval.seeds import GeneratorFor
from receval.splits.split import Fold, Judgments


class SharedByPasses:
    """Data that the passes over the scores of one fold share.

    Parameters
    ----------
    fold : Fold
    judgments : Judgments
        The judgments of the part, which are ranked.
    generator_for : callable
        As for :func:`receval.protocols.evaluation.rank_judged`.
    part : {"test", "unbiased"}
    protocols : sequence of Protocol
        All protocols of the ranking; if they differ only in other parameters, they share samples.
    """

    def __init__(
        self,
        fold: Fold,
        judgments: Judgments,
        generator_for: GeneratorFor,
        part: str,
        protocols: Sequence[Protocol],
    ) -> None:
        self.fold = fold
        self.judgments = judgments
        self.generator_for = generator_for
        self.part = part
        self.train_indptr = fold.train.indptr.astype(np.int64)
        self.train_items = fold.train.indices.astype(np.int32, copy=False)
        self._largest: dict[Protocol, int] = {}
        for protocol in protocols:
            drawn = _as_drawn(protocol)
            self._largest[drawn] = max(self._largest.get(drawn, 0), protocol.sampled or 0)
        self._samplers: dict[tuple[Protocol, int | None], SampledCandidates] = {}
        self._samples: dict[tuple[Protocol, int | None], tuple[tuple[int, int], Sample]] = {}

    def sample(
        self,
        protocol: Protocol,
        is_candidate: NDArray[np.bool_],
        is_ranked: NDArray[np.bool_],
        percentile: int | None,
        users: NDArray[np.int64],
    ) -> Sample:
        """Return the sampled candidates of the ranked users of a block.

        Samples are nested, and serve AR as well as 1R. A sample is therefore drawn once, in the
        largest size of any protocol, and kept until the next block.
        """
        drawn = _as_drawn(protocol)
        key = (drawn, percentile)
        if key not in self._samplers:
            self._samplers[key] = SampledCandidates(
                replace(drawn, sampled=self._largest[drawn]),
                self.fold,
                self.judgments,
                self.generator_for,
                self.part,
                is_candidate,
                percentile,
            )
        block = (int(users[0]), int(users[-1]))
        if key not in self._samples or self._samples[key][0] != block:
            is_drawn_for = np.zeros(self.judgments.n_users, dtype=bool)
            is_drawn_for[users] = is_ranked[users]
            self._samples[key] = (block, self._samplers[key].of_users(is_drawn_for))
        return self._samples[key][1]

    def priority(self, protocol: Protocol) -> NDArray[np.uint32]:
        """Return the tie priority of each item; the smaller priority ranks higher."""
        n_items = self.fold.train.shape[1]
        if protocol.ties == "random":
            return self.generator_for("ties").permutation(n_items).astype(np.uint32)
        priority = np.arange(n_items, dtype=np.uint32)
        if protocol.ties == "librec":
            if len(self.fold.items_by_appearance) != n_items:
                raise ValueError(
                    "LibRec's order of ties needs the items in the order of the train file: give "
                    "the fold its items_by_appearance, or make it with receval.splits.split.fold."
                )
            priority[self.fold.items_by_appearance] = np.arange(n_items, dtype=np.uint32)
        return priority

    def lack_scores(
        self, scores: NDArray[np.floating], rows: NDArray[np.int64], users: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which users have a judged item without a score."""
        starts, ends = self.judgments.indptr[users], self.judgments.indptr[users + 1]
        owners = np.repeat(np.arange(len(users)), ends - starts)
        indices = np.arange(len(owners)) + np.repeat(ends - np.cumsum(ends - starts), ends - starts)
        lacking = np.isnan(scores[rows[owners], self.judgments.items[indices]])
        return np.bincount(owners[lacking], minlength=len(users)) > 0


def _as_drawn(protocol: Protocol) -> Protocol:
    """Return the protocol reduced to what its samples depend on, except their size."""
    return replace(
        protocol,
        relevant="AR" if protocol.percentiles is None else "1R",
        sampled=None if protocol.sampled is None else 1,
        ties="random",
        non_computable="none",
    )


class FallbackScores:
    r"""Fallback scores to order non-computable items, which rank below all items with a score.

    ==============  ==========================================================================
    ``random``      a random order per user, the same for every system
    ``popularity``  the number of training ratings of the item
    ``average``     the mean of its training ratings; items without any come last
    ==============  ==========================================================================

    Ties are broken as for other scores.

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
        self, scores: NDArray[np.floating], indices: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return fallback scores of the items without a score; NaN for all others.

        Call it for users in ascending order, because random orders are drawn in sequence.

        Parameters
        ----------
        scores : ndarray of float32 or float64, shape (n, n_items)
            The system's scores; NaN if not computable.
        indices : ndarray of int64, shape (n,)
            The index of each of these users among all ranked users, ascending. A user's random
            order does not depend on the other users of the call.
        """
        others = self._of_items
        if self._rng is not None:
            others = self._drawn(self._rng, indices, scores.shape[1])
        return np.where(np.isnan(scores), others, np.float32(np.nan))

    def _drawn(
        self, rng: np.random.Generator, indices: NDArray[np.int64], n_items: int
    ) -> NDArray[np.float32]:
        """Return some rows of the matrix that the generator would fill row by row."""
        words = rng.bit_generator
        if not isinstance(words, np.random.PCG64):
            raise TypeError(
                f"The random order of items without a score was given a {type(words).__name__}, "
                "but it leaps in a PCG64: take generators from receval.seeds."
            )
        drawn = np.empty((len(indices), n_items), dtype=np.float32)
        starts = np.flatnonzero(np.diff(indices, prepend=-2) != 1)
        stops = np.flatnonzero(np.diff(indices, append=-2) != 1) + 1
        for start, stop in zip(starts, stops, strict=True):
            # PCG64 splits each word into two 32-bit numbers, the lower half first.
            word, half = divmod(int(indices[start]) * n_items, 2)
            n_numbers = half + int(stop - start) * n_items
            words.advance(word - self._words_drawn)
            numbers = rng.random(n_numbers, dtype=np.float32)
            drawn[start:stop] = numbers[half:].reshape(-1, n_items)
            self._words_drawn = word + (n_numbers + 1) // 2
        return drawn
