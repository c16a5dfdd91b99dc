# SPDX-License-Identifier: MIT
"""Programs beside the packages, which no type checker reads, import what is there."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("receval", "reproduction")
PROGRAMS = [
    path
    for folder in ("benchmarks", "docs", "packaging")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


@cache
def names_of(module: str) -> frozenset[str] | None:
    """Return the names at the top of a module; None where there is no such module."""
    path = ROOT / "src" / Path(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.is_file():
        return None
    names = {found.stem for found in path.iterdir()} if path.is_dir() else set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Constant) and file.name == "__init__.py":
            # A package lists the names that it loads on demand as texts.
            names.add(str(node.value))
    return frozenset(names)


def test_programs_import_only_names_that_exist() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {node.module}.{alias.name}"
        for path in PROGRAMS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES
        for alias in node.names
        if alias.name not in (names_of(node.module or "") or ())
    ]
    assert missing == []
