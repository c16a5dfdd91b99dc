# SPDX-License-Identifier: MIT
"""Keep the first items of each list, or the judged items' scores, while a system is ranked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import base_candidates
from receval.protocols.evaluation import Scorer, in_ranked_precision, tie_priority
from receval.protocols.protocol import Protocol
from receval.seeds import GeneratorFor
from receval.splits.split import Fold
from receval.storage.messages import enumerated
from receval.top_lists import TopLists, joined_lists, top_lists

# Users without judgments are scored in blocks of as many scores.
_BLOCK_ENTRIES = 2**21


def refuse_protocols_without_lists(protocols: Mapping[str, Protocol], wanted_by: str) -> None:
    """Refuse protocols under which a user has not one list of all candidates with a score.

    ``wanted_by`` is what needs the lists, for the message.

    Examples
    --------
    >>> refuse_protocols_without_lists({"AR AI-AN": Protocol()}, "ItemCoverage@10")
    """
    other = names_of_part_lists(protocols)
    if other:
        raise ValueError(
            f"{wanted_by} needs one list of recommendations per user, but {enumerated(other)} "
            "ranks one list per relevant item, or sampled items. Choose a protocol with all "
            "relevant items and all candidates, such as 'AR AI-AN'."
        )
    refuse_other_orders(protocols, wanted_by)


def names_of_part_lists(protocols: Mapping[str, Protocol]) -> list[str]:
    """Return the names of protocols whose lists are parts of what a system recommends.

    Examples
    --------
    >>> names_of_part_lists({"AR": Protocol(), "1R": Protocol("1R"), "NN": Protocol(sampled=9)})
    ['1R', 'NN']
    """
    return [n for n, own in protocols.items() if own.relevant != "AR" or own.sampled is not None]


def refuse_other_orders(protocols: Mapping[str, Protocol], wanted_by: str) -> None:
    """Refuse protocols whose order of items does not come from scores and priorities alone."""
    other = [
        name
        for name, own in protocols.items()
        if own.ties == "librec" or own.non_computable != "none"
    ]
    if other:
        raise ValueError(
            f"{wanted_by} cannot be had under {enumerated(other)}, which places items with equal "
            "scores as LibRec does, or ranks items without a score. Choose ties in random order or "
            "by index, and items without a score not ranked."
        )


class KeptLists:
    """A fitted system that remembers the first n items of the lists of all users it scores.

    The lists have all base candidates and the order of equal scores of each protocol, also under
    one that ranks one relevant item or sampled items at a time. Protocols with the same candidates
    and order share their lists. ``write`` is called with the name of a protocol
    and its lists as soon as they are made; unless they are held, they are then forgotten.
    """

    def __init__(
        self,
        system: Scorer,
        fold: Fold,
        protocols: Mapping[str, Protocol],
        generator_for: GeneratorFor,
        n: int,
        *,
        write: Callable[[str, TopLists], None] | None = None,
        are_held: bool = True,
    ) -> None:
        self._write = write
        self._are_held = are_held
        self._system = system
        self._fold = fold
        self._n = n
        self._has_train = np.diff(fold.train.indptr) > 0
        self._kinds = {
            name: (p.candidates, p.head_removed, p.ties) for name, p in protocols.items()
        }
        self._candidates: dict[tuple, NDArray[np.bool_]] = {}
        self._priorities: dict[tuple, NDArray[np.uint32]] = {}
        self._parts: dict[tuple, list[TopLists]] = {}
        for name, protocol in protocols.items():
            kind = self._kinds[name]
            if kind not in self._parts:
                self._parts[kind] = []
                self._candidates[kind] = base_candidates(protocol, fold, fold.test)
                self._priorities[kind] = tie_priority(protocol, fold, generator_for)
        self._is_scored = np.zeros(fold.train.shape[0], dtype=bool)

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of the system, and keep the first items of each user's list."""
        scores = in_ranked_precision(self._system.score(users))
        if scores.shape != (len(users), self._fold.train.shape[1]):
            return scores  # The ranking code reports what is wrong.
        self._is_scored[users] = True
        for kind, parts in self._parts.items():
            own = users
            rows = scores
            if kind[0] == "train" and not (has := self._has_train[users]).all():
                own, rows = users[has], scores[has]
            found = top_lists(
                rows,
                own,
                self._n,
                exclude=self._fold.train,
                is_candidate=self._candidates[kind],
                priority=self._priorities[kind],
            )
            if self._are_held:
                parts.append(found)
            if self._write is not None:
                for name, own_kind in self._kinds.items():
                    if own_kind == kind:
                        self._write(name, found)
        return scores

    def score_others(self) -> None:
        """Score the users who were not scored yet: those without judgments."""
        others = np.flatnonzero(~self._is_scored).astype(np.int64)
        step = max(1, _BLOCK_ENTRIES // max(1, self._fold.train.shape[1]))
        for start in range(0, len(others), step):
            self.score(others[start : start + step])

    def lists(self, protocol: str) -> TopLists:
        """Return the lists under the protocol of this name."""
        return joined_lists(self._parts[self._kinds[protocol]], self._n)

    def candidates(self, protocol: str) -> NDArray[np.bool_]:
        """Return the base candidates under the protocol of this name, shape (n_items,)."""
        return self._candidates[self._kinds[protocol]]


class KeptPredictions:
    """A fitted system that remembers its scores of the test items of all users it scores.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from receval.recommenders.non_personalised import AverageRating
    >>> from receval.splits.split import Judgments
    >>> train = csr_array(np.array([[5, 2, 0], [4, 0, 0]], dtype=np.float32))
    >>> fold = Fold(train, Judgments.from_pairs([1, 1], [1, 2], [3, 4], n_users=2))
    >>> kept = KeptPredictions(AverageRating(smoothing=0).fit(train), fold)
    >>> _ = kept.score(np.array([1]))
    >>> kept.predictions.tolist()
    [2.0, nan]
    """

    def __init__(self, system: Scorer, fold: Fold) -> None:
        self._system = system
        self._fold = fold
        self.predictions = np.full(len(fold.test), np.nan)
        """The score of each test rating; NaN where the system has none."""

    def score(self, users: NDArray[np.int64]) -> NDArray[np.floating]:
        """Return the scores of the system, and keep those of the test items."""
        scores = np.asarray(self._system.score(users))
        if scores.shape != (len(users), self._fold.train.shape[1]):
            return scores  # The ranking code reports what is wrong.
        test = self._fold.test
        starts = test.indptr[:-1][users].astype(np.int64)
        sizes = test.indptr[1:][users].astype(np.int64) - starts
        rows = np.repeat(np.arange(len(users)), sizes)
        before = np.cumsum(sizes) - sizes
        places = np.arange(len(rows)) + (starts - before)[rows]
        self.predictions[places] = scores[rows, test.items[places]]
        return scores
