# SPDX-License-Identifier: MIT
"""Raw files with a hundred thousand damages a format: ``make faults``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from faults.raw_damages import one_fault
from faults.raw_samples import Sample, all_samples

INPUTS = int(os.environ.get("RECEVAL_FAULTS", "100000"))
SHOWN = 10


@pytest.mark.slow
@pytest.mark.parametrize("sample", all_samples(), ids=lambda own: own.name.replace(" ", "-"))
def test_damages_are_refused_or_leave_the_other_rows_as_they_are(
    sample: Sample, tmp_path: Path
) -> None:
    wrong = {}
    for seed in range(INPUTS):
        if problem := one_fault(sample, seed, tmp_path):
            wrong[seed] = problem
            if len(wrong) == SHOWN:
                break
    assert not wrong
