# SPDX-License-Identifier: MIT
"""Other tools evaluated the lists that the program draws, and their fixtures have one form."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "dialects" / "fixtures"
LISTS = json.loads((FIXTURES / "lists.json").read_text(encoding="utf-8"))["cases"]
TOOLS = sorted(path for path in FIXTURES.glob("*.json") if path.name != "lists.json")


def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"benchmarks/dialects/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_lists_are_those_that_the_program_draws() -> None:
    lists = program("lists")
    assert (FIXTURES / "lists.json").read_text(encoding="utf-8") == lists.text_of(lists.cases())


@pytest.mark.each("name", sorted(LISTS))
def test_no_list_and_no_test_has_an_item_of_train(name: str) -> None:
    case = LISTS[name]
    for user, train in case["train"].items():
        listed = [item for item, _ in case["run"].get(user, [])]
        assert len(set(listed)) == len(listed)
        assert not {*listed, *case["test"].get(user, {})} & {*train}


@pytest.mark.each("path", TOOLS, ids=lambda path: path.stem)
def test_a_fixture_has_every_case_once_and_users_of_the_lists(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    parts = {"tool", "version", "environment", "source", "options", "values", "refused"}
    assert set(content) == parts
    assert content["tool"] == path.stem
    assert sorted([*content["values"], *content["refused"]]) == sorted(LISTS)
    for name, metrics in content["values"].items():
        users = {*LISTS[name]["test"], *LISTS[name]["run"]}
        assert metrics
        for entry in metrics.values():
            assert set(entry) == {"mean", "per_user", "users"}
            assert set(entry["per_user"] or {}) <= users
            assert entry["mean"] is None or isinstance(entry["mean"], float)
