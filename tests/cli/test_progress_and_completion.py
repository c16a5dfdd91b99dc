# SPDX-License-Identifier: MIT
"""What a terminal shows besides results, how the command is completed, and how fast it starts."""

from __future__ import annotations

import subprocess
import sys
from io import StringIO

import pandas as pd
import pytest

from receval.cli.command_parser import SHELLS
from receval.cli.main import COMMANDS, main
from receval.data.ratings_table import read_ratings
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.non_personalised import Popularity, Random
from receval.splits.split_ratings import split

pytestmark = pytest.mark.usefixtures("undrawn")

TABLE = {"user": list("aaabbbcccddd"), "item": list("xyzxyzxyzxyz"), "rating": [5, 1, 4] * 4}


class Terminal(StringIO):
    """Somebody who watches."""

    def isatty(self) -> bool:
        return True


def test_progress_counts_the_trainings_of_all_folds() -> None:
    calls: list[tuple[str, int, int]] = []
    systems = {"Pop": Popularity(), "Random": Random(seed=1)}
    folds = split(read_ratings(TABLE), "k-fold", folds=2)
    evaluate_systems(folds, systems, metrics="RR", progress=lambda *call: calls.append(call))
    assert calls == [("Pop", 0, 4), ("Random", 1, 4), ("Pop", 2, 4), ("Random", 3, 4)]


def test_progress_counts_runs() -> None:
    calls: list[tuple[str, int, int]] = []
    run = {"a": {"x": 2.0, "y": 1.0}}
    evaluate_runs(
        TABLE,
        {"one": run, "other": run},
        metrics="RR",
        depth="whole",
        progress=lambda *call: calls.append(call),
    )
    assert calls == [("one", 0, 2), ("other", 1, 2)]


def test_a_terminal_sees_progress_and_a_pipe_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pd.DataFrame(TABLE).to_csv("r.csv", index=False)
    command = ["evaluate", "r.csv", "--system", "pop", "--split", "user-ratio:train_ratio=0.5"]
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert main(command) == 0
    assert "0/1" in terminal.getvalue()
    assert "pop" in terminal.getvalue()


@pytest.mark.processes
@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_a_script_with_all_commands_and_tasks(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("shtab", reason="shtab is not installed: the extra completion has it")
    with pytest.raises(SystemExit) as stopped:
        main(["--completion", shell])
    assert stopped.value.code == 0
    script = capsys.readouterr().out
    for word in (*COMMANDS, "run-rule", "settings"):
        assert word in script, word
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_without_its_writer_completion_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--completion", "bash"]) == 2
    assert "pip install shtab" in capsys.readouterr().err


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_has_examples(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert "\nexamples:\n  receval " in capsys.readouterr().out
