# SPDX-License-Identifier: MIT
"""Archives are deterministic, and whole or not there."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from receval.storage.archives import Archive, write_archive
from receval.storage.files import DamagedFileError

ARRAYS = {
    "ranks": np.array([3, 0, 1], dtype=np.int32),
    "a/nested/name": np.arange(6, dtype=np.float32).reshape(2, 3),
    "empty": np.empty(0, dtype=np.uint8),
    "text": np.array(["Björk", ""]),
    "scalar": np.array(2.5),
}


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "ranks.npz"
    write_archive(path, ARRAYS)
    with np.load(path, allow_pickle=False) as found:
        assert sorted(found.files) == sorted(ARRAYS)
        for name, array in ARRAYS.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)


def test_bytes_depend_on_the_arrays_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_archive(tmp_path / "one.npz", ARRAYS)
    later = (2033, 5, 18, 3, 33, 20, 0, 0, 0)
    monkeypatch.setattr("time.localtime", lambda *_: later)
    write_archive(tmp_path / "two.npz", dict(reversed(ARRAYS.items())))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.npz") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_arrays_are_compressed(tmp_path: Path) -> None:
    write_archive(tmp_path / "zeros.npz", {"zeros": np.zeros(100_000, dtype=np.int32)})
    assert (tmp_path / "zeros.npz").stat().st_size < 10_000


class FailingMapping(Mapping[str, Any]):
    """Two names, the second of which has no array."""

    def __getitem__(self, name: str) -> Any:
        if name == "second":
            raise RuntimeError("the disk is full")
        return np.arange(10)

    def __iter__(self) -> Iterator[str]:
        return iter(["first", "second"])

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize("before", [None, ARRAYS])
def test_a_failure_leaves_the_old_file_or_none(
    tmp_path: Path, before: dict[str, np.ndarray] | None
) -> None:
    path = tmp_path / "ranks.npz"
    if before is not None:
        write_archive(path, before)
    content = [own.read_bytes() for own in tmp_path.iterdir()]
    with pytest.raises(RuntimeError, match="disk is full"):
        write_archive(path, FailingMapping())
    assert [own.read_bytes() for own in tmp_path.iterdir()] == content
    assert {own.name for own in tmp_path.iterdir()} <= {path.name}


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"[Oo]bject arrays"):
        write_archive(tmp_path / "objects.npz", {"objects": np.array([{}, []], dtype=object)})
    assert list(tmp_path.iterdir()) == []


def test_large_arrays_that_are_not_compressed_can_stay_in_the_file(tmp_path: Path) -> None:
    arrays = {"few": np.arange(3), "many": np.arange(100, dtype=np.int32)}
    write_archive(tmp_path / "a.npz", arrays, stored_from=400)
    with Archive(tmp_path / "a.npz") as archive:
        mapped = {name: archive.array(name, mapped=True) for name in archive.names}
        assert not isinstance(archive.array("many"), np.memmap)
    assert isinstance(mapped["many"], np.memmap)
    assert not isinstance(mapped["few"], np.memmap)
    for name, array in arrays.items():
        assert mapped[name].tolist() == array.tolist()
    with np.load(tmp_path / "a.npz") as loaded:
        assert loaded["many"].tolist() == arrays["many"].tolist()


def test_a_damaged_array_is_refused_before_it_is_mapped(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_archive(path, {"many": np.full(100, 77, dtype=np.int32)}, stored_from=0)
    content = path.read_bytes()
    place = content.rindex(np.int32(77).tobytes())
    path.write_bytes(content[:place] + b"\x01" + content[place + 1 :])
    with Archive(path) as archive, pytest.raises(DamagedFileError):
        archive.array("many", mapped=True)
