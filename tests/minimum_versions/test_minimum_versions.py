# SPDX-License-Identifier: MIT
"""What `make minimum-versions` installs and tests is what the repository has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from minimum_versions.__main__ import FOLDERS, PROJECT, QUICK, ROOT, lowest


def test_the_lowest_versions_are_the_bounds() -> None:
    assert lowest(["numpy>=1.26", "pytest>=9.1,<9.2"]) == ["numpy==1.26", "pytest>=9.1,<9.2"]
    assert all(re.fullmatch(r"[a-z-]+==[0-9.]+", pin) for pin in lowest(PROJECT["dependencies"]))


def has_a_quick_test(file: Path) -> bool:
    """Tell whether a file has a test that is selected by all that it is marked with."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tests = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name[:5] == "test_"]
    of_all = [ast.unparse(n) for n in tree.body if "pytestmark" in ast.unparse(n)]
    marked = [" ".join([*of_all, *map(ast.unparse, test.decorator_list)]) for test in tests]
    left_out = re.findall(r"not (\w+)", QUICK)
    return any(all(f"mark.{name}" not in own for name in left_out) for own in marked)


# What no test of a folder is left of would pass unseen.
@pytest.mark.each("folder", FOLDERS)
def test_every_folder_has_tests_that_continuous_integration_selects(folder: str) -> None:
    assert any(map(has_a_quick_test, (ROOT / "tests" / folder).glob("test_*.py")))


@pytest.mark.repository
def test_continuous_integration_tests_folders_at_the_lowest_versions() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    called = re.search(
        r'^make minimum-versions VERSIONS=".* --quick --folders ([a-z/ ]+)"', script, re.M
    )
    assert called
    assert set(called[1].split()) <= set(FOLDERS)
