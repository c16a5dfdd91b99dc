# SPDX-License-Identifier: MIT
"""The list of kernels is of this code, and jobs say what they compile beside it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core import types
from numba.extending import is_jitted

from receval.arithmetic import SETTINGS, one_arithmetic
from reproduction.workflow.jobs import kernels
from reproduction.workflow.jobs.kernels import (
    COMPILED,
    compile_kernel,
    listed,
    noting_compiled,
    record,
    types_as_text,
)

KERNEL = "receval.splits.random_splits:ranks_within_groups"


def test_every_listed_kernel_is_one_and_its_types_are_types() -> None:
    names = vars(types)
    for kernel, text in listed():
        module, _, name = kernel.partition(":")
        assert is_jitted(getattr(__import__(module, fromlist=[name]), name)), kernel
        found = eval(text, {"__builtins__": {}}, {**names, "bool": types.boolean})
        assert found
        assert types_as_text(found) == text


def test_kernels_are_compiled_for_the_one_arithmetic_wherever_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(kernels, "listed", list)
    assert kernels.compile_all(processes=1) == []
    # The processes that compile inherit these.
    assert {name: os.environ.get(name) for name in one_arithmetic()} == one_arithmetic()


@pytest.mark.each(
    "argument",
    [
        np.zeros((2, 3), dtype=np.float32),
        np.asfortranarray(np.zeros((2, 3))),
        np.broadcast_to(np.int64(1), (3,)),
        np.zeros(4, dtype=np.bool_)[::2],
        (np.zeros(2), 3, True),
        np.random.default_rng(1),
        2.5,
    ],
)
def test_types_come_back_from_text(argument: object) -> None:
    from numba import typeof

    text = types_as_text([typeof(argument), types.literal(0), types.literal(False), types.none])
    names = {**vars(types), "bool": types.boolean}
    found = eval(text, {"__builtins__": {}}, names)
    assert found == (typeof(argument), types.literal(0), types.literal(False), types.none)


def test_a_listed_kernel_is_compiled_for_its_types() -> None:
    kernel, text = next(pair for pair in listed() if pair[0] == KERNEL)
    compile_kernel(kernel, text)
    module = __import__(KERNEL.partition(":")[0], fromlist=["ranks_within_groups"])
    signatures = module.ranks_within_groups.signatures
    assert text in {types_as_text(signature) for signature in signatures}


def test_what_is_loaded_is_not_said_to_be_compiled() -> None:
    kernel, text = next(pair for pair in listed() if pair[0] == KERNEL)
    compile_kernel(kernel, text)
    with noting_compiled() as compiled:
        compile_kernel(kernel, text)
    assert compiled == []


def new_kernel(monkeypatch: pytest.MonkeyPatch, module: str) -> Any:
    """Return a kernel that nobody has compiled, in a module of its own."""

    def doubled(value):  # type: ignore[no-untyped-def]
        return value + value

    doubled.__module__ = module
    kernel = njit(doubled)
    monkeypatch.setitem(sys.modules, module, ModuleType(module))
    monkeypatch.setattr(sys.modules[module], "doubled", kernel, raising=False)
    return kernel


@pytest.mark.costly
def test_what_is_compiled_inside_of_the_block_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, foreign = (new_kernel(monkeypatch, name) for name in ("receval.new", "other.new"))
    kernel(1.5)
    with noting_compiled() as compiled:
        kernel(2)
        kernel(2.5)
        foreign(2)
    assert compiled == [("receval.new:doubled", "(int64,)")]


@pytest.mark.costly
def test_a_process_that_loads_numba_inside_of_the_block_finds_what_it_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = new_kernel(monkeypatch, "receval.new")
    new_kernel(monkeypatch, "other.new")(1)
    # The same kernel under the name of another module that imports it.
    monkeypatch.setitem(sys.modules, "receval.reader", sys.modules["receval.new"])
    before = pytest.MonkeyPatch()
    before.delitem(sys.modules, "numba")
    with noting_compiled() as compiled:
        before.undo()
        kernel(2)
    assert [pair for pair in compiled if pair[0].startswith("receval.new")] == [
        ("receval.new:doubled", "(int64,)")
    ]


def test_a_process_that_loads_no_numba_has_compiled_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "numba")
    with noting_compiled() as compiled:
        pass
    assert compiled == []


@pytest.mark.costly
@pytest.mark.processes
def test_recording_adds_what_jobs_compiled_and_drops_what_is_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_today = next(pair for pair in listed() if pair[0] == KERNEL)
    others = [f"{KERNEL}\t(int32,)\n", f"{KERNEL.replace('within', 'without')}\t(int64,)\n"]
    monkeypatch.setattr(kernels, "LIST", tmp_path / "kernels.txt")
    kernels.LIST.write_text("".join(others), encoding="utf-8")
    log = tmp_path / "job.log"
    line = f"INFO {COMPILED}{of_today[0]} for {of_today[1]}\n"
    log.write_text(f"INFO 5 folds\n{line}", encoding="utf-8")
    # The processes that compile read the list that they are given, not the file.
    record([log])
    assert listed() == [of_today]
