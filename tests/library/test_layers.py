"""Imports go down: what CONTRIBUTING.md says about layers, read off the source."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import receval.protocols
import receval.studies.multiverse

SOURCE = Path(__file__).resolve().parents[2] / "src" / "receval"
LAYERS = (
    {
        "garbage",
        "lazy_names",
        "ratings",
        "seeds",
        "archive",
        "job_environment",
        "job_log",
        "provenance",
        "run_lock",
    },
    {"datasets", "simulation", "splits", "recommenders"},
    {"protocols"},
    {"metrics", "statistics"},
    {"theory"},
    {"studies", "figures", "drift"},
    {"plan", "planned_files", "planned_simulations", "planned_data", "workflow"},
    {"cli"},
)
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


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


def test_every_part_of_the_package_has_a_layer() -> None:
    found = {part_of(path) for path in MODULES} - {"__init__", "config"}
    assert found == set(HEIGHT)


@pytest.mark.parametrize("part", sorted(HEIGHT))
def test_nothing_imports_from_a_higher_layer(part: str) -> None:
    upwards = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in MODULES
        if part_of(path) == part
        for name in imports(path)
        if name.startswith("receval.")
        and (imported := name.split(".")[1]) in HEIGHT
        and HEIGHT[imported] > HEIGHT[part]
    ]
    assert upwards == []


def test_configuration_models_are_plain_data() -> None:
    # Protocols are values that imply no code, which a study's configuration lists.
    outside = {
        name.rpartition(".")[0]
        for path in MODULES
        if part_of(path) == "config"
        for name in imports(path)
        if not name.startswith("receval.config.")
    }
    assert outside <= {"receval.protocols.protocol"}
    assert imports(SOURCE / "protocols" / "protocol.py") == []


def test_the_library_does_not_know_snakemake() -> None:
    assert not [p for p in MODULES for name in imports(p) if name.startswith("snakemake")]


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
        receval.protocols.describe,
        receval.protocols.Configuration,
        receval.protocols.DecisionGrid,
        receval.studies.multiverse.explore,
        receval.studies.multiverse.TrainedWorlds,
    ]
    assert all(callable(value) for value in offered)
    with pytest.raises(AttributeError, match=r"receval\.protocols has no attribute 'describes'"):
        _ = receval.protocols.describes
