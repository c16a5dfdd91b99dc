# SPDX-License-Identifier: MIT
"""One rule's function alone, in the process of whoever asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from workflow.running import Workflow

CSV = "work/demo/artifacts/bellogin2017/fig02.csv"
FIG02 = "src/reproduction/studies/bellogin2017/configuration_bars.py"
SIGNATURE = "def data(inputs: ArtifactInputs) -> pd.DataFrame:\n"

pytestmark = [pytest.mark.processes, pytest.mark.repository]


def beginning_with(statement: str, text: str) -> str:
    """Return a module of which ``data`` begins with a statement."""
    assert SIGNATURE in text
    return text.replace(SIGNATURE, f"{SIGNATURE}    {statement}\n")


def test_a_rule_stops_at_a_breakpoint_and_makes_the_same_bytes_which_count_as_made(
    made: Workflow,
) -> None:
    before = (made.folder / CSV).read_bytes()
    (made.folder / CSV).unlink()
    edited = beginning_with("breakpoint()", made.read(FIG02))
    with made.edited({FIG02: edited}):
        run = made.run_rule(CSV, typed="p sorted(inputs.experiments)\ncontinue\n")
    assert run.status == 0, run.text
    assert "(Pdb) ['movielens']" in run.text
    assert (made.folder / CSV).read_bytes() == before
    # A breakpoint is an edit, and what was made so is of the edited code.
    with made.edited({FIG02: edited}):
        assert "compute_artifact fig02" not in made.run("-n").jobs
    assert "compute_artifact fig02" in made.run("-n").jobs


def test_what_a_function_raises_goes_to_whoever_asked(made: Workflow) -> None:
    (made.folder / CSV).unlink()
    raised = beginning_with('raise ValueError("on purpose")', made.read(FIG02))
    with made.edited({FIG02: raised}):
        run = made.run_rule(CSV)
    assert run.status != 0
    assert "Traceback" in run.text
    assert run.text.rstrip().endswith("ValueError: on purpose")
    assert not (made.folder / CSV).exists()


def test_a_file_that_no_rule_makes_is_said_by_snakemake(made: Workflow) -> None:
    run = made.run_rule("work/demo/nothing.csv")
    assert run.status != 0
    assert "work/demo/nothing.csv" in run.text
    assert "Traceback" not in run.text
    assert not Path(made.folder / "work/demo/nothing.csv").exists()
