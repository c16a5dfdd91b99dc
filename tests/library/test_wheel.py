# SPDX-License-Identifier: MIT
"""The wheel works alone: in an empty folder, with an empty home and no repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mypy import api

pytestmark = [pytest.mark.processes, pytest.mark.repository]

ROOT = Path(__file__).resolve().parents[2]

COMMAND = """
import runpy
import sys

from receval.cli.main import command_parser

command_parser(False)
print("loaded by the parser:", *sys.modules)
sys.argv[1:] = "runs --test test.qrels a.run b.run c.run --metric P@5".split()
try:
    runpy.run_module("receval", run_name="__main__", alter_sys=True)
except SystemExit as ended:
    print("status", ended.code)
print("loaded by the command:", *sys.modules)
"""
"""What ``python -m receval`` does, in a process that goes on, and which modules that loads."""

FIVE_LINES = """
import receval
print("Five lines:", receval.__file__, sep="\\n")
from receval.splits.split_ratings import split
from receval.evaluation.systems import evaluate_systems
from receval.data.ratings_table import read_ratings
from receval.recommenders.non_personalised import Popularity, Random
data = split(read_ratings("ratings.csv"), "user-ratio", train_ratio=0.8, seed=1)
result = evaluate_systems(data, {"Pop": Popularity(), "Random": Random()}, metrics=["P@10"])
print(result)
result.report("own.html")
"""


TYPED = """
# mypy: disallow-any-expr
import receval as rv
def lead(result: rv.EvaluationResult) -> float:
    means = [row.mean / row.users for row in result.average_rows()]
    pairs = result.pair_rows(test="t", effect="cliff", reference="Pop", margin=0.1)
    gains = [row.difference + (row.detectable or 0.0) for row in pairs if row.significant]
    return sum(means + gains) + len("".join(row.letters for row in result.group_rows()))
def gap(grouped: rv.GroupedResult) -> float:
    pairs = [row.p_corrected + row.difference for row in grouped.pair_rows(test="permutation")]
    shares = [row.between / row.over_users for row in grouped.fairness_rows()]
    return sum(pairs + shares + [row.mean * row.users for row in grouped.average_rows()])
def best(tuned: rv.TuningResult) -> float:
    values = [row.value / row.trials for row in tuned.tuned_rows() if row.parameters]
    rises = [row.expected - row.deviation for row in tuned.expected_rows()]
    return sum(values + rises + [row.value for row in tuned.trial_rows() if not row.failure])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the files that the image of the container copies, too."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", source / "src", ignore=ignored)
    # pip would do no more, but looks at its configuration and at its index first.
    build = "from setuptools.build_meta import build_wheel; build_wheel('dist')"
    (source / "dist").mkdir()
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (made,) = (source / "dist").iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an installed wheel: what a wheel holds is what is installed."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def ran(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A folder where a process had the wheel and the environment's packages alone, and its lines.

    One process runs the command first, which chooses the arithmetic, and then the five lines.
    """
    folder = tmp_path_factory.mktemp("empty")
    write_ratings(folder)
    write_runs(folder)
    home = folder / "home"
    home.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND + FIVE_LINES],
        cwd=folder,
        env={
            "HOME": str(home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(installed),
            # A kernel is in the module that uses it: to compile it here would show nothing more.
            "NUMBA_DISABLE_JIT": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stdout.splitlines()


def write_ratings(folder: Path) -> None:
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((40, 25)) < 0.5)
    table = pd.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    table.to_csv(folder / "ratings.csv", index=False)


def write_runs(folder: Path) -> None:
    items = [f"d{number}" for number in range(9)]
    lines = [f"u{user} 0 {item} {user % 2}" for user in range(6) for item in items]
    (folder / "test.qrels").write_text("\n".join(lines) + "\n")
    for seed, name in enumerate(("a.run", "b.run", "c.run")):
        scores = np.random.default_rng(seed).random((6, 9))
        rows = [
            f"u{user} Q0 {item} 0 {scores[user, place]} x"
            for user in range(6)
            for place, item in enumerate(items)
        ]
        (folder / name).write_text("\n".join(rows) + "\n")


def test_everything_that_is_no_program_but_read_by_one_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "receval").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and ".egg-info" not in str(path)
    }
    # Neither the reproduction nor the plug-in of Snakemake.
    assert inside == there


def test_without_the_reproduction_its_command_says_that_it_needs_a_clone(
    installed: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "receval", "repo", "drift"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("receval repo needs a clone of the repository")
    assert done.stderr.count("\n") == 1


def test_the_metadata_say_what_is_needed_and_who_it_is_for(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    needed = [line for line in metadata.get_all("Requires-Dist") or [] if "extra ==" not in line]
    # Nothing that only the reproduction needs.
    assert not any(name in line for line in needed for name in ("snakemake", "typst", "filelock"))
    assert "numpy>=1.26" in needed
    assert metadata["License-Expression"] == "MIT"
    classifiers = metadata.get_all("Classifier") or []
    assert "Programming Language :: Python :: 3.11" in classifiers


def test_an_evaluation_runs_in_an_empty_folder(
    installed: Path, ran: tuple[Path, list[str]]
) -> None:
    folder, printed = ran
    at = printed.index("Five lines:")
    assert Path(printed[at + 1]).is_relative_to(installed)
    assert any("Random" in line for line in printed[at + 2 :])
    assert "P@10" in (folder / "own.html").read_text(encoding="utf-8")


def test_three_runs_are_compared_in_an_empty_folder(ran: tuple[Path, list[str]]) -> None:
    folder, printed = ran
    assert any("Written: receval-runs/" in line for line in printed[: printed.index("status 0")])
    report = (folder / "receval-runs" / "report.html").read_text(encoding="utf-8")
    assert all(name in report for name in ("P@5", "a", "b", "c"))
    assert "<style" in report


def test_the_command_starts_without_numerics_and_runs_without_the_workflow(
    ran: tuple[Path, list[str]],
) -> None:
    _, printed = ran
    (started,) = (set(line.split()) for line in printed if line.startswith("loaded by the parser:"))
    (run,) = (set(line.split()) for line in printed if line.startswith("loaded by the command:"))
    assert "receval.cli.main" in started
    assert not started & {"numpy", "pandas", "pydantic", "yaml", "tqdm"}
    unwanted = {"snakemake", "implicit", "sklearn", "typst", "jinja2", "docutils", "shtab"}
    unwanted |= {"reproduction", "pydantic"}
    assert "receval.evaluation.runs" in run
    assert not run & unwanted


def test_kernels_are_not_kept_among_the_files_that_pip_uninstalls(
    installed: Path, tmp_path: Path
) -> None:
    code = """
from receval.splits.random_splits import ranks_within_groups
print(ranks_within_groups.stats.cache_path)
"""
    environment = {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(tmp_path)}
    printed = subprocess.check_output(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, text=True
    )
    assert Path(printed.strip()).parent == tmp_path / "receval"


@pytest.mark.costly
def test_a_checker_sees_the_columns_of_a_result_without_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With the options of `make types`, and what that keeps: the library is not checked again.
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MYPYPATH", "src")
    (tmp_path / "typed.py").write_text(TYPED, encoding="utf-8")
    done = api.run([str(tmp_path / "typed.py")])
    assert done == ("Success: no issues found in 1 source file\n", "", 0)
