# SPDX-License-Identifier: MIT
"""Eighty damages of each raw format; ``make faults`` tries a hundred thousand."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasets.registry_entries import registry
from faults.raw_damages import one_fault
from faults.raw_samples import Sample, all_samples

INPUTS = 80
SAMPLES = all_samples()


def test_every_parser_of_the_registry_has_a_sample() -> None:
    parsers = {variant.parser for entry in registry().values() for variant in entry.variants}
    assert parsers == {sample.parser for sample in SAMPLES}


@pytest.mark.costly
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name.replace(" ", "-"))
def test_damages_are_refused_or_leave_the_other_rows_as_they_are(
    sample: Sample, tmp_path: Path
) -> None:
    wrong = {
        seed: problem for seed in range(INPUTS) if (problem := one_fault(sample, seed, tmp_path))
    }
    assert not wrong


@pytest.mark.each("sample", SAMPLES, ids=lambda sample: sample.name.replace(" ", "-"))
def test_the_good_file_has_one_row_or_more_of_each_record(sample: Sample, tmp_path: Path) -> None:
    rows = sample.rows_by_record(tmp_path)
    assert len({frozenset(one) for one in rows}) == len(sample.records)
