# SPDX-License-Identifier: MIT
"""Compile the numba kernels that a run needs once, and load them for all jobs.

numba compiles a kernel for the types of its arguments when it is first called, and keeps the result
(:mod:`receval.storage.kernel_cache`). On a new machine the first jobs of every kind would compile
the same kernels in parallel, and every later job would load them again. So ``kernels.txt`` beside
this module lists the types that the workflow calls kernels with. Before many processes are started,
all listed kernels are compiled or loaded.

A kernel that was edited or is called with other types is compiled by the job that needs it. The
job's log says so, and :func:`record` adds it to the list. No result depends on the list.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.arithmetic import use_one_arithmetic
from receval.storage.files import write_atomically
from reproduction.workflow.jobs.interpreter import safe_path
from reproduction.workflow.provenance.source_file import PACKAGES

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

LIST = Path(__file__).with_name("kernels.txt")
"""Each line has a kernel (``module:name``), a tab, and the types of its arguments."""

COMPILED = "compiled the kernel "
"""The beginning of the line of a job's log that names what the job had to compile."""


def listed() -> list[tuple[str, str]]:
    """Return the kernels that runs need, with the types that they are called with."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [(kernel, types) for kernel, _, types in (line.partition("\t") for line in lines)]


def compile_kernel(kernel: str, types: str) -> None:
    """Compile a kernel for some types, or load what was compiled before."""
    from numba.core import types as known

    module, _, name = kernel.partition(":")
    dispatcher = getattr(import_module(module), name)
    names = {**vars(known), "bool": known.boolean}
    dispatcher.compile(eval(types, {"__builtins__": {}}, names))


def compile_all(processes: int | None = None) -> list[tuple[str, str]]:
    """Compile all listed kernels that are not compiled yet, by default on all processors.

    The kernels of a module stay together, because they only call each other. Those that cannot be
    compiled for the listed types, because the list is outdated, are returned.
    """
    # What was compiled for another arithmetic would be compiled again by the jobs.
    use_one_arithmetic(computes=False)
    modules: dict[str, list[tuple[str, str]]] = {}
    for kernel, types in listed():
        modules.setdefault(kernel.partition(":")[0], []).append((kernel, types))
    context = multiprocessing.get_context("spawn")
    with safe_path(), ProcessPoolExecutor(processes or os.cpu_count(), context) as pool:
        return [pair for outdated in pool.map(_compile_each, modules.values()) for pair in outdated]


def _compile_each(kernels: list[tuple[str, str]]) -> list[tuple[str, str]]:
    from numba.core.errors import NumbaError

    outdated = []
    for kernel, types in kernels:
        try:
            compile_kernel(kernel, types)
        except (AttributeError, ImportError, NumbaError, TypeError):
            outdated.append((kernel, types))
    return outdated


def types_as_text(types: Iterable[Any]) -> str:
    """Return argument types as an expression with the names of ``numba.core.types``."""
    text = ", ".join(map(repr, types))
    text = re.sub(r"Literal\[\w+\]\((\w+)\)", r"literal(\1)", text)
    return f"({text.replace('NumPyRandomGeneratorType', 'npy_rng')},)"


@contextmanager
def noting_compiled() -> Iterator[list[tuple[str, str]]]:
    """Yield a list that is filled at the end of the block with the kernels compiled inside it.

    Searching hundreds of loaded modules for kernels would take longer than many jobs. So numba
    reports what it compiles. Only a process that loads numba inside the block searches for kernels.
    """
    compiled: list[tuple[str, str]] = []
    if "numba" not in sys.modules:
        yield compiled
        compiled += _compiled_since_loading()
        return
    from numba.core.event import install_recorder

    with install_recorder("numba:compile") as recorder:
        yield compiled
    said = [event.data for _, event in recorder.buffer if event.is_start]
    compiled += _as_text((each["dispatcher"], each["args"]) for each in said)


def _compiled_since_loading() -> list[tuple[str, str]]:
    """Return what this process has compiled since it loaded numba, if it did."""
    if "numba" not in sys.modules:
        return []
    from numba.core.dispatcher import Dispatcher

    modules = [module for name, module in sys.modules.items() if _is_ours(name)]
    found = [each for module in modules for each in vars(module).values()]
    kernels = {id(each): each for each in found if isinstance(each, Dispatcher)}.values()
    return _as_text((each, types) for each in kernels for types in each.stats.cache_misses)


def _as_text(compiled: Iterable[tuple[Dispatcher, Any]]) -> list[tuple[str, str]]:
    """Return the names and types of kernels of our packages, without those of libraries."""
    functions = ((kernel.py_func, types) for kernel, types in compiled)
    return [
        (f"{function.__module__}:{function.__name__}", types_as_text(types))
        for function, types in functions
        if _is_ours(function.__module__)
    ]


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def record(logs: Iterable[Path]) -> None:
    """Add the kernels that jobs compiled, by their logs, and drop those that no longer exist."""
    found = set(listed())
    for log in logs:
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            _, said, what = line.partition(COMPILED)
            if said:
                kernel, _, types = what.partition(" for ")
                found.add((kernel, types))
    _write(found)
    _write(found.difference(compile_all()))


def _write(kernels: Iterable[tuple[str, str]]) -> None:
    lines = "".join(f"{kernel}\t{types}\n" for kernel, types in sorted(kernels))
    write_atomically(LIST, lines)
