# SPDX-License-Identifier: MIT
"""Project, lock, conda environment and CONTRIBUTING.md name the same packages."""

from __future__ import annotations

import re
import tomllib
from itertools import chain

import pytest
import yaml
from config.copied_config import ROOT

from reproduction.workflow.provenance.versions import PACKAGES

CORE = {
    "snakemake",
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "implicit",
    "matplotlib",
    "numba",
    "pyarrow",
    "pydantic",
    "pytest",
    "hypothesis",
    "pytrec-eval-terrier",
}
"""What the project set out with; everything else needs a reason."""

CONDA_NAMES = {
    "matplotlib-base": "matplotlib",
    "snakemake-minimal": "snakemake",
    "typst-py": "typst",
}

Version = tuple[int, ...]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = "".join(lock.read_text(encoding="utf-8") for lock in sorted(ROOT.glob("requirements*.lock")))


NOT_ON_ARM = " ; platform_machine != 'aarch64'"
"""The only marker: of a package that is for tests, and has no wheel for Linux on Arm."""

CAPPED = {"pytest"}
"""Packages with an upper bound, whose reason stands beside it in pyproject.toml."""


def version_of(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def lower_bounds(requirements: list[str]) -> dict[str, Version]:
    """Return the lower bound by package; fail at an unexplained upper bound or anything else."""
    bounds = {}
    for requirement in requirements:
        asked = requirement.removesuffix(NOT_ON_ARM.replace(" ;", ";"))
        parts = re.fullmatch(r"([A-Za-z0-9-]+)(?:>=([0-9.]+))?(,<[0-9.]+)?", asked)
        assert parts, f"pyproject.toml has {requirement!r}; write name>=version."
        assert parts[3] is None or parts[1] in CAPPED, f"{requirement!r} has an upper bound."
        bounds[parts[1].lower()] = version_of(parts[2] or "0")
    return bounds


def locked() -> dict[str, tuple[Version, int]]:
    """Return version and number of hashes by package; fail at a line of any other form."""
    entries = {}
    for entry in re.split(r"\n(?=\S)", LOCK.strip()):
        pin, *hashes = (line.removesuffix(" \\") for line in entry.splitlines())
        parts = re.fullmatch(r"([a-z0-9-]+)==([0-9.]+)", pin.removesuffix(NOT_ON_ARM))
        assert parts, f"requirements.lock has the line {pin!r}, which pins no package."
        for line in hashes:
            assert re.fullmatch(r" {4}--hash=sha256:[0-9a-f]{64}", line), line
        entries[parts[1]] = (version_of(parts[2]), len(hashes))
    return entries


RUNTIME = lower_bounds(PROJECT["dependencies"])
EXTRAS = lower_bounds(list(chain(*PROJECT["optional-dependencies"].values())))
DEPENDENCIES = {**RUNTIME, **EXTRAS}
LOCKED = locked()


def test_every_package_of_the_lock_has_hashes() -> None:
    assert len(LOCKED) > len(DEPENDENCIES)
    assert [name for name, (_, hashes) in LOCKED.items() if not hashes] == []


@pytest.mark.each("word", ["http", "://", "index-url", "find-links", "trusted-host", "@"])
def test_the_lock_names_no_host(word: str) -> None:
    assert word not in LOCK


@pytest.mark.each("name", DEPENDENCIES)
def test_a_dependency_is_locked_at_a_version_that_it_allows(name: str) -> None:
    version, _ = LOCKED[name]
    assert version >= DEPENDENCIES[name]


def test_the_conda_environment_has_the_versions_of_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "envs" / "receval.yaml").read_text(encoding="utf-8"))
    python, pip, *packages = environment["dependencies"]
    # make refuses a Python that the lock has no wheels for; conda must not choose one.
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    oldest, newest = re.findall(r"\((3, \d+)\)", makefile.partition("SUPPORTED := ")[2])[:2]
    last = int(newest.removeprefix("3, "))
    assert python == f"python>={oldest.replace(', ', '.')},<3.{last + 1}"
    assert PROJECT["requires-python"] == f">={oldest.replace(', ', '.')}"
    # It installs receval itself.
    assert pip == "pip"
    # Snakemake comes from bioconda.
    assert environment["channels"] == ["conda-forge", "bioconda", "nodefaults"]
    pins = dict(package.split("=") for package in packages)
    found = {CONDA_NAMES.get(name, name): version_of(text) for name, text in pins.items()}
    needed = RUNTIME.keys() | lower_bounds(PROJECT["optional-dependencies"]["workflow"]).keys()
    assert found == {name: LOCKED[name][0] for name in needed}


def test_results_are_said_to_depend_on_nothing_but_dependencies() -> None:
    assert set(PACKAGES) <= set(RUNTIME)


def test_every_dependency_beyond_the_core_has_its_reason_in_contributing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| package | reason |\n| --- | --- |\n")
    rows = [re.fullmatch(r"\| (\S+) \| (\S.*\.) \|", line) for line in table.splitlines()]
    reasons = {row[1].lower() for row in rows if row}
    assert reasons == set(DEPENDENCIES) - CORE
    assert set(DEPENDENCIES) >= CORE
