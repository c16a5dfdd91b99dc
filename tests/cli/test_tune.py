# SPDX-License-Identifier: MIT
"""The command ``tune``: one folder with tuning and evaluation, which a killed run completes."""

from __future__ import annotations

import json
import signal
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.cli.main import main
from receval.cli.tune import named_grids, system_text, values_to_try

pytest.importorskip("sklearn", reason="scikit-learn is not installed: the extra sklearn has it")

pytestmark = pytest.mark.usefixtures("unrendered")


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((60, 40)) < np.linspace(0.6, 0.1, 40))
    values = rng.integers(1, 6, len(users))
    pd.DataFrame({"user": users, "item": items, "rating": values}).to_csv("r.csv", index=False)


KNN = ["--system", "user-knn", "--grid", "neighbours=5,20,50"]


def same_files(one: str, other: str) -> None:
    assert {p.name for p in Path(one).iterdir()} == {p.name for p in Path(other).iterdir()}
    for path in Path(one).iterdir():
        assert path.read_bytes() == Path(other, path.name).read_bytes(), path.name


@pytest.mark.costly
def test_the_command_writes_tuning_and_evaluation_and_repeats(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tune", "r.csv", *KNN, "--jobs", "1", "--out", "one"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("Best settings:\n  user-knn:neighbours=")
    assert "(tuned-systems)" in told.err
    names = {path.name for path in Path("one").iterdir()}
    assert {"averages.csv", "trials.csv", "tuning.svg", "tuning.md", "report.html"} <= names
    assert pd.read_csv("one/trials.csv")["value"].notna().sum() == 3
    again = ["--settings", "one/settings.json", "--jobs", "1", "--out", "two"]
    assert main(["tune", *again]) == 0
    same_files("one", "two")


@pytest.mark.costly
def test_best_settings_are_those_that_evaluate_takes(capsys: pytest.CaptureFixture[str]) -> None:
    grids = ["--grid", "mf:factors=2,3", "--grid", "mf:iterations=3"]
    assert main(["tune", "r.csv", *grids, "--jobs", "1", "--out", "one"]) == 0
    best = capsys.readouterr().out.splitlines()[1].strip()
    assert main(["evaluate", "r.csv", "--system", best, "--out", "two"]) == 0
    one, two = (pd.read_csv(f"{name}/averages.csv")["mean"] for name in ("one", "two"))
    assert one.tolist() == two.tolist()


@pytest.mark.processes
@pytest.mark.costly
# Python warns of forks of programs with threads; the child uses none of them.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_killed_command_goes_on_from_its_folder_with_the_same_bytes() -> None:
    factors = ",".join(map(str, range(2, 20)))
    grid = ["--grid", f"mf:factors={factors}", "--grid", "mf:iterations=40"]
    command = ["tune", "r.csv", *grid, "--metric", "nDCG@10", "--quiet"]
    assert main([*command, "--jobs", "1", "--out", "whole"]) == 0
    kept = Path("trials", "trials")
    killed = [*command, "--jobs", "2", "--resume-folder", "trials", "--out", "killed"]
    process = get_context("fork").Process(target=main, args=[killed])
    process.start()
    while len(list(kept.glob("*.json"))) < 2:
        assert process.is_alive()
        time.sleep(0.005)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    before = {path.name: path.read_bytes() for path in kept.glob("*.json")}
    assert 2 <= len(before) < 18
    assert not Path("killed").exists()
    resumed = [*command, "--jobs", "2", "--resume-folder", "trials", "--out", "resumed"]
    assert main(resumed) == 0
    same_files("whole", "resumed")
    after = {path.name: path.read_bytes() for path in kept.glob("*.json")}
    assert len(after) == 18
    assert before.items() <= after.items()


@pytest.mark.costly
def test_times_are_a_file_of_their_own_on_request() -> None:
    assert main(["tune", "r.csv", *KNN, "--jobs", "1", "--times", "--out", "one"]) == 0
    assert (pd.read_csv("one/times.csv")["seconds"] > 0).all()
    kept = json.loads(Path("one/settings.json").read_text(encoding="utf-8"))
    assert kept["arguments"]["times"] is True


@pytest.mark.costly
def test_tuned_systems_are_compared_as_the_command_is_told() -> None:
    command = ["tune", "r.csv", "--grid", "user-knn:neighbours=5,9", "--jobs", "1"]
    how = ["--system", "pop", "--reference", "pop", "--significance-test", "t", "--methods"]
    assert main([*command, *how, "--out", "one"]) == 0
    pairs = pd.read_csv("one/pairs.csv")
    assert set(pairs["second"]) == {"pop"}
    assert set(pairs["method"]) == {"t"}
    assert "Tuned by nDCG@10" in Path("one/report.html").read_text(encoding="utf-8")
    assert main(["tune", "--settings", "one/settings.json", "--jobs", "1", "--out", "two"]) == 0
    same_files("one", "two")


@pytest.mark.costly
def test_an_untuned_system_is_refused_in_strict_mode(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["tune", "r.csv", "--grid", "user-knn:neighbours=5,9", "--jobs", "1", "--strict"]
    assert main([*command, "--system", "pop", "--out", "one"]) == 0
    assert main([*command, "--system", "puresvd:factors=3", "--out", "two"]) == 2
    assert "nothing says that puresvd:factors=3 was" in capsys.readouterr().err


def test_grids_are_of_the_systems_that_they_name() -> None:
    names, grids = named_grids(["mf:first=items", "pop"], ["mf:factors=5,9", "user-knn:a=1"])
    assert names == ["mf:first=items", "pop", "user-knn"]
    assert grids == {"mf:first=items": {"factors": "5,9"}, "user-knn": {"a": "1"}}
    assert system_text("mf:first=items", {"factors": 5}) == "mf:first=items,factors=5"


def test_distributions_have_both_ends() -> None:
    assert values_to_try("uniform(2,4)").support() == (2, 4)
    assert values_to_try("loguniform( 0.1 , 10)").support() == pytest.approx((0.1, 10))
    assert values_to_try("integers(2,4)").support() == (2, 4)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "give --grid"),
        (["--grid", "neighbours=5"], "no system is named. Write for example 'user-knn:neighb"),
        (["--system", "pop", "--system", "mf", "--grid", "factors=5"], "there are 2 systems"),
        (["--system", "mf", "--grid", "factors"], "is not a parameter with values"),
        (["--system", "mf", "--grid", "factors=1", "--grid", "factors=2"], "Two grids have values"),
        (["--system", "mf", "--grid", "factors=half(1,2)"], "is no distribution. Write uniform"),
        (["--system", "mf", "--grid", "factors=integers(1.5,2)"], "must be whole numbers"),
        (["--system", "mf", "--grid", "alpha=loguniform(0,2)"], "numbers above 0, the lower one"),
        (["--system", "mf", "--grid", "alpha=uniform(2,1)"], "the lower one first"),
        (
            ["--system", "mf", "--grid", "alpha=uniform(1,2)"],
            "(in a command: --budget)",
        ),
        (["--system", "mf", "--grid", "factorz=1,2"], "has no parameter 'factorz'"),
        (["--system", "mff", "--grid", "factors=1,2"], "There is no system 'mff'"),
        (["--grid", "mf:factors=1", "--budget", "0"], "is not a whole number of 1 or more"),
        (["--grid", "mf:factors=1", "--jobs", "none"], "is not a whole number of 1 or more"),
        (["--grid", "mf:factors=1", "--dialect", "recbole"], "Name the metric of the dialect"),
        (["--grid", "mf:factors=1", "--validation", "half"], "There is no kind of split 'half'"),
    ],
)
def test_bad_arguments_give_one_sentence(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", "r.csv", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert told in line
    assert not Path("receval-tune").exists()
