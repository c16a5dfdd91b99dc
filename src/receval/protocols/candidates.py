"""Base candidates of a protocol, and the samples drawn from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from receval.protocols.popularity import popular_head
from receval.protocols.protocol import Protocol
from receval.protocols.sampling import sample_candidates
from receval.splits.split import Fold, Judgments

GeneratorFor = Callable[..., np.random.Generator]
"""Gives the random generator of a named choice: ``generator_for("ties")``."""


def base_candidates(protocol: Protocol, fold: Fold, judgments: Judgments) -> NDArray[np.bool_]:
    """Return the base candidates C of a protocol as a mask over items, of all percentiles."""
    n_items = fold.train.shape[1]
    mask = np.full(n_items, protocol.candidates == "AI")
    if protocol.candidates in ("train", "rated"):
        mask[fold.train.indices] = True
    if protocol.candidates in ("TI", "rated"):
        mask[judgments.items] = True
    if protocol.head_removed is not None:
        mask &= ~popular_head(fold, protocol.head_removed)
    return mask


def draw_sample(
    protocol: Protocol,
    fold: Fold,
    judgments: Judgments,
    generator_for: GeneratorFor,
    part: str,
    is_candidate: NDArray[np.bool_],
    percentile: int | None = None,
    is_drawn_for: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Draw the sampled candidates of every user; see :func:`sample_candidates`.

    Parameters
    ----------
    protocol : Protocol
        With a sample size and a threshold.
    fold : Fold
    judgments : Judgments
        Those of the fold's part.
    generator_for : callable
    part : {"test", "unbiased"}
    is_candidate : ndarray of bool, shape (n_items,)
        The base candidates, under P1R those of one percentile.
    percentile : int, optional
        Its number, from 0.
    is_drawn_for : ndarray of bool, shape (n_users,), optional
        Users whose sample is wanted; all by default. Others get none, which changes nobody's.
    """
    if protocol.sampled is None or protocol.threshold is None:
        raise ValueError(f"{protocol.name} draws no sample, or has no relevance threshold.")
    relevant = judgments.values >= protocol.threshold
    indptr = np.zeros(judgments.n_users + 1, dtype=np.int64)
    np.cumsum(np.bincount(judgments.users[relevant], minlength=judgments.n_users), out=indptr[1:])
    # The sample's name leaves out its size (samples are nested) and whether one or all
    # relevant items join it (the lemma of bellogin2017 compares AR and 1R on one sample).
    names = ["sample", part, protocol.candidates, f"{protocol.threshold:g}"]
    if percentile is not None:
        names.append(f"percentile {percentile + 1} of {protocol.percentiles}")
    return sample_candidates(
        is_candidate,
        fold.train.indptr.astype(np.int64),
        fold.train.indices.astype(np.int32),
        indptr,
        judgments.items[relevant],
        protocol.sampled,
        generator_for(*names),
        is_drawn_for,
    )
