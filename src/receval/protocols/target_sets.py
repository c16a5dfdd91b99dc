"""The target sets themselves, item by item: for explaining a protocol, not for evaluating."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import GeneratorFor, base_candidates, draw_sample
from receval.protocols.popularity import popularity_percentiles
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold


@dataclass(frozen=True)
class TargetSets:
    r"""The items a system must rank for one user.

    Attributes
    ----------
    base : frozenset of int
        The base candidates :math:`C`.
    non_relevant : frozenset of int
        :math:`N_u`; under P1R those of all percentiles with a relevant item of the user.
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
    complete = protocol.with_threshold(threshold)
    judgments = fold.test
    mine = slice(judgments.indptr[user], judgments.indptr[user + 1])
    relevant = frozenset(judgments.items[mine][judgments.values[mine] >= threshold].tolist())
    train = _row(fold.train.indptr, fold.train.indices, user)
    is_candidate = base_candidates(protocol, fold, judgments)
    base = frozenset(np.flatnonzero(is_candidate).tolist())
    reachable = sorted((relevant & base) - train)

    def non_relevant(within: NDArray[np.bool_], percentile: int | None) -> frozenset[int]:
        if protocol.sampled is None:
            return frozenset(np.flatnonzero(within).tolist()) - relevant - train
        drawn = draw_sample(complete, fold, judgments, generator_for, "test", within, percentile)
        return _row(*drawn, user)

    if protocol.percentiles is not None:
        percentile_of = popularity_percentiles(fold, protocol.percentiles)
        samples = {
            percentile: non_relevant(is_candidate & (percentile_of == percentile), percentile)
            for percentile in sorted({int(percentile_of[item]) for item in reachable})
        }
        lists = tuple(samples[int(percentile_of[item])] | {item} for item in reachable)
        return TargetSets(base, frozenset().union(*samples.values()), lists)
    others = non_relevant(is_candidate, None)
    if protocol.relevant == "AR":
        return TargetSets(base, others, (others | frozenset(reachable),))
    return TargetSets(base, others, tuple(others | {item} for item in reachable))


def _row(indptr: NDArray, items: NDArray, user: int) -> frozenset[int]:
    return frozenset(items[indptr[user] : indptr[user + 1]].tolist())
