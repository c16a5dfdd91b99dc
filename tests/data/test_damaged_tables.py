# SPDX-License-Identifier: MIT
"""Some of the damages that ``make faults`` tries by hundreds of thousands."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.table_damages import SAMPLES, one_fault

from receval.data import text_lines


@pytest.mark.costly
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("first", [text_lines._FIRST_PIECE, 50])
def test_a_damaged_table_is_read_whole_or_refused(
    name: str, first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A small first piece ends anywhere, such as within quotes.
    monkeypatch.setattr(text_lines, "_FIRST_PIECE", first)
    assert [problem for seed in range(40) if (problem := one_fault(name, seed, tmp_path))] == []


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("a.npz", 77_000_014),  # a place before the beginning of the archive
        ("a.npz", 88_001_362),  # an array that ends before its header says
        ("a.npz", 312_003_211),  # the mark of a password
        ("a.parquet", 99_000_038),  # a code beyond the texts of its column
        ("a.parquet", 99_000_418),  # a column with two names
        ("a.parquet", 99_101_272),  # a name that is no text
        ("a.parquet", 99_101_457),  # a size at which Arrow ended the process
    ],
)
def test_damage_that_was_once_an_error_of_another_library_is_refused(
    name: str, seed: int, tmp_path: Path
) -> None:
    assert one_fault(name, seed, tmp_path) is None
