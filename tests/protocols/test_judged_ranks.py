# SPDX-License-Identifier: MIT
"""Stored judged ranks: read as they were written, and by nobody else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from receval.protocols.judged_ranks import (
    JudgedRanks,
    RanksKey,
    join_ranks,
    read_ranks,
    write_ranks,
)
from receval.storage.files import DamagedFileError

OWNER = ("ml-1m", "user-80", "pop")
RANKS = JudgedRanks(
    ranks=np.array([0, 3, -1], dtype=np.int32),
    lengths=np.array([4, 4], dtype=np.int32),
    candidates=np.array([4, 5], dtype=np.int32),
    percentiles=np.array([0, 1, 1], dtype=np.int16),
)


@pytest.mark.each("percentiles", [False, True])
@pytest.mark.each(("start", "stop"), [(0, 0), (0, 1), (0, 4), (1, 3), (2, 4), (3, 4), (4, 4)])
def test_those_of_consecutive_users_are_copies_of_their_lists(
    percentiles: bool, start: int, stop: int
) -> None:
    owners = np.array([0, 0, 2, 2, 2, 3])
    indptr = np.searchsorted(owners, np.arange(5))
    lengths = np.arange(6 if percentiles else 4, dtype=np.int32)
    whole = JudgedRanks(
        np.arange(10, 16, dtype=np.int32),
        lengths,
        lengths + 20,
        np.arange(30, 36, dtype=np.int16) if percentiles else None,
    )
    own = whole.of_users(range(start, stop), indptr)
    judgments = np.flatnonzero((owners >= start) & (owners < stop))
    lists = judgments if percentiles else np.arange(start, stop)
    assert own.ranks.tolist() == (judgments + 10).tolist()
    assert own.lengths.tolist() == lists.tolist()
    assert own.candidates.tolist() == (lists + 20).tolist()
    if own.percentiles is None:
        assert not percentiles
    else:
        assert own.percentiles.tolist() == (judgments + 30).tolist()
    for name, array in vars(own).items():
        assert array is None or array.size == 0 or not np.shares_memory(array, getattr(whole, name))


@pytest.mark.parametrize("owner", [None, OWNER])
def test_ranks_are_read_as_they_were_written(
    tmp_path: Path, owner: tuple[str, str, str] | None
) -> None:
    path = tmp_path / "ranks.npz"
    write_ranks(path, {("AR", 0, "test"): RANKS}, owner)
    read = read_ranks(path, "AR", 0, owner=OWNER)
    for name, array in vars(RANKS).items():
        np.testing.assert_array_equal(getattr(read, name), array)
        assert getattr(read, name).dtype == array.dtype


def test_ranks_that_are_not_there_are_refused_with_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "ranks.npz"
    write_ranks(path, of_fold(0, "AR", "1R") | of_fold(1, "AR", unbiased=True), OWNER)
    there = "1R/0/test, AR/0/test, AR/1/test, AR/1/unbiased"
    for asked in (("1R", 1, "test"), ("P1R", 0, "test"), ("1R", 0, "unbiased")):
        with pytest.raises(KeyError) as error:
            read_ranks(path, *asked)
        name = "/".join(map(str, asked))
        assert error.value.args == (f"{path} has no ranks for {name}. It has {there}.",)


def test_ranks_of_another_system_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ranks.npz"
    write_ranks(path, {("AR", 0, "test"): RANKS}, ("ml-1m", "user-80", "random"))
    with pytest.raises(DamagedFileError, match="it holds the ranks of ml-1m, user-80, random"):
        read_ranks(path, "AR", 0, owner=OWNER)
    read_ranks(path, "AR", 0)


def test_ranks_that_are_mapped_are_those_that_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("receval.protocols.judged_ranks._MAPPED_FROM", 0)
    written = JudgedRanks(*(np.array(a, dtype=np.int32) for a in ([2, 0, 7], [9, 8], [9, 9])))
    write_ranks(tmp_path / "ranks.npz", {("p", 0, "test"): written})
    found = read_ranks(tmp_path / "ranks.npz", "p", 0)
    assert isinstance(found.ranks, np.memmap)
    assert found.ranks.tolist() == [2, 0, 7]
    assert found.lengths.tolist() == [9, 8]


def of_fold(fold: int, *protocols: str, unbiased: bool = False) -> dict[RanksKey, JudgedRanks]:
    parts = ("test", "unbiased") if unbiased else ("test",)
    return {(protocol, fold, part): RANKS for part in parts for protocol in protocols}


def test_parts_of_folds_and_users_are_joined_as_one_job_writes_them(tmp_path: Path) -> None:
    keys = ("AR", "1R", "of/a/plugin")
    folds = [of_fold(0, *keys), of_fold(1, *keys, unbiased=True), of_fold(2, *keys)]
    shares = (folds[0] | folds[2], folds[1])
    parts = [tmp_path / f"{number}.npz" for number in range(len(shares))]
    for path, own in zip(parts, shares, strict=True):
        write_ranks(path, own, OWNER)
    write_ranks(tmp_path / "whole.npz", folds[0] | folds[1] | folds[2], OWNER)
    join_ranks(tmp_path / "joined.npz", parts)
    assert (tmp_path / "joined.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    join_ranks(tmp_path / "joined.npz", [parts[1], parts[0], parts[1]])
    assert read_ranks(tmp_path / "joined.npz", "1R", 1).ranks.tolist() == [0, 3, -1] * 2
    assert read_ranks(tmp_path / "joined.npz", "1R", 0).ranks.tolist() == [0, 3, -1]


@pytest.mark.each("prefix", ["", "of/", "of/a/plugin/"])
@pytest.mark.each(
    ("second", "owner", "message"),
    [
        (of_fold(1, "AR"), OWNER, "it has no {}1R/1/test/candidates"),
        (of_fold(0, "AR", "1R", "P1R"), OWNER, "it has unexpected members: {}P1R/0/test"),
        (of_fold(1, "AR", "1R", "P1R"), OWNER, "it has unexpected members: {}P1R/1/test"),
        (
            of_fold(0, "AR", "1R", unbiased=True),
            OWNER,
            "it has unexpected members: .* {}1R/0/unbiased",
        ),
        (of_fold(0, "AR", "1R"), None, "it has no owner"),
        (of_fold(1, "AR", "1R"), ("ml-1m", "user-80", "random"), "2.npz .*ranks of .*, random"),
    ],
)
def test_a_part_of_other_protocols_or_systems_is_not_joined_whatever_their_keys(
    tmp_path: Path,
    second: dict[RanksKey, JudgedRanks],
    owner: tuple[str, str, str] | None,
    message: str,
    prefix: str,
) -> None:
    parts = [tmp_path / "1.npz", tmp_path / "2.npz"]
    write_ranks(parts[0], of_fold(0, f"{prefix}AR", f"{prefix}1R"), OWNER)
    renamed = {(f"{prefix}{key}", *rest): ranks for (key, *rest), ranks in second.items()}
    write_ranks(parts[1], renamed, owner)
    with pytest.raises(DamagedFileError, match=message.format(prefix)):
        join_ranks(tmp_path / "joined.npz", parts)
    assert not (tmp_path / "joined.npz").exists()


def test_a_part_that_says_whose_it_is_is_not_joined_with_one_that_does_not(tmp_path: Path) -> None:
    parts = [tmp_path / "1.npz", tmp_path / "2.npz"]
    for path, owner in zip(parts, (None, OWNER), strict=True):
        write_ranks(path, of_fold(0, "AR"), owner)
    with pytest.raises(DamagedFileError, match="it has unexpected members: owner"):
        join_ranks(tmp_path / "joined.npz", parts)


def test_parts_without_any_ranks_are_joined_to_none(tmp_path: Path) -> None:
    for name in ("1.npz", "whole.npz"):
        write_ranks(tmp_path / name, {}, OWNER)
    join_ranks(tmp_path / "joined.npz", [tmp_path / "1.npz"])
    assert (tmp_path / "joined.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_parts_without_those_of_a_fold_are_not_joined(tmp_path: Path) -> None:
    write_ranks(tmp_path / "1.npz", of_fold(0, "AR") | of_fold(2, "AR"))
    with pytest.raises(
        ValueError, match=r"no part has the ranks of fold 1\. Join the parts of all"
    ):
        join_ranks(tmp_path / "joined.npz", [tmp_path / "1.npz"])
