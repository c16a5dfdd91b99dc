# SPDX-License-Identifier: MIT
"""Three hundred thousand damaged files of ratings, judgments and runs: ``make faults``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from faults.table_damages import SAMPLES, one_fault

INPUTS = int(os.environ.get("RECEVAL_FAULTS", "22000"))
SHOWN = 10


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_a_damaged_table_is_read_whole_or_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    wrong = {}
    for seed in range(INPUTS):
        if problem := one_fault(name, seed, tmp_path):
            wrong[seed] = problem
            if len(wrong) == SHOWN:
                break
    assert not wrong
