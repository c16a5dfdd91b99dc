"""The target sets themselves, item by item: for explaining a protocol, not for evaluating."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.evaluation import GeneratorFor, base_candidates
from receval.protocols.protocol import Protocol
from receval.protocols.sampling import sample_candidates
from receval.splits.split import Fold


@dataclass(frozen=True)
class TargetSets:
    r"""The items a system must rank for one user.

    Attributes
    ----------
    base : frozenset of int
        The base candidates :math:`C`.
    non_relevant : frozenset of int
        :math:`N_u`.
    lists : tuple of frozenset of int
        :math:`T_u` alone under AR; :math:`T_u^1, T_u^2, \ldots` under 1R.
    """

    base: frozenset[int]
    non_relevant: frozenset[int]
    lists: tuple[frozenset[int], ...]


def target_sets(
    fold: Fold, protocol: Protocol, user: int, threshold: float, generator_for: GeneratorFor
) -> TargetSets:
    """Enumerate the target sets of a user (bellogin2017, section 3.1).

    Parameters
    ----------
    fold : Fold
    protocol : Protocol
    user : int
    threshold : float
        Ratings at or above it are relevant.
    generator_for : callable
        As for :func:`receval.protocols.evaluation.rank_judged`: the samples are those it ranks.
    """
    judgments = fold.test
    is_candidate = base_candidates(protocol, fold, judgments)
    is_relevant = judgments.values >= threshold
    relevant_indptr = np.zeros(judgments.n_users + 1, dtype=np.int64)
    np.cumsum(
        np.bincount(judgments.users[is_relevant], minlength=judgments.n_users),
        out=relevant_indptr[1:],
    )
    relevant_items = judgments.items[is_relevant]
    relevant = _row(relevant_indptr, relevant_items, user)
    train = _row(fold.train.indptr, fold.train.indices, user)
    base = frozenset(np.flatnonzero(is_candidate).tolist())
    if protocol.sampled is None:
        non_relevant = base - relevant - train
    else:
        indptr, items = sample_candidates(
            is_candidate,
            fold.train.indptr.astype(np.int64),
            fold.train.indices,
            relevant_indptr,
            relevant_items,
            protocol.sampled,
            generator_for("sample", "test", protocol.candidates, f"{threshold:g}"),
        )
        non_relevant = _row(indptr, items, user)
    reachable = sorted((relevant & base) - train)
    if protocol.relevant == "AR":
        return TargetSets(base, non_relevant, (non_relevant | frozenset(reachable),))
    return TargetSets(base, non_relevant, tuple(non_relevant | {item} for item in reachable))


def _row(indptr: NDArray, items: NDArray, user: int) -> frozenset[int]:
    return frozenset(items[indptr[user] : indptr[user + 1]].tolist())
