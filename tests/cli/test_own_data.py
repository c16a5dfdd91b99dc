# SPDX-License-Identifier: MIT
"""Commands for data of one's own work in any folder, and say what is wrong in a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from cli.random_tables import random_ratings, write_ratings_and_runs

import receval as rv
from receval import __version__
from receval.cli.evaluate import SYSTEMS, named_system
from receval.cli.main import main
from receval.cli.runs import named_runs

FILES = {
    "averages.csv", "averages.md", "averages.svg", "averages.tex", "distribution.csv",
    "distribution.svg", "groups.csv", "pairs.csv", "pairs.md", "pairs.tex", "per_user.csv",
    "report.html", "settings.json",
}  # fmt: skip


def test_evaluate_writes_one_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.csv").write_text(random_ratings(40, 25, 0.5), encoding="utf-8")
    arguments = ["evaluate", "r.csv", "--system", "pop", "--system", "user-knn:neighbours=5"]
    assert main([*arguments, "--metric", "MRR", "--metric", "ndcg@5", "--out", "mine"]) == 0
    assert {path.name for path in Path("mine").iterdir()} == FILES
    printed = capsys.readouterr().out
    assert "user-knn:neighbours=5" in printed
    assert "Written: mine/" in printed
    averages = pd.read_csv("mine/averages.csv")
    assert averages["metric"].unique().tolist() == ["RR", "nDCG@5"]
    assert averages["users"].unique().tolist() == [40]
    settings = json.loads(Path("mine/settings.json").read_text(encoding="utf-8"))
    assert settings["result"]["relevant"] == 4


@pytest.mark.usefixtures("undrawn")
def test_lists_of_systems_and_runs_are_written_where_they_are_asked_for() -> None:
    Path("r.csv").write_text(random_ratings(40, 25, 0.5), encoding="utf-8")
    split = rv.split(rv.read_ratings("r.csv"), "user-ratio", train_ratio=0.8, seed=1)
    wanted = rv.evaluate(split, {"pop": rv.Popularity()}, lists=3).lists()
    wanted.assign(score=wanted["score"] + 1)[["user", "item", "score"]].to_csv("mine.csv")
    arguments = ["evaluate", "r.csv", "--system", "pop", "--run", "mine.csv", "--metric", "P@3"]
    assert main([*arguments, "--lists", "3", "--out", "mine"]) == 0
    found = pd.read_csv("mine/lists.csv")
    for name in ("pop", "mine"):
        own = found[found["system"] == name]
        for column in ("user", "rank", "item"):
            assert own[column].astype(str).tolist() == wanted[column].astype(str).tolist()


@pytest.mark.usefixtures("undrawn")
def test_runs_are_named_by_their_files_or_by_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings_and_runs()
    command = ["runs", "--test", "test.qrels", "a.run", "mine=b.run", "--metric", "MAP"]
    assert main([*command, "--report", "page.html"]) == 0
    averages = pd.read_csv("receval-runs/averages.csv")
    assert averages["system"].tolist() == ["a", "mine"]
    assert Path("page.html").read_bytes() == Path("receval-runs/report.html").read_bytes()
    assert "AP" in capsys.readouterr().out


@pytest.mark.usefixtures("undrawn")
def test_what_may_mislead_is_told_and_refused_where_strict_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_ratings_and_runs()
    lines = Path("a.run").read_text(encoding="utf-8").splitlines()
    flat = [" ".join([*line.split()[:4], "1", "x"]) for line in lines]
    Path("flat.run").write_text("\n".join(flat) + "\n", encoding="utf-8")
    assert main(["runs", "--test", "test.qrels", "flat.run", "--strict"]) == 2
    assert "(equal-scores, refused in strict mode" in capsys.readouterr().err
    assert not list(Path().glob("receval-*"))
    assert main(["runs", "--test", "test.qrels", "flat.run"]) == 0
    assert "Note: flat.run has the same score for all items, 1" in capsys.readouterr().err
    assert main(["runs", "--test", "test.qrels", "a.run", "--strict"]) == 0


@pytest.mark.each("name", SYSTEMS)
def test_every_named_system_is_made(name: str) -> None:
    system = named_system(name)
    assert callable(system.fit)
    # The library's class has the same defaults.
    assert system.parameters == type(system)().parameters


@pytest.mark.processes
def test_the_module_is_the_command() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "receval", "--version"], capture_output=True, text=True, check=True
    )
    assert found.stdout == f"receval {__version__}\n"


def test_the_name_of_a_run_may_have_a_slash_and_a_path_an_equals_sign(tmp_path: Path) -> None:
    (tmp_path / "k=5").mkdir()
    for name in ("m.run", "k=5/n.run"):
        (tmp_path / name).touch()
    assert named_runs(["ours/v2=m.run", "k=5/n.run"]) == {"ours/v2": "m.run", "n": "k=5/n.run"}
    assert named_runs(["lost/k=5/n.run"]) == {"n": "lost/k=5/n.run"}
