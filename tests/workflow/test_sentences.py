# SPDX-License-Identifier: MIT
"""A run that may not begin says so in one sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from workflow.running import FIG02, HERE, Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

TABLE = "work/demo/artifacts/bellogin2017/table3.csv"
"""A file of one job, which needs no data."""


def test_a_second_run_is_refused(made: Workflow) -> None:
    (made.folder / TABLE).unlink()
    with made.held("*/table3.csv", "--cores", "1", targets=(TABLE,)) as first:
        second = made.start("--cores", "1", targets=(TABLE,), as_shown=True).end(60)
    run = first.end(60)
    assert second.status == 1, second.text
    # Besides, the profile and the datasets.
    *_, said = second.text.splitlines()
    assert len(second.text.splitlines()) == 3, second.text
    assert said.startswith("Another run is working in this folder. ")
    assert run.status == 0, run.text


@pytest.mark.parametrize("pattern", ["*/ranks.npz", "*/run.json"])
def test_a_full_disk_ends_the_run_with_one_sentence_and_the_status_2(
    made: Workflow, pattern: str
) -> None:
    for name in ("ml-1m/coin-flip-80/*/ranks.npz", "artifacts/bellogin2017/fig02.*"):
        for path in Path(made.folder, "work/demo").glob(name):
            path.unlink()
    variables = {"RECEVAL_TEST_FULL": pattern}
    run = made.run("--cores", "2", targets=(FIG02,), variables=variables, as_shown=True)
    assert run.status == 2, run.text
    assert run.text.count("no space left on the disk") + run.text.count("No space left") == 1


def test_libraries_that_pythonpath_puts_before_those_of_the_environment_end_the_run(
    made: Workflow, tmp_path: Path
) -> None:
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy" / "__init__.py").touch()
    paths = (HERE / "interference", made.folder / "src", tmp_path)
    run = made.run("-n", variables={"PYTHONPATH": os.pathsep.join(map(str, paths))}, as_shown=True)
    assert run.status != 0, run.text
    assert run.text.count(f"numpy from {tmp_path}. The results") == 1
    assert "Traceback" not in run.text
