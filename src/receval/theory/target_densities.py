# SPDX-License-Identifier: MIT
"""Density of relevant items in target sets: the quantities sigma, rho, delta and t."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import base_candidates, popular_head, popularity_percentiles
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments


@dataclass(frozen=True)
class TargetDensities:
    r"""Sizes of the target sets of a fold under a protocol, and their numbers of relevant items.

    They give these quantities, which do not depend on systems (Bellogín et al. 2017, section 4 and
    table 2):

    .. math::

        \rho_u = \frac{|T_u \cap PR_{test}(u)|}{|T_u|}, \quad \rho = avg_u\,\rho_u, \quad
        \frac1t = avg_u\,\frac{1}{|T_u|}, \quad \sigma = \frac{|R_{test}|}{|R|}, \quad
        \delta = \frac{|PR|}{t\,|U|}

    Each list ranks one target set: :math:`T_u` of each user under AR, :math:`T_u^r` of each
    relevant test rating under 1R. Averages are over lists, like those of metrics.

    Attributes
    ----------
    users : ndarray of int64, shape (n_lists,)
        The user of each list. Under AR every user has a list, even without test ratings.
    sizes : ndarray of int64, shape (n_lists,)
        :math:`|T_u|` or :math:`|T_u^r|`.
    relevant : ndarray of int64, shape (n_lists,)
        Number of relevant items in each list. Under 1R it is 1, or 0 if the relevant item is not a
        candidate.
    pools : ndarray of int64, shape (n_users,)
        :math:`|C \setminus PR_{test}(u) \setminus R_{train}(u)|`, from which :math:`N_u` is drawn.
    one_relevant : bool
        True under 1R.
    sigma : float
        Share of the fold's ratings that are in test.
    n_positive : int
        :math:`|PR|`, the number of positive ratings of the fold in train and test.
    """

    users: NDArray[np.int64]
    sizes: NDArray[np.int64]
    relevant: NDArray[np.int64]
    pools: NDArray[np.int64]
    one_relevant: bool
    sigma: float
    n_positive: int

    @classmethod
    def of(
        cls,
        fold: Fold,
        protocol: Protocol,
        threshold: float,
        kept: NDArray[np.bool_] | None = None,
        percentile: int | None = None,
    ) -> Self:
        """Measure the target sets of a fold.

        Parameters
        ----------
        threshold : float
            Ratings at or above it are relevant.
        kept : ndarray of bool, shape (n_judgments,), optional
            Which test ratings to keep. Leaving some out changes neither the base candidates nor the
            samples. A relevant item that is left out stays in target sets of all candidates (AN) as
            a non-relevant item, but is removed from sampled target sets (NN).
        percentile : int, optional
            Under P1R, the percentile whose lists are measured, from 0.

        Examples
        --------
        User 0 has one relevant item among four candidates, user 1 none among five:

        >>> from receval.data.ratings import summed_matrix
        >>> train = summed_matrix([0], [0], [4], shape=(2, 5))
        >>> fold = Fold(train, test=Judgments.from_pairs([0], [3], [5], n_users=2))
        >>> densities = TargetDensities.of(fold, Protocol("AR", "AI"), threshold=4)
        >>> densities.sizes.tolist(), densities.relevant.tolist(), densities.rho
        ([4, 5], [1, 0], 0.125)
        """
        judgments = fold.test
        if (protocol.percentiles is None) != (percentile is None):
            raise ValueError(
                f"The target sets of {protocol.name} are measured per percentile if the protocol "
                "has percentiles, and all at once if it has none. Give percentile only in the "
                "first case."
            )
        if protocol.threshold is not None and protocol.threshold != threshold:
            raise ValueError(
                f"The candidates of {protocol.name} are formed with the relevance threshold "
                f"{protocol.threshold:g}. Ask for their densities with that threshold, not with "
                f"{threshold:g}."
            )
        if kept is None:
            kept = np.ones(len(judgments), dtype=bool)
        if kept.shape != (len(judgments),):
            raise ValueError(
                f"The mask of the ratings kept has the shape {kept.shape}, but the fold has "
                f"{len(judgments)} test ratings. Give one flag per test rating."
            )
        if protocol.head_removed is not None:
            kept = kept & ~popular_head(fold, protocol.head_removed)[judgments.items]
        is_candidate = base_candidates(protocol, fold, judgments)
        if protocol.percentiles is not None:
            members = popularity_percentiles(fold, protocol.percentiles) == percentile
            is_candidate &= members
            kept = kept & members[judgments.items]
        relevant = judgments.values >= threshold
        in_reach = relevant & reachable(fold, judgments, protocol, is_candidate)
        open_items = n_open(fold, protocol, is_candidate)
        pools = open_items - _per_user(judgments, in_reach)
        kept_relevant = _per_user(judgments, in_reach & kept)
        sampled = pools if protocol.sampled is None else np.minimum(pools, protocol.sampled)
        if protocol.relevant == "1R":
            lists = relevant & kept
            users = judgments.users[lists].astype(np.int64)
            found = in_reach[lists].astype(np.int64)
            sizes = sampled[users] + found
        else:
            users = np.arange(judgments.n_users, dtype=np.int64)
            found = kept_relevant
            sizes = open_items if protocol.sampled is None else sampled + found
        return cls(
            users=users,
            sizes=sizes,
            relevant=found,
            pools=pools,
            one_relevant=protocol.relevant == "1R",
            sigma=int(kept.sum()) / (fold.train.nnz + len(judgments)),
            n_positive=int((fold.train.data >= threshold).sum() + relevant.sum()),
        )

    @property
    def n_users(self) -> int:
        """Number of users, with or without test ratings."""
        return len(self.pools)

    @cached_property
    def rho_of_lists(self) -> NDArray[np.float64]:
        r"""Share :math:`\rho_u` of relevant items in each list; 0 for an empty list."""
        return self.relevant / np.maximum(self.sizes, 1)

    @property
    def rho(self) -> float:
        r"""Average share of relevant items over all users (AR) or relevant test ratings (1R).

        As in the paper, users without relevant test ratings count as 0. NaN if there are no lists.
        """
        return float(self.rho_of_lists.mean()) if len(self.sizes) else float("nan")

    @property
    def t(self) -> float:
        """Harmonic mean of the sizes of the non-empty lists; NaN if all are empty."""
        sizes = self.sizes[self.sizes > 0]
        return float(1 / np.mean(1 / sizes)) if len(sizes) else float("nan")

    @property
    def delta(self) -> float:
        """Density of positive ratings in target sets."""
        return self.n_positive / (self.t * self.n_users)


def reachable(
    fold: Fold, judgments: Judgments, protocol: Protocol, is_candidate: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which judgments are of candidates, shape (n_judgments,).

    The other judgments are of items that the user also has in train (plays), or that the protocol
    excludes.
    """
    n_items = fold.train.shape[1]
    train_users = np.repeat(np.arange(judgments.n_users), np.diff(fold.train.indptr))
    # Both are sorted by user and item, so judgments can be looked up quickly.
    trained = np.append(train_users * n_items + fold.train.indices, -1)
    tested = judgments.users.astype(np.int64) * n_items + judgments.items
    is_trained = trained[np.searchsorted(trained[:-1], tested)] == tested
    found: NDArray[np.bool_] = is_candidate[judgments.items] & ~is_trained
    if protocol.candidates == "train":
        found &= np.diff(fold.train.indptr)[judgments.users] > 0
    return found


def n_open(fold: Fold, protocol: Protocol, is_candidate: NDArray[np.bool_]) -> NDArray[np.int64]:
    r"""Return the number of candidates :math:`|C \setminus R_{train}(u)|` of each user."""
    n_trained = np.diff(fold.train.indptr)
    train_users = np.repeat(np.arange(fold.test.n_users), n_trained)
    taken = np.bincount(train_users[is_candidate[fold.train.indices]], minlength=len(n_trained))
    n_candidates = int(is_candidate.sum()) - taken
    if protocol.candidates == "train":
        n_candidates[n_trained == 0] = 0
    return n_candidates.astype(np.int64)


def _per_user(judgments: Judgments, flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.bincount(judgments.users[flags], minlength=judgments.n_users).astype(np.int64)
