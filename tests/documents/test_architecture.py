# SPDX-License-Identifier: MIT
"""docs/architecture.md shows the layers of packages, and the counted way of one rating."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COUNTED = re.findall(r"^\*\*(\d+) files, (\d+) changes of package\.\*\*$", PAGE, re.MULTILINE)
PROGRAMS = ROOT / "docs" / "architecture"


@pytest.fixture
def run_check(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """Run a program of docs/architecture with --check in this process, and return its status."""
    monkeypatch.setattr(sys, "path", [str(PROGRAMS), *sys.path])
    monkeypatch.setattr(sys, "argv", ["program", "--check"])

    def run(name: str) -> int:
        status: int = import_module(name).main()
        return status

    return run


ROOTS = [ROOT / "src" / "receval", ROOT / "src" / "reproduction"]


def packages() -> set[str]:
    return {
        path.parent.relative_to(root).as_posix()
        for root in ROOTS
        for path in root.rglob("__init__.py")
    }


@pytest.mark.repository
def test_the_page_has_the_layers_that_the_program_draws(run_check: Callable[[str], int]) -> None:
    assert run_check("draw_packages") == 0


@pytest.mark.repository
@pytest.mark.processes
def test_the_rules_have_the_arrows_that_the_program_finds(run_check: Callable[[str], int]) -> None:
    assert run_check("draw_rulegraph") == 0


@pytest.mark.repository
@pytest.mark.processes
def test_the_page_has_the_count_of_the_program() -> None:
    # numba must not have been imported: its kernels are counted like other functions.
    ran = subprocess.run(
        [sys.executable, PROGRAMS / "count_way.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_counted_files_are_those_that_are_listed() -> None:
    ((files, changes),) = COUNTED
    block = PAGE.partition("<!-- counted by")[2].partition("<!-- end of")[0]
    listed = re.findall(r"`([\w/]+\.py)`", block)
    assert len(listed) == len(set(listed)) == int(files)
    assert all((ROOT / "src" / file).is_file() for file in listed)
    folders = [file.rpartition("/")[0] for file in listed]
    turned = sum(a != b for a, b in pairwise(folders))
    assert turned == int(changes)


def test_there_are_ten_steps_made_by_packages_that_exist() -> None:
    table = re.findall(r"^\| (\d+) \| .+ \| (.+) \|$", PAGE, flags=re.MULTILINE)
    assert [int(number) for number, _ in table] == list(range(1, 11))
    makers = {name for _, cell in table for name in re.findall(r"`([\w/]+)`", cell)}
    assert makers
    assert makers <= packages()


def test_every_place_to_put_something_exists_and_every_package_is_one() -> None:
    table = PAGE.partition("| to add ... |")[2]
    named = set(re.findall(r"`((?:src|config|workflow)/[\w./-]+)`", table))
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    # Adding to these is no task of its own.
    inner = {"drift", "provenance"}
    own = {name.partition("/")[0] for name in packages()} - inner - {"."}
    assert {path.split("/")[2] for path in named if path.startswith("src/")} >= own


def layers() -> dict[str, int]:
    """Return the number of each package's layer, 0 the highest, as import-linter is told."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    library, reproduction = (c["layers"] for c in contracts if c["type"] == "layers")
    return {
        package: number
        for number, layer in enumerate([*reproduction, *library])
        for package in layer.split(" | ")
    }


def named_in_strings() -> Iterator[tuple[str, str, str]]:
    """Yield a module, what one of its registries names, and the named thing's package."""
    for path in (path for root in ROOTS for path in sorted(root.rglob("*.py"))):
        module = path.relative_to(ROOT / "src").as_posix().partition("/")[2]
        content = path.read_text(encoding="utf-8")
        if not re.search(r"(receval|reproduction)(\.\w+)+:\w", content):
            continue
        for node in ast.walk(ast.parse(content)):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and re.fullmatch(r"(receval|reproduction)(\.\w+)+:\w+", text):
                yield module, text, text.split(".")[1]


def test_what_registries_name_in_strings_lies_no_floor_above_them() -> None:
    layer = layers()
    # What the package itself offers to others is above all layers.
    found = [named for named in named_in_strings() if named[0] != "__init__.py"]
    own = {module: module.partition("/")[0].removesuffix(".py") for module, _, _ in found}
    assert len(found) > 30, "no registry was found"
    assert not [
        f"{module} names {named}"
        for module, named, package in found
        if layer[package] < layer[own[module]]
    ]
