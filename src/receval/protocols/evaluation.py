# SPDX-License-Identifier: MIT
"""Ranking one system on one fold under any number of protocols, in one pass over its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Protocol as Interface

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.passes import PercentilePass, RankingPass
from receval.protocols.protocol import Protocol
from receval.protocols.shared_by_passes import SharedByPasses
from receval.seeds import GeneratorFor
from receval.splits.split import Fold

# Scores of one block of users are held at a time: 8 MiB of float32, which caches hold while all
# passes read them.
_BLOCK_ENTRIES = 2**21

# Of systems that are scored together 64 MiB: what they share is shared among the users of a block.
_JOINT_ENTRIES = 2**24

# Systems share work between so many users at a time: whole groups of them are asked for.
_GROUP_USERS = 256


def in_ranked_precision(scores: ArrayLike) -> NDArray[np.floating]:
    """Return scores as they are ranked: in single precision if they have no more, else in double.

    Parameters
    ----------
    scores : array_like
        Real numbers.

    Examples
    --------
    >>> [in_ranked_precision(np.ones(1, kind)).dtype.name for kind in ("f2", "f4", "i4", "f8")]
    ['float32', 'float32', 'float64', 'float64']
    """
    array = np.asarray(scores)
    is_single = np.can_cast(array.dtype, np.float32)
    return array.astype(np.float32 if is_single else np.float64, copy=False)


class JointScorer(Interface):
    """What ranking needs of several fitted systems that are scored together."""

    def __len__(self) -> int:
        """Return the number of systems."""
        ...

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of all items for some users, those of one system after the other's."""
        ...


class Scorer(Interface):
    """What ranking needs of a fitted system."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of all items for some users; NaN where not computable."""
        ...


def rank_judged(
    system: Scorer,
    fold: Fold,
    protocols: Sequence[Protocol],
    generator_for: GeneratorFor,
    part: str = "test",
    threshold: float | None = None,
    users: range | None = None,
) -> list[JudgedRanks]:
    """Rank the judged items of a fold under several protocols.

    Parameters
    ----------
    system : Scorer
        A fitted system; each user with judgments is scored once, whatever the number of protocols.
    fold : Fold
        Its training ratings are no candidates; its test ratings are the judged items.
    protocols : sequence of Protocol
        Those that differ in the size of the sample alone share one nested sample.
    generator_for : callable
        ``generator_for(name, ...)`` returns the generator of a named choice, seeded by dataset,
        split and fold but never by system: all systems rank the same candidates.
    part : {"test", "unbiased"}
        The judgments to rank.
    threshold : float, optional
        Ratings at or above it are relevant, for protocols that need a threshold and have none.
    users : range, optional
        Consecutive users that alone are ranked, with the same candidates and ranks as among all;
        what is returned has all others without ranks (:meth:`JudgedRanks.of_users` takes it apart).

    Returns
    -------
    list of JudgedRanks
        In the order of ``protocols``.

    Raises
    ------
    ValueError
        The fold has no such judgments, a protocol needs a threshold that nobody gives, or the
        system's scores have another shape than (users, items).

    Examples
    --------
    User 0 tests with the least popular of the two items that are left, user 1 with the only one:

    >>> from receval.recommenders.non_personalised import Popularity
    >>> from receval.seeds import generator
    >>> from receval.data.ratings import summed_matrix
    >>> from receval.splits.split import Judgments
    >>> users, items = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])
    >>> train = summed_matrix(users, items, np.ones(4), shape=(3, 3))
    >>> fold = Fold(train, test=Judgments.from_pairs([0, 1], [2, 2], [5, 4], n_users=3))
    >>> system = Popularity().fit(train)
    >>> [judged] = rank_judged(system, fold, [Protocol()], lambda *names: generator(1, *names))
    >>> judged.ranks.tolist(), judged.lengths.tolist()
    ([2, 1], [2, 1, 0])
    """
    alone = _Alone(system, fold.train.shape[1])
    return rank_judged_together(alone, fold, protocols, generator_for, part, threshold, users)[0]


def rank_judged_together(
    systems: JointScorer,
    fold: Fold,
    protocols: Sequence[Protocol],
    generator_for: GeneratorFor,
    part: str = "test",
    threshold: float | None = None,
    users: range | None = None,
) -> list[list[JudgedRanks]]:
    """Rank the judged items of a fold for several systems that are scored together.

    Parameters
    ----------
    systems : JointScorer
        Fitted systems; ``score`` returns an array of shape (n_systems, n_users, n_items).
    fold, protocols, generator_for, part, threshold, users
        As for :func:`rank_judged`.

    Returns
    -------
    list of list of JudgedRanks
        For every system what :func:`rank_judged` returns.

    Raises
    ------
    ValueError
        As :func:`rank_judged`.
    """
    judgments = fold.test if part == "test" else fold.unbiased
    if judgments is None:
        raise ValueError(f"The fold has no {part} judgments to rank.")
    complete = [protocol.with_threshold(threshold) for protocol in protocols]
    shared = SharedByPasses(fold, judgments, generator_for, part, complete)
    passes = [
        [
            RankingPass(shared, family)
            if family[0].percentiles is None
            else PercentilePass(shared, family)
            for family in _families(complete)
        ]
        for _ in range(len(systems))
    ]
    with_judgments = np.flatnonzero(np.diff(judgments.indptr)).astype(np.int64)
    if users is not None:
        before, wanted_end = np.searchsorted(with_judgments, [users.start, users.stop])
        for one_pass in chain.from_iterable(passes):
            one_pass.leave_out(with_judgments[:before])
        with_judgments = with_judgments[before:wanted_end]
    held = _BLOCK_ENTRIES if len(systems) == 1 else _JOINT_ENTRIES
    block = max(1, held // max(1, fold.train.shape[1] * len(systems)))
    block -= block % _GROUP_USERS if block > _GROUP_USERS else 0
    for start in range(0, len(with_judgments), block):
        own_users = with_judgments[start : start + block]
        for own_passes, scores in zip(passes, systems.score(own_users), strict=True):
            for one_pass in own_passes:
                one_pass.rank(scores, own_users)
    by_system: list[dict[Protocol, JudgedRanks]] = [{} for _ in passes]
    for found, own_passes in zip(by_system, passes, strict=True):
        for one_pass in own_passes:
            found.update(one_pass.judged_ranks())
    return [[found[protocol] for protocol in complete] for found in by_system]


class _Alone:
    """One system as a joint scorer, with its scores checked."""

    def __init__(self, system: Scorer, n_items: int) -> None:
        self._system = system
        self._n_items = n_items

    def __len__(self) -> int:
        return 1

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        scores = np.ascontiguousarray(in_ranked_precision(self._system.score(users)))
        if scores.shape != (len(users), self._n_items):
            raise ValueError(
                f"{type(self._system).__name__}.score returned an array of shape {scores.shape} "
                f"for {len(users)} users and {self._n_items} items; it must be "
                f"{(len(users), self._n_items)}."
            )
        return scores[None]


def _families(protocols: Sequence[Protocol]) -> list[list[Protocol]]:
    """Group protocols that rank the same candidates, or nested samples of them."""
    families: dict[Protocol, list[Protocol]] = {}
    for protocol in dict.fromkeys(protocols):
        is_sampled = protocol.sampled is not None
        shared = replace(protocol, sampled=1 if is_sampled else None, non_computable="none")
        families.setdefault(shared, []).append(protocol)
    return list(families.values())
