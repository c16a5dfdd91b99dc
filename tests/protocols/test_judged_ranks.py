# SPDX-License-Identifier: MIT
"""Stored judged ranks: read as they were written, and by nobody else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from receval.protocols.judged_ranks import JudgedRanks, read_ranks, write_ranks
from receval.storage.files import DamagedFileError

OWNER = ("ml-1m", "user-80", "pop")
RANKS = JudgedRanks(
    ranks=np.array([0, 3, -1], dtype=np.int32),
    lengths=np.array([4, 4], dtype=np.int32),
    candidates=np.array([4, 5], dtype=np.int32),
    percentiles=np.array([0, 1, 1], dtype=np.int16),
)


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
