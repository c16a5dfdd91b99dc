# SPDX-License-Identifier: MIT
"""The compiled kernels that a run needs: found, compiled once, and loaded for all jobs.

numba compiles a kernel for the types of its arguments when it is first called, and keeps the
result beside the module. On a fresh machine the first jobs of every kind would compile the same
kernels side by side, and later every job would load them again. So the types that the workflow
calls kernels with are listed (``kernels.txt`` beside this module): whoever starts many processes
goes through the list first, which compiles what is not compiled, and loads the rest.

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
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.storage.files import write_atomically

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
    """Compile a kernel for some types, or load what was compiled before.

    Parameters
    ----------
    kernel : str
        ``module:name``.
    types : str
        Types of its arguments, as :func:`types_as_text` writes them.
    """
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
    with ProcessPoolExecutor(processes or os.cpu_count(), context) as pool:
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


def compiled_here() -> Iterator[tuple[str, str]]:
    """Yield the kernels that this process has compiled itself, with the types."""
    for kernel, dispatcher in _kernels():
        for types in dispatcher.stats.cache_misses:
            yield kernel, types_as_text(types)


def _kernels() -> Iterator[tuple[str, Dispatcher]]:
    """Yield the kernels of all modules of the package that are loaded."""
    if "numba" not in sys.modules:
        return
    from numba.core.dispatcher import Dispatcher

    for name, module in list(sys.modules.items()):
        if name.startswith("receval."):
            for key, value in list(vars(module).items()):
                if isinstance(value, Dispatcher) and value.py_func.__module__ == name:
                    yield f"{name}:{key}", value


def record(logs: Iterable[Path]) -> None:
    """Add to the list what jobs say in their logs to have compiled, and drop what is no more.

    Parameters
    ----------
    logs : iterable of Path
        Logs of jobs.
    """
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
