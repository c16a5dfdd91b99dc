# SPDX-License-Identifier: MIT
"""The compiled kernels that a run needs: found, compiled once, and loaded for all jobs.

numba compiles a kernel for the types of its arguments when it is first called, and keeps the result
(:mod:`receval.storage.kernel_cache`). On a fresh machine the first jobs of every kind would compile
the same kernels side by side, and later every job would load them again. So the types that the
workflow calls kernels with are listed (``kernels.txt`` beside this module): whoever starts many
processes goes through the list first, which compiles what is not compiled, and loads the rest.

A kernel that is called with other types, or that was edited, is compiled by the job that needs it,
whose log says so; :func:`record` adds it to the list. No result depends on the list.
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

from receval.storage.files import write_atomically
from reproduction.workflow.jobs.safe_path import safe_path
from reproduction.workflow.provenance.source_file import PACKAGES

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

LIST = Path(__file__).with_name("kernels.txt")
"""A kernel (``module:name``) and the types of its arguments in each line, separated by a tab."""

COMPILED = "compiled the kernel "
"""How the line of a job's log begins that names what the job had to compile."""


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
    """Compile all listed kernels that are not compiled yet.

    Parameters
    ----------
    processes : int, optional
        How many work side by side; by default one a processor. A module's kernels stay together:
        they call each other, and no others.

    Returns
    -------
    list of (str, str)
        Those that cannot be compiled for the listed types: the list is of other code.
    """
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
    """Return types of arguments as an expression in the names of ``numba.core.types``."""
    text = ", ".join(map(repr, types))
    text = re.sub(r"Literal\[\w+\]\((\w+)\)", r"literal(\1)", text)
    return f"({text.replace('NumPyRandomGeneratorType', 'npy_rng')},)"


@contextmanager
def noting_compiled() -> Iterator[list[tuple[str, str]]]:
    """Yield a list that gets, at the end of the block, what was compiled inside of it.

    Of a process that has loaded hundreds of modules it would take longer than many jobs to look
    for kernels in all of them. So numba itself says what it compiles; only a process that loads
    numba inside of the block looks for them.
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
    """Return what this process has compiled since it has loaded numba, if it has."""
    if "numba" not in sys.modules:
        return []
    from numba.core.dispatcher import Dispatcher

    modules = [module for name, module in sys.modules.items() if _is_ours(name)]
    found = [each for module in modules for each in vars(module).values()]
    kernels = {id(each): each for each in found if isinstance(each, Dispatcher)}.values()
    return _as_text((each, types) for each in kernels for types in each.stats.cache_misses)


def _as_text(compiled: Iterable[tuple[Dispatcher, Any]]) -> list[tuple[str, str]]:
    """Return kernels of our packages by name, with types, and leave out those of libraries."""
    functions = ((kernel.py_func, types) for kernel, types in compiled)
    return [
        (f"{function.__module__}:{function.__name__}", types_as_text(types))
        for function, types in functions
        if _is_ours(function.__module__)
    ]


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def record(logs: Iterable[Path]) -> None:
    """Add to the list what jobs say in their logs to have compiled, and drop what is no more."""
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
