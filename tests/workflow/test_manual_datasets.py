# SPDX-License-Identifier: MIT
"""A dataset that has to be got by hand is in the next run once its files are there."""

from __future__ import annotations

import pytest
from workflow.running import Workflow
from yahoo_files import DATASET, YahooFiles


@pytest.mark.processes
@pytest.mark.repository
def test_yahoo_r3_is_in_the_next_run_once_its_files_are_there(untouched: Workflow) -> None:
    # What the jobs make of the files: tests/plan/test_yahoo_r3.py.
    YahooFiles.put_into(untouched.folder / "work/raw" / DATASET)
    offline = {"edition": "full", "network": "off", "local_mirrors": []}
    run = untouched.run("-n", targets=("menamaldonado2021",), changes=offline)
    assert {
        f"fetch_raw {DATASET}",
        f"prepare_ratings {DATASET}",
        "compute_artifact table2",
        "write_table table2",
    } <= run.jobs, run.text
