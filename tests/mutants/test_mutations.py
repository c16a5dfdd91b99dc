# SPDX-License-Identifier: MIT
"""Mistakes made in sources: which there are, which not, and which are drawn."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
from mutants.__main__ import EQUIVALENT, LIBRARY, equivalent_mutants
from mutants.mutations import KERNELS, all_mutations, drawn_mutations, mutations_of

SOURCE = '''"""Two kinds of things: 3 + 4."""

from typing import TYPE_CHECKING

import numpy as np
import numba

if TYPE_CHECKING:
    WIDTH = 3

__all__ = ["a"][:1]
LIMIT: int = 2


@decorated(cache=True)
def mean(values: tuple[int, 3], at=1.5, *, whole=True) -> float:
    """Return the mean: 1 + 1."""
    if not whole and len(values) < LIMIT:  # 1 + 1
        raise ValueError(f"{1 + 1} values", 1 + 1)
    warnings.warn("x", stacklevel=2)
    total = np.sum(values, axis=0)
    total += (
        at  # at + 1
    ) * whole
    for n in range(1, len(values)):
        continue
    return total[at : n + 1] if at is not None else min(values)
'''


def changes(source: str, file: str = "metrics/mean.py") -> dict[str, set[str]]:
    """Return the changed lines by the line that they replace."""
    found: dict[str, set[str]] = {}
    for mutation in mutations_of(source.encode(), file):
        ast.parse(mutation.made_in(source.encode()))
        found.setdefault(mutation.before, set()).add(mutation.after)
    return found


def test_mistakes_are_made_in_what_runs_and_nowhere_else() -> None:
    assert changes(SOURCE) == {
        "LIMIT: int = 2": {"LIMIT: int = 3", "LIMIT: int = 1"},
        "def mean(values: tuple[int, 3], at=1.5, *, whole=True) -> float:": {
            "def mean(values: tuple[int, 3], at=2.5, *, whole=True) -> float:",
            "def mean(values: tuple[int, 3], at=0.5, *, whole=True) -> float:",
            "def mean(values: tuple[int, 3], at=1.5, *, whole=False) -> float:",
        },
        "if not whole and len(values) < LIMIT: # 1 + 1": {
            "if whole and len(values) < LIMIT: # 1 + 1",
            "if not whole or len(values) < LIMIT: # 1 + 1",
            "if not whole and len(values) <= LIMIT: # 1 + 1",
        },
        "total = np.sum(values, axis=0)": {
            "total = np.sum(values)",
            "total = np.sum(values, axis=1)",
            "total = np.sum(values, axis=(-1))",
        },
        "total += (": {"total -= ("},
        ") * whole": {") / whole"},
        "for n in range(1, len(values)):": {
            "for n in range(2, len(values)):",
            "for n in range(0, len(values)):",
            "for n in range(1, (len(values)) - 1):",
        },
        "continue": {"break"},
        "return total[at : n + 1] if at is not None else min(values)": {
            "return -(total[at : n + 1] if at is not None else min(values))",
            "return total[(at) + 1 : n + 1] if at is not None else min(values)",
            "return total[at : (n + 1) - 1] if at is not None else min(values)",
            "return total[at : n - 1] if at is not None else min(values)",
            "return total[at : n + 2] if at is not None else min(values)",
            "return total[at : n + 0] if at is not None else min(values)",
            "return total[at : n + 1] if at is None else min(values)",
            "return total[at : n + 1] if at is not None else max(values)",
        },
    }


@pytest.mark.parametrize("decorator", ["@njit(cache=True)", "@numba.njit"])
def test_other_packages_are_changed_in_kernels_alone(decorator: str) -> None:
    source = f"A = 1\n\n\n{decorator}\ndef b():\n    return 2.0\n\n\ndef c():\n    return 3.0\n"
    found = mutations_of(source.encode(), "recommenders/mf.py")
    assert {mutation.before for mutation in found} == {"return 2.0"}
    assert {(one.group, one.scope, one.kernel) for one in found} == {(KERNELS, "b", True)}


def test_equal_changes_of_equal_lines_are_told_apart() -> None:
    found = mutations_of(b"a = b < c\na = b < c\n", "theory/a.py")
    assert [mutation.occurrence for mutation in found] == [0, 1]
    assert len({mutation.key for mutation in found}) == 2


def test_draws_are_shared_by_groups_and_stay_when_other_lines_change(tmp_path: Path) -> None:
    for group in ("metrics", "theory"):
        (tmp_path / group).mkdir()
        lines = "".join(f"a_{index} = {index} + b\n" for index in range(20))
        (tmp_path / group / "a.py").write_text(lines, encoding="utf-8")
    keys = [one.key for one in drawn_mutations(all_mutations(tmp_path), 20, seed=1)]
    fewer = drawn_mutations(all_mutations(tmp_path), 6, seed=1)
    assert [one.key for one in fewer] == keys[:6]
    assert [one.group for one in fewer] == ["metrics", "theory"] * 3
    assert keys != [one.key for one in drawn_mutations(all_mutations(tmp_path), 20, seed=2)]
    (tmp_path / "metrics" / "a.py").write_text(f"c = (\n    d)\n{lines}", encoding="utf-8")
    assert [one.key for one in drawn_mutations(all_mutations(tmp_path), 20, seed=1)] == keys


def test_listed_equivalents_are_mutants_of_the_library() -> None:
    listed = equivalent_mutants()
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    files = {entry["file"] for entry in entries}
    mutations = [m for file in files for m in mutations_of((LIBRARY / file).read_bytes(), file)]
    assert set(listed) <= {mutation.key for mutation in mutations}
    alike = {(m.file, m.before) for m in mutations if m.key in listed}
    assert alike == {(entry["file"], entry["line"]) for entry in entries}
    assert len([entry for entry in entries if "mutant" in entry]) <= len(listed)
    assert all(len(reason.split()) > 3 for reason in listed.values())
