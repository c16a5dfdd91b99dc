# SPDX-License-Identifier: MIT
"""One rule's function alone, in the process of whoever asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from workflow.running import Workflow

CSV = "work/demo/artifacts/bellogin2017/fig02.csv"
FIG02 = "src/receval/studies/bellogin2017/configuration_bars.py"
SIGNATURE = "def data(inputs: ArtifactInputs) -> pd.DataFrame:\n"


@pytest.fixture(scope="module")
def made(finished: Workflow, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A copy of the finished workflow, whose files may be made again."""
    return finished.copied(tmp_path_factory.mktemp("alone") / "made", with_results=True)


def beginning_with(statement: str, text: str) -> str:
    """Return a module of which ``data`` begins with a statement."""
    assert SIGNATURE in text
    return text.replace(SIGNATURE, f"{SIGNATURE}    {statement}\n")


def test_a_rule_stops_at_a_breakpoint_and_makes_the_same_bytes(made: Workflow) -> None:
    before = (made.folder / CSV).read_bytes()
    (made.folder / CSV).unlink()
    with made.edited({FIG02: beginning_with("breakpoint()", made.read(FIG02))}):
        run = made.run_rule(CSV, typed="p sorted(inputs.experiments)\ncontinue\n")
    assert run.status == 0, run.text
    assert "(Pdb) ['movielens']" in run.text
    assert (made.folder / CSV).read_bytes() == before


def test_what_a_function_raises_goes_to_whoever_asked(made: Workflow) -> None:
    raised = beginning_with('raise ValueError("on purpose")', made.read(FIG02))
    with made.edited({FIG02: raised}):
        run = made.run_rule(CSV)
    assert run.status != 0
    assert "Traceback" in run.text
    assert run.text.rstrip().endswith("ValueError: on purpose")
    assert not (made.folder / CSV).exists()


def test_snakemake_counts_a_file_that_was_made_so_as_made(made: Workflow) -> None:
    assert made.run_rule(CSV).status == 0
    assert "compute_artifact fig02" not in made.run("-n").jobs


def test_a_file_that_no_rule_makes_is_said_by_snakemake(made: Workflow) -> None:
    run = made.run_rule("work/demo/nothing.csv")
    assert run.status != 0
    assert "work/demo/nothing.csv" in run.text
    assert "Traceback" not in run.text
    assert not Path(made.folder / "work/demo/nothing.csv").exists()
