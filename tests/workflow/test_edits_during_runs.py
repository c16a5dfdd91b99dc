# SPDX-License-Identifier: MIT
"""Code that is edited while a run is at work, and taken back later, makes no result."""

from __future__ import annotations

import pytest
from workflow.edits import with_changed_function, with_changed_words
from workflow.running import FIG02, Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

BARS = "src/reproduction/studies/bellogin2017/configuration_bars.py"
NUMBERS = FIG02.replace(".svg", ".csv")
RANKS = "ml-1m/coin-flip-80/*/ranks.npz"


def test_results_of_code_that_the_run_was_not_planned_with_are_left_out(made: Workflow) -> None:
    (made.folder / NUMBERS).unlink()
    next((made.folder / "work/demo").glob(RANKS)).unlink()
    edited = with_changed_function(made.read(BARS), "data")
    with made.held("*/ranks.npz", "--cores", "1", targets=(NUMBERS,), own=True) as run:
        before = made.read(BARS)
        made._replace(BARS, edited.encode())
    ended = run.end()
    made._replace(BARS, before.encode())
    assert ended.status == 1, ended.text
    assert "configuration_bars was edited during the run" in ended.text
    assert not (made.folder / NUMBERS).exists()
    # As it was planned, nothing else of the run is lost.
    assert made.run("-n", targets=(NUMBERS,)).jobs == {"compute_artifact fig02"}


def test_another_comment_is_no_reason_to_end_a_run(made: Workflow) -> None:
    (made.folder / NUMBERS).unlink(missing_ok=True)
    next((made.folder / "work/demo").glob(RANKS)).unlink()
    with made.held("*/ranks.npz", "--cores", "1", targets=(NUMBERS,), own=True) as run:
        before = made.read(BARS)
        made._replace(BARS, with_changed_words(before).encode())
    ended = run.end()
    made._replace(BARS, before.encode())
    assert ended.status == 0, ended.text
