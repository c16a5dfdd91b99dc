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
    "src/receval/datasets/spec.py",
    "src/receval/metrics/cards.py",
    "src/receval/config/studies.py",
}
"""Files that a recipe names because they explain something."""

ONLY_SOMETIMES = {"config/simulations.yaml"}
"""Files that the example needs not, as most do."""

TESTS = (
    ("tests/datasets/test_film_club.py", "tests/datasets/test_datasets_config.py"),
    ("tests/datasets/test_damaged_files.py",),
    ("tests/simulation/test_twins_config.py",),
    ("tests/recommenders/test_harness.py", "tests/recommenders/test_closed_forms.py"),
    ("tests/metrics/test_against_brute_force.py", "tests/metrics/test_hand_worked.py"),
    ("tests/metrics/test_labels.py", "tests/metrics/test_cards.py"),
    ("tests/studies/test_success_of_bellogin2017.py",),
    ("tests/documents/test_glossary.py", "tests/documents/test_guides.py"),
    ("tests/config/test_named_code.py",),
)
"""Tests of the copy that look at what was added."""

METRICS_AND_TESTS = """
import sys
from pathlib import Path

from receval.cli import main

assert main(["repo", "metrics"]) == 0

import pytest

from receval.config.settings import load_settings

print("keys of drift:", *load_settings(Path("config"), "demo").drift.keys)
sys.exit(pytest.main(sys.argv[1:]))
"""
"""Writes the cards of the metrics, as a recipe says, shows the keys that drift knows, and tests."""

CHOSEN = (
    "film or rarity or Rarity or Success or success or sources or shares or registry "
    "or table_of_studies or word or cards"
)


def named_in(recipe: str) -> dict[str, re.Pattern[str]]:
    """Return the files that a recipe names, with what stands for them."""
    text = steps(recipe)
    found = re.findall(r"`((?:src|config|tests|docs)/[\w./<>-]+)`", text)
    wild = {path: re.sub(r"<\w+>", "@", path) for path in found if Path(path).suffix}
    return {p: re.compile(re.escape(w).replace("@", r"\w+")) for p, w in wild.items()}


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_example_writes_the_files_that_the_recipe_names(recipe: str) -> None:
    named = named_in(recipe)
    written = [block.path for block in blocks(recipe) if block.path != "docs/glossary.md"]
    assert written
    by_command = {"docs/metrics.md"} if "receval repo metrics" in steps(recipe) else set()
    missing = [
        path
        for path, pattern in named.items()
        if path not in ONLY_READ | ONLY_SOMETIMES | by_command
        and not any(pattern.fullmatch(each) for each in written)
    ]
    assert missing == [], "docs/recipes.md leaves out steps of CONTRIBUTING.md."
    unnamed = [w for w in written if not any(p.fullmatch(w) for p in named.values())]
    assert unnamed == [], "CONTRIBUTING.md leaves out steps of docs/recipes.md."


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_recipe_names_the_lists_that_the_example_adds_to(recipe: str) -> None:
    for block in blocks(recipe):
        if block.name:
            flat = re.sub(r"\s+", " ", steps(recipe))
            assert f"`{block.name}` of `{block.path}`" in flat, block.name


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which all four recipes have been carried out."""
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
    studies = folder / "docs" / "studies.md"
    row = re.compile(r"^(\| `bellogin2017` \|.*) \|$", flags=re.MULTILINE)
    text, found = row.subn(r"\1, `table4`, `table5` |", studies.read_text(encoding="utf-8"))
    assert found == 1
    studies.write_text(text, encoding="utf-8")
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
    said = run(copy, "-c", METRICS_AND_TESTS, *options, *files)
    # Whole numbers that no key names are counts, of which drift allows no other value.
    assert re.search(r"^keys of drift:.* least_percent\b", said, re.MULTILINE)
    for part in ("film", "test_harness.*[Rr]arity", "Success", "test_success", "registry", "words"):
        assert re.search(rf"^PASSED .*{part}", said, re.MULTILINE), f"No test of {part} ran: {said}"


@pytest.mark.repository
@pytest.mark.processes
def test_what_was_added_is_in_style(copy: Path) -> None:
    added = [block.path for recipe in RECIPES for block in blocks(recipe) if not block.name]
    modules = [path for path in added if path.endswith(".py") and not (ROOT / path).exists()]
    assert len(modules) == 7
    run(copy, "-m", "ruff", "check", *modules)
    run(copy, "-m", "ruff", "format", "--check", *modules)


@pytest.mark.repository
@pytest.mark.processes
def test_the_workflow_makes_the_artifacts_that_were_added(copy: Path) -> None:
    folder = copy / "work" / "demo" / "artifacts" / "bellogin2017"
    wanted = [str((folder / f"{name}.md").relative_to(copy)) for name in ("table4", "table5")]
    offline = ("--config", "edition=demo", "network=off", "local_mirrors=[]")
    run(copy, "-m", "snakemake", "--cores", "1", *wanted, *offline)
    table = pd.read_csv(folder / "table4.csv")
    assert set(table["system"]) == {"pop", "rarity"}
    assert set(table["dataset"]) == {"film-club"}
    values = table.set_index(["system", "least_percent"])["value"]
    assert values["pop", 30] > values["rarity", 30]
    assert (values[:, 30] >= values[:, 60]).all()
    assert "Success of longer lists" in (folder / "table5.md").read_text(encoding="utf-8")
