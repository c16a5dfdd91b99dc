# SPDX-License-Identifier: MIT
"""Files are written beside and put in place, and never through what somebody has put there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from receval.storage.files import replacing, write_atomically


def test_what_is_being_written_has_a_name_that_nobody_can_foretell(tmp_path: Path) -> None:
    names = set()
    for _ in range(2):
        with replacing(tmp_path / "page.html") as temporary:
            names.add(temporary.name)
            assert temporary.parent == tmp_path
            assert temporary.is_file()
    assert len(names) == 2
    assert f".page.html.{os.getpid()}.part" not in names


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other, link = tmp_path / "thesis.tex", tmp_path / "page.html"
    other.write_bytes(b"mine")
    link.symlink_to(other)
    write_atomically(link, "page")
    assert other.read_bytes() == b"mine"
    assert not link.is_symlink()


def test_a_file_that_cannot_be_written_is_called_by_its_own_name(tmp_path: Path) -> None:
    target = Path("/proc/page.html")
    with pytest.raises(OSError, match="page") as caught:
        write_atomically(target, "page")
    assert caught.value.filename == str(target)


def test_a_link_with_the_name_of_what_is_being_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "thesis.tex"
    other.write_bytes(b"mine")
    monkeypatch.setattr("secrets.token_hex", lambda _: "00")
    (tmp_path / ".page.html.00.part").symlink_to(other)
    with pytest.raises(FileExistsError):
        write_atomically(tmp_path / "page.html", "page")
    assert other.read_bytes() == b"mine"
