# SPDX-License-Identifier: MIT
"""The recipes of CONTRIBUTING.md work: carried out in a copy of the repository, step by step.

The copy gets the examples of docs/recipes.md, which name the file that each block goes to. The
copy's own tests and commands then say whether anything is missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from documents.recipes import RECIPES, ROOT, blocks, steps

COPIED = (
    *("Snakefile", "Makefile", "README.md", "CONTRIBUTING.md", "pyproject.toml"),
    *("config", "docs", "envs", "profiles", "src", "tests", "workflow"),
)

ONLY_READ = {
    "src/reproduction/datasets/spec.py",
    "src/reproduction/publishing/metric_cards.py",
    "src/reproduction/config/studies.py",
}
"""Files that a recipe names because they explain something."""

ONLY_SOMETIMES = {
    "tests/datasets/test_datasets_config.py",
    "docs/datasets.md",
    "config/drift.yaml",
    "config/display.yaml",
}
"""Files that some additions need, but not the example."""

BY_COMMAND = {"metrics": "docs/metrics.md", "studies": "docs/studies.md"}
"""Pages that tasks of ``receval repo`` write."""

MOST_FILES = 3

TESTS = (
    ("tests/datasets/test_star_lines.py", "tests/datasets/test_datasets_config.py"),
    ("tests/datasets/test_damaged_files.py",),
    ("tests/simulation/test_twins_config.py", "tests/simulation/test_twin_files.py"),
    ("tests/simulation/test_round_trip.py",),
    ("tests/recommenders/test_harness.py", "tests/documents/test_examples.py"),
    ("tests/metrics/test_against_brute_force.py",),
    ("tests/metrics/test_labels.py", "tests/publishing/test_metric_cards.py"),
    ("tests/studies/test_table4_of_bellogin2017.py", "tests/studies/test_fig10_of_bellogin2017.py"),
    ("tests/documents/test_glossary.py",),
    ("tests/config/test_named_code.py",),
)
"""Tests of the copy that look at what was added."""

PAGES_AND_TESTS = """
import sys

from receval.cli.main import main

assert main(["repo", "metrics"]) == main(["repo", "studies"]) == 0

import pytest

sys.exit(pytest.main(sys.argv[1:]))
"""
"""Writes the two pages, as the recipes say, and tests."""

CHOSEN = (
    "film or star_lines or AntiPopularity or anti_pop or Complete or sources or table4 or fig10 "
    "or registry or word or cards or bellogin2017"
)


def named_in(recipe: str) -> dict[str, re.Pattern[str]]:
    """Return the files that a recipe names, with what stands for them."""
    text = steps(recipe)
    found = re.findall(r"`((?:src|config|tests|docs)/[\w./<>-]+)`", text)
    wild = {path: re.sub(r"<\w+>", "@", path) for path in found if Path(path).suffix}
    return {p: re.compile(re.escape(w).replace("@", r"\w+")) for p, w in wild.items()}


@pytest.mark.each("recipe", RECIPES)
def test_the_example_writes_the_files_that_the_recipe_names(recipe: str) -> None:
    named = named_in(recipe)
    written = [block.path for block in blocks(recipe)]
    assert 0 < len(set(written)) <= MOST_FILES
    by_command = {
        page for name, page in BY_COMMAND.items() if f"receval repo {name}" in steps(recipe)
    }
    missing = [
        path
        for path, pattern in named.items()
        if path not in ONLY_READ | ONLY_SOMETIMES | by_command
        and not any(pattern.fullmatch(each) for each in written)
    ]
    assert missing == [], "docs/recipes.md leaves out steps of CONTRIBUTING.md."
    unnamed = [w for w in written if not any(p.fullmatch(w) for p in named.values())]
    assert unnamed == [], "CONTRIBUTING.md leaves out steps of docs/recipes.md."


@pytest.mark.each("recipe", RECIPES)
def test_the_recipe_names_the_lists_that_the_example_adds_to(recipe: str) -> None:
    for block in blocks(recipe):
        if block.name:
            flat = re.sub(r"\s+", " ", steps(recipe))
            assert f"`{block.name}` of `{block.path}`" in flat, block.name


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which all recipes have been carried out."""
    folder = tmp_path_factory.mktemp("copy")
    unfinished = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=unfinished)
        else:
            shutil.copy2(ROOT / name, folder / name)
    for recipe in RECIPES:
        for block in blocks(recipe):
            block.put_into(folder)
    return folder


def run(folder: Path, *command: str) -> str:
    """Run a Python program in the copy, with the copy's library, and return what it says."""
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.repository
@pytest.mark.processes
def test_what_was_added_passes_the_tests_of_the_copy(copy: Path) -> None:
    files = [file for group in TESTS for file in group]
    options = ("-p", "no:cacheprovider", "-rA", "-k", CHOSEN)
    said = run(copy, "-c", PAGES_AND_TESTS, *options, *files)
    for part in (
        *("film.club", "test_star_lines", "test_round_trip.*film", "test_twin_files.*film"),
        *("test_harness.*AntiPopularity", "test_examples_run.*anti_popularity"),
        *("test_against_brute_force.*Complete", "table4", "fig10", "registry", "words"),
    ):
        assert re.search(rf"^PASSED .*{part}", said, re.MULTILINE), f"No test of {part} ran: {said}"


@pytest.mark.repository
@pytest.mark.processes
def test_what_was_added_is_in_style(copy: Path) -> None:
    added = [block.path for recipe in RECIPES for block in blocks(recipe) if not block.name]
    modules = [path for path in added if path.endswith(".py") and not (ROOT / path).exists()]
    assert len(modules) == 9
    run(copy, "-m", "ruff", "check", *modules)
    run(copy, "-m", "ruff", "format", "--check", *modules)


@pytest.mark.repository
@pytest.mark.processes
def test_the_workflow_makes_the_artifacts_that_were_added(copy: Path) -> None:
    folder = copy / "work" / "demo" / "artifacts" / "bellogin2017"
    wanted = [str((folder / name).relative_to(copy)) for name in ("table4.md", "fig10.svg")]
    offline = ("--config", "edition=demo", "network=off", "local_mirrors=[]")
    run(copy, "-m", "snakemake", "--cores", "1", *wanted, *offline)
    table = pd.read_csv(folder / "table4.csv")
    assert set(table["system"]) == {"pop", "anti-pop"}
    assert set(table["dataset"]) == {"film-club"}
    values = table.set_index("system")["value"]
    assert values["pop"] > values["anti-pop"]
    assert "Complete lists" in (folder / "table4.md").read_text(encoding="utf-8")
    curves = pd.read_csv(folder / "fig10.csv").set_index(["system", "cutoff"])["value"]
    assert (curves["pop"] > curves["anti-pop"]).all()
