# SPDX-License-Identifier: MIT
"""Compiled kernels are kept where `pip uninstall` leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

from receval.storage.kernel_cache import folder_of_kernels, njit


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return the folder of a package that pip has installed."""
    (tmp_path / "receval-1.0.0.dist-info").mkdir()
    return tmp_path / "receval"


def test_kernels_of_an_installed_package_are_in_the_cache_of_the_user(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert folder_of_kernels(installed) == str(tmp_path / "cache" / "receval")


def test_an_empty_name_of_the_cache_is_not_the_folder_that_a_person_works_in(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert folder_of_kernels(installed) == ""


def test_kernels_of_a_checkout_are_beside_their_module(tmp_path: Path) -> None:
    assert folder_of_kernels(tmp_path / "src" / "receval") == ""


def test_a_folder_that_numba_was_given_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    kernel = njit(cache=True)(lambda value: value)
    assert Path(kernel.stats.cache_path).parent == tmp_path
    assert str(tmp_path) == numba.config.CACHE_DIR
