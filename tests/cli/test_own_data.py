# SPDX-License-Identifier: MIT
"""Commands for data of one's own work in any folder, and say what is wrong in a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval import __version__
from receval.cli.evaluate import SYSTEMS, named_system
from receval.cli.main import main
from receval.cli.runs import named_runs

FILES = {
    "averages.csv", "averages.md", "averages.svg", "averages.tex", "groups.csv", "pairs.csv",
    "pairs.md", "pairs.tex", "per_user.csv", "report.html", "settings.json",
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is no repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_ratings() -> None:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((40, 25)) < 0.5)
    values = rng.integers(1, 6, len(users))
    pd.DataFrame({"user": users, "item": items, "rating": values}).to_csv("r.csv", index=False)


def write_runs() -> None:
    items = [f"d{number}" for number in range(9)]
    lines = [f"u{user} 0 {item} {user % 2}" for user in range(6) for item in items]
    Path("test.qrels").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for seed, name in enumerate(("a.run", "b.run")):
        scores = np.random.default_rng(seed).random((6, 9))
        rows = [
            f"u{user} Q0 {item} 0 {scores[user, place]} x"
            for user in range(6)
            for place, item in enumerate(items)
        ]
        Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_evaluate_writes_one_folder(capsys: pytest.CaptureFixture[str]) -> None:
    write_ratings()
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
    assert settings["receval"] == __version__
    assert settings["command"] == "evaluate"
    assert settings["arguments"]["system"] == ["pop", "user-knn:neighbours=5"]
    assert settings["result"]["relevant"] == 4


def test_the_same_command_writes_the_same_bytes() -> None:
    write_ratings()
    for out in ("one", "other"):
        main(["evaluate", "r.csv", "--system", "pop", "--system", "random", "--out", out])
    for name in FILES:
        assert Path("one", name).read_bytes() == Path("other", name).read_bytes(), name


def test_runs_are_named_by_their_files_or_by_the_caller(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_runs()
    command = ["runs", "--test", "test.qrels", "a.run", "mine=b.run", "--metric", "MAP"]
    assert main([*command, "--report", "page.html"]) == 0
    averages = pd.read_csv("receval-runs/averages.csv")
    assert averages["system"].tolist() == ["a", "mine"]
    assert Path("page.html").read_bytes() == Path("receval-runs/report.html").read_bytes()
    assert "AP" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evaluate", "none.csv"], "none.csv: there is no such file"),
        (["evaluate", "r.csv", "--system", "popp"], "no system 'popp'; did you mean pop?"),
        (["evaluate", "r.csv", "--system", "pop:size=2"], "Popularity has no parameter 'size'"),
        (["evaluate", "r.csv", "--system", "pop:2"], "'2' is no parameter=value"),
        (["evaluate", "r.csv", "--split", "k-folds"], "no kind of split 'k-folds'; did you mean"),
        (["evaluate", "r.csv", "--user", "who"], "no column 'who' for user; it has user, item, ra"),
        (["evaluate", "r.csv", "--relevant", "7"], "No test rating reaches 7"),
        (["runs", "--test", "test.qrels", "a.run", "./a.run"], "Two runs are called a"),
        (["runs", "--test", "test.qrels", "a.run", "--metric", "PP@3"], "no metric 'PP'; did you"),
        (["evaluate", "r.csv", "--protocol", "AX TI-AN"], "no protocol 'AX TI-AN'; did you mean"),
        (["evaluate", "r.csv", "--users", "some"], "invalid choice: 'some' (choose from 'auto'"),
        (["evaluate", "r.csv", "--colour", "red"], "unrecognized arguments: --colour red"),
        (["runs", "--test", "none.qrels", "a.run"], "none.qrels: there is no such file"),
        (["runs", "--test", "test.qrels", "none.run"], "none.run: there is no such file"),
        (
            ["runs", "--test", "test.qrels", "a.run", "--train", "no.csv"],
            "no.csv: there is no such",
        ),
        (
            ["runs", "--test", "test.qrels", "a.run", "--seed", "x"],
            "it is 'x', and must be",
        ),
        (
            ["runs", "--test", "r.csv", "a.run"],
            "No user of the run 'a' is known to the test data. Here",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_status_two(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_ratings()
    write_runs()
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out
    assert not list(Path().glob("receval-*"))


def test_what_looks_wrong_is_told_as_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    write_runs()
    lines = Path("a.run").read_text(encoding="utf-8").splitlines()
    flat = [" ".join([*line.split()[:4], "1", "x"]) for line in lines]
    Path("flat.run").write_text("\n".join(flat) + "\n", encoding="utf-8")
    assert main(["runs", "--test", "test.qrels", "flat.run"]) == 0
    assert "Note: flat.run has one score for all items, 1" in capsys.readouterr().err


def test_strict_refuses_what_may_mislead_and_writes_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_runs()
    lines = Path("a.run").read_text(encoding="utf-8").splitlines()
    flat = [" ".join([*line.split()[:4], "1", "x"]) for line in lines]
    Path("flat.run").write_text("\n".join(flat) + "\n", encoding="utf-8")
    assert main(["runs", "--test", "test.qrels", "flat.run", "--strict"]) == 2
    assert "(equal-scores, refused as strict" in capsys.readouterr().err
    assert not list(Path().glob("receval-*"))
    assert main(["runs", "--test", "test.qrels", "a.run", "--strict"]) == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_named_system_is_made(name: str) -> None:
    assert callable(named_system(name, seed=1).fit)


@pytest.mark.processes
def test_the_module_is_the_command() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "receval", "--version"], capture_output=True, text=True, check=True
    )
    assert found.stdout == f"receval {__version__}\n"


def test_the_name_of_a_run_may_have_a_slash_and_a_path_an_equals_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k=5").mkdir()
    for name in ("m.run", "k=5/n.run"):
        (tmp_path / name).touch()
    assert named_runs(["ours/v2=m.run", "k=5/n.run"]) == {"ours/v2": "m.run", "n": "k=5/n.run"}
    assert named_runs(["lost/k=5/n.run"]) == {"n": "lost/k=5/n.run"}
