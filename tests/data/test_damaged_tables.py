# SPDX-License-Identifier: MIT
"""Some of the damages that ``make faults`` tries by hundreds of thousands."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.table_damages import SAMPLES, one_fault


@pytest.mark.costly
@pytest.mark.parametrize("name", SAMPLES)
def test_a_damaged_table_is_read_whole_or_refused(name: str, tmp_path: Path) -> None:
    assert [problem for seed in range(60) if (problem := one_fault(name, seed, tmp_path))] == []
