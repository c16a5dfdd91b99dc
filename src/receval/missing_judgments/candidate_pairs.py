# SPDX-License-Identifier: MIT
"""Candidate pairs: the pairs of a user and an item that estimates are made for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import base_candidates
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments


@dataclass(frozen=True)
class CandidatePairs:
    """Numbers of candidates of all users, and which judgments are of candidates.

    Attributes
    ----------
    judged : ndarray of bool, shape (n_judgments,)
        Whether each judgment is of a candidate of its user.
    sizes : ndarray of int64, shape (n_users,)
        Number of candidates of each user: items of the protocol without the user's training items.
    is_candidate : ndarray of bool, shape (n_items,)
        The base candidates.
    """

    judged: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    is_candidate: NDArray[np.bool_]

    @classmethod
    def of(cls, fold: Fold, judgments: Judgments, protocol: Protocol) -> Self:
        """Count the candidates of a protocol.

        Parameters
        ----------
        judgments : Judgments
            Test or unbiased judgments of the fold, or others of the same users and items.

        Raises
        ------
        ValueError
            The protocol ranks judged items, so ranks depend on which items were judged.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> train = csr_array(np.array([[1, 0, 0], [0, 0, 0]], dtype=np.float32))
        >>> fold = Fold(train, Judgments.from_pairs([0, 1], [2, 0], [5, 4], n_users=2))
        >>> CandidatePairs.of(fold, fold.test, Protocol("AR", "AI")).sizes.tolist()
        [2, 3]
        """
        if protocol.relevant != "AR" or protocol.sampled is not None:
            raise ValueError(
                f"Ranks under {protocol.name} are among sampled candidates or one list for each "
                "relevant item: estimates need a user's whole list, as AR AI-AN or AR train-AN "
                "rank it."
            )
        if protocol.candidates not in ("AI", "train"):
            raise ValueError(
                f"The candidates of {protocol.name} are the items that somebody judged, so that a "
                "rank depends on what was observed: choose AR AI-AN or AR train-AN."
            )
        is_candidate = base_candidates(protocol, fold, judgments)
        n_users, n_items = fold.train.shape
        counts = np.diff(fold.train.indptr).astype(np.int64)
        train_users = np.repeat(np.arange(n_users, dtype=np.int64), counts)
        trained = is_candidate[fold.train.indices]
        sizes = is_candidate.sum() - np.bincount(train_users[trained], minlength=n_users)
        if protocol.candidates == "train":
            sizes[counts == 0] = 0
        trained_keys = train_users * n_items + fold.train.indices
        keys = judgments.users.astype(np.int64) * n_items + judgments.items
        judged = is_candidate[judgments.items] & ~_among(keys, trained_keys)
        judged &= sizes[judgments.users] > 0
        return cls(judged, sizes.astype(np.int64), is_candidate)

    def sum_over_candidates(self, fold: Fold, of_items: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a number per item over the candidates of each user, shape (n_users,)."""
        inside = np.where(self.is_candidate, of_items, 0.0)
        users = np.repeat(np.arange(fold.train.shape[0]), np.diff(fold.train.indptr))
        trained = np.bincount(
            users, weights=inside[fold.train.indices], minlength=fold.train.shape[0]
        )
        return np.where(self.sizes > 0, inside.sum() - trained, 0.0)


def _among(keys: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each key is among the others, which are sorted."""
    if not len(others):
        return np.zeros(len(keys), dtype=np.bool_)
    places = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return others[places] == keys
