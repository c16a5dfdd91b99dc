# SPDX-License-Identifier: MIT
"""Packages offer names without importing what defines them (lint-imports checks the floors)."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import receval.multiverse

SOURCE = Path(__file__).resolve().parents[2] / "src" / "receval"
MODULES = sorted([*SOURCE.rglob("*.py"), *SOURCE.with_name("reproduction").rglob("*.py")])


OURS_AND_SNAKEMAKE = ("receval", "reproduction", "snakemake")


def imports(path: Path) -> list[str]:
    """Return the modules of both packages and of Snakemake that a module imports, at any depth."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import in line {node.lineno}."
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.split(".")[0] in OURS_AND_SNAKEMAKE]


FACES = [
    path
    for path in MODULES
    if path.name == "__init__.py" and "lazy_names" in path.read_text(encoding="utf-8")
]


def package_of(path: Path) -> str:
    """Return the name of the package of a file ``__init__.py``."""
    return ".".join(path.parent.relative_to(SOURCE.parent).parts)


def test_packages_hold_a_docstring_and_at_most_names_that_are_imported_when_asked_for() -> None:
    # Whatever a package's __init__ imports would be part of the digest of all its modules.
    for path in MODULES:
        if path.name == "__init__.py":
            body = ast.parse(path.read_text(encoding="utf-8")).body
            assert ast.get_docstring(ast.Module(body, [])), path
            if len(body) > 1:
                assert imports(path) == ["receval.lazy_names.lazy_names"], path
                bound = [ast.unparse(node).split(" = ")[0] for node in body[2:]]
                assert bound[-1] == "__getattr__, __dir__, __all__"
                assert bound[:-1] == (["__version__"] if path.parent == SOURCE else []), path


@pytest.mark.parametrize("path", FACES, ids=package_of)
def test_the_names_that_packages_offer_are_there_and_typed(path: Path) -> None:
    package = importlib.import_module(package_of(path))
    offered = {name: getattr(package, name) for name in package.__all__}
    assert set(offered) <= set(dir(package))
    typed: dict[str, object] = {}
    for node in ast.parse(path.with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            defining = importlib.import_module(str(node.module))
            typed |= {a.asname or a.name: getattr(defining, a.name) for a in node.names}
        elif ast.unparse(node).startswith("__all__"):
            assert isinstance(node, ast.Assign)
            assert sorted(ast.literal_eval(node.value)) == sorted(offered)
    assert typed == offered


@pytest.mark.parametrize("path", FACES, ids=package_of)
def test_what_packages_offer_is_documented_with_an_example(path: Path) -> None:
    package = importlib.import_module(package_of(path))
    plain = [
        name
        for name in package.__all__
        if callable(getattr(package, name))
        and ">>>" not in (inspect.getdoc(getattr(package, name)) or "")
    ]
    assert plain == []


@pytest.mark.costly
def test_code_of_the_library_takes_names_from_the_modules_that_define_them() -> None:
    # What a package offers is no part of code digests.
    offered = {f"{package_of(path)}.{name}": path for path in FACES for name in _offered(path)}
    taken = [(path, name) for path in MODULES for name in imports(path) if name in offered]
    assert taken == []


def _offered(path: Path) -> list[str]:
    return list(importlib.import_module(package_of(path)).__all__)


def test_a_name_that_is_not_offered_gets_the_nearest_one() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'describes'. Did you mean describe\?"):
        _ = receval.multiverse.describes
