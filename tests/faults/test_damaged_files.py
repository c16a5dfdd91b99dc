# SPDX-License-Identifier: MIT
"""Thousands of damages of every stored format (RECEVAL_FAULTS says how many of each)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from storage.stored_formats import FORMATS, check_damages

TIMES = int(os.environ.get("RECEVAL_FAULTS", "10000"))


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_no_damage_is_read_as_something_else(name: str, tmp_path: Path) -> None:
    assert check_damages(name, tmp_path, TIMES, seed=1) > 0.8 * TIMES
