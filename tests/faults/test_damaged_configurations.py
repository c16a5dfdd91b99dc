# SPDX-License-Identifier: MIT
"""Thousands of damaged configurations (RECEVAL_FAULTS says how many)."""

from __future__ import annotations

import os

import pytest
from config.copied_config import CopiedConfig
from config.damaged_config import check_damaged_configurations

TIMES = int(os.environ.get("RECEVAL_FAULTS", "20000"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_no_damage_ends_in_anything_but_sentences(seed: int, tmp_path) -> None:
    assert check_damaged_configurations(CopiedConfig(tmp_path), TIMES // 2, seed) > 0.2 * TIMES
