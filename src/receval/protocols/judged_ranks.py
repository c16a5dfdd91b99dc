# SPDX-License-Identifier: MIT
"""Judged ranks of a system under a protocol, and the files that store them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from receval.storage.archives import Archive, write_archive
from receval.storage.files import DamagedFileError
from receval.storage.messages import enumerated, shortened


@dataclass(frozen=True)
class JudgedRanks:
    """The rank of every judged item among a user's candidates.

    Attributes
    ----------
    ranks : ndarray of int32, shape (n_judgments,)
        Ranks from 1, aligned with the judgments of the fold. 0 if the item is not ranked: it is no
        candidate, the system cannot compute its score, or (1R) it is not relevant. Under 1R, the
        rank in the item's own list. -1 if the protocol removes the item from the test (as part of
        the popular head).
    lengths : ndarray of int32, shape (n_users,)
        Number of ranked items in the user's list; 0 for users without judgments. Under 1R, the
        number of ranked non-relevant items: a list has one item more if its relevant item is
        ranked.
    candidates : ndarray of int32, shape (n_users,)
        Length of the user's list if all scores were computable, with the same convention. It
        exceeds ``lengths`` by the number of non-computable items if these are not ranked.
    percentiles : ndarray of int16, shape (n_judgments,), or None
        Under P1R, the popularity percentile of each judged item, from 0. ``lengths`` and
        ``candidates`` then have one entry per judgment, because a user's lists differ in size.
    """

    ranks: NDArray[np.int32]
    lengths: NDArray[np.int32]
    candidates: NDArray[np.int32]
    percentiles: NDArray[np.int16] | None = None

    def of_users(self, users: range, indptr: NDArray[np.int64]) -> JudgedRanks:
        """Return the judged ranks of consecutive users, as copies that free the others' memory.

        ``indptr`` tells where the judgments of each user begin
        (:class:`receval.splits.split.Judgments`).

        Examples
        --------
        >>> arrays = (np.array(a, dtype=np.int32) for a in ([2, 1, 3], [5, 4], [5, 5]))
        >>> second = JudgedRanks(*arrays).of_users(range(1, 2), np.array([0, 2, 3]))
        >>> second.ranks.tolist(), second.lengths.tolist(), second.candidates.tolist()
        ([3], [4], [5])
        """
        own = slice(users.start, users.stop)
        judgments = slice(int(indptr[users.start]), int(indptr[users.stop]))
        of_lists = own if self.percentiles is None else judgments
        return JudgedRanks(
            self.ranks[judgments].copy(),
            self.lengths[of_lists].copy(),
            self.candidates[of_lists].copy(),
            None if self.percentiles is None else self.percentiles[judgments].copy(),
        )


RanksKey = tuple[str, int, str]
"""Key of a protocol, number of a fold, and its part (``test`` or ``unbiased``)."""


RanksOwner = tuple[str, str, str]
"""Dataset, split and system of judged ranks."""

_OWNER = "owner"

# From this size (17 million judgments) on, ranks are not compressed, because compressing takes
# longer than writing, and are read in place.
_MAPPED_FROM = 2**26


def write_ranks(
    path: Path, judged_ranks: Mapping[RanksKey, JudgedRanks], owner: RanksOwner | None = None
) -> None:
    """Write the judged ranks of all protocols, folds and parts of one system on one split."""
    arrays: dict[str, NDArray] = {} if owner is None else {_OWNER: np.array(owner)}
    for (protocol, fold, part), own in judged_ranks.items():
        prefix = f"{protocol}/{fold}/{part}"
        arrays[f"{prefix}/ranks"] = own.ranks
        arrays[f"{prefix}/lengths"] = own.lengths
        arrays[f"{prefix}/candidates"] = own.candidates
        if own.percentiles is not None:
            arrays[f"{prefix}/percentiles"] = own.percentiles
    write_archive(path, arrays, stored_from=_MAPPED_FROM)


def join_ranks(path: Path, parts: Sequence[Path]) -> None:
    """Join files with the judged ranks of some folds and users into one file of all.

    A fold may be spread over several files, with consecutive users in order. One array is in memory
    at a time. Files of other systems or protocols than the first are refused, and folds that no
    file has although there is a later one.
    """
    with ExitStack() as stack:
        archives = [stack.enter_context(Archive(part)) for part in parts]
        write_archive(path, _Joined(archives), stored_from=_MAPPED_FROM)


class _Joined(Mapping[str, NDArray]):
    """The concatenated arrays of several archives by name, read when accessed."""

    def __init__(self, archives: Sequence[Archive]) -> None:
        self._holders: dict[str, list[Archive]] = {}
        # All folds have the test part by the same protocols; other parts are those of the fold's
        # first file.
        tests = {name for name in archives[0].names if _is_of_test(name)}
        beside_tests: dict[int, set[str]] = {}
        for archive in archives:
            own: dict[int, set[str]] = {}
            for name in archive.names:
                if name != _OWNER:
                    own.setdefault(_fold_of(name), set()).add(name)
            wanted = {_OWNER}.intersection(archives[0].names)
            for fold, names in own.items():
                others = {name for name in names if not _is_of_test(name)}
                wanted |= beside_tests.setdefault(fold, others)
                wanted |= {_in_fold(name, fold) for name in tests}
            archive.check_names(wanted)
            for name in archive.names:
                self._holders.setdefault(name, []).append(archive)
        if missing := set(range(max(beside_tests, default=-1) + 1)) - beside_tests.keys():
            raise ValueError(
                f"no part has the ranks of fold {enumerated(sorted(missing))}. Join the parts of "
                "all folds"
            )

    def __getitem__(self, name: str) -> NDArray:
        holders = self._holders[name]
        arrays = [archive.array(name) for archive in holders]
        if name != _OWNER:
            return np.concatenate(arrays)
        for archive, own in zip(holders, arrays, strict=True):
            if not np.array_equal(own, arrays[0]):
                raise DamagedFileError(archive.path, f"it holds the ranks of {enumerated(own)}")
        return arrays[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._holders)

    def __len__(self) -> int:
        return len(self._holders)


def _fold_of(name: str) -> int:
    return int(name.rsplit("/", 3)[1])


def _is_of_test(name: str) -> bool:
    return name != _OWNER and name.rsplit("/", 3)[2] == "test"


def _in_fold(name: str, fold: int) -> str:
    """Return the name of an array in another fold."""
    protocol, _, part, array = name.rsplit("/", 3)
    return f"{protocol}/{fold}/{part}/{array}"


def read_ranks(
    path: Path, protocol: str, fold: int, part: str = "test", owner: RanksOwner | None = None
) -> JudgedRanks:
    """Read the judged ranks of a protocol, by its key, on one fold and part ("test", "unbiased").

    A file of another owner is refused, as files of two systems look alike. A KeyError lists what
    the file has, if it lacks the protocol, fold or part.
    """
    prefix = f"{protocol}/{fold}/{part}"
    with Archive(path) as archive:
        if f"{prefix}/ranks" not in archive:
            there = sorted({name.rpartition("/")[0] for name in archive.names} - {""})
            raise KeyError(
                f"{path} has no ranks for {shortened(prefix)}. It has {enumerated(there)}."
            )
        if owner is not None and _OWNER in archive:
            written_for = tuple(map(str, archive.array(_OWNER, str, (3,))))
            if written_for != owner:
                raise DamagedFileError(path, f"it holds the ranks of {enumerated(written_for)}")
        ranks = archive.array(f"{prefix}/ranks", np.int32, (None,), mapped=True)
        percentiles = None
        if f"{prefix}/percentiles" in archive:
            percentiles = archive.array(f"{prefix}/percentiles", np.int16, ranks.shape)
        lengths = archive.array(f"{prefix}/lengths", np.int32, (None,))
        candidates = archive.array(f"{prefix}/candidates", np.int32, lengths.shape)
    return JudgedRanks(ranks, lengths, candidates, percentiles)
