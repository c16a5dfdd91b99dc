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
