# SPDX-License-Identifier: MIT
"""Packages offer names without importing what defines them (lint-imports checks the floors)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import receval.multiverse

SOURCE = Path(__file__).resolve().parents[2] / "src" / "receval"
MODULES = sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> list[str]:
    """Return the modules of the package and of Snakemake that a module imports, at any depth."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import in line {node.lineno}."
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.split(".")[0] in ("receval", "snakemake")]


def test_packages_hold_a_docstring_and_at_most_names_that_are_imported_when_asked_for() -> None:
    # Whatever a package's __init__ imports would be part of the digest of all its modules.
    for path in MODULES:
        if path.name == "__init__.py" and path.parent != SOURCE:
            body = ast.parse(path.read_text(encoding="utf-8")).body
            assert ast.get_docstring(ast.Module(body, [])), path
            if len(body) > 1:
                assert imports(path) == ["receval.lazy_names.lazy_names"], path
                assert [ast.unparse(node).split(" = ")[0] for node in body[2:]] == ["__getattr__"]


def test_the_names_that_packages_offer_are_there() -> None:
    offered = [
        getattr(receval.multiverse, name)
        for name in (
            "describe",
            "Configuration",
            "DecisionGrid",
            "explore",
            "TrainedUniverses",
            "ExperimentUniverses",
        )
    ]
    assert all(callable(value) for value in offered)
    with pytest.raises(AttributeError, match=r"receval\.multiverse has no attribute 'describes'"):
        _ = receval.multiverse.describes
