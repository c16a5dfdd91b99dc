# SPDX-License-Identifier: MIT
"""The libraries and modules that the fork server loads in advance, to save time in jobs."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

import receval
import reproduction
from receval.recommenders.base import find_threads
from reproduction.workflow.jobs.kernels import compile_kernel, listed
from reproduction.workflow.jobs.memory_of_jobs import use_large_pages

LIBRARIES = (
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "matplotlib.figure",
    "matplotlib.style",
    "matplotlib.backends.backend_svg",
    "matplotlib.backends.backend_pdf",
)
"""What most jobs need, loaded first."""

LOADED_WHEN_USED = (
    "encodings.cp437",
    "encodings.utf_16_be",
    "encodings.utf_32_be",
    "fontTools.ttLib.tables.O_S_2f_2",
    "fontTools.ttLib.tables._c_m_a_p",
    "fontTools.ttLib.tables._c_v_t",
    "fontTools.ttLib.tables._f_p_g_m",
    "fontTools.ttLib.tables._g_a_s_p",
    "fontTools.ttLib.tables._g_l_y_f",
    "fontTools.ttLib.tables._h_e_a_d",
    "fontTools.ttLib.tables._h_h_e_a",
    "fontTools.ttLib.tables._h_m_t_x",
    "fontTools.ttLib.tables._l_o_c_a",
    "fontTools.ttLib.tables._m_a_x_p",
    "fontTools.ttLib.tables._n_a_m_e",
    "fontTools.ttLib.tables._p_o_s_t",
    "fontTools.ttLib.tables._p_r_e_p",
    "pandas.core.methods.to_dict",
    "pandas.core.reshape.reshape",
    "pandas.io.formats.csvs",
    "pyarrow.pandas_compat",
)
"""Modules that libraries import only when they read or write a file such as a CSV or a font."""

OTHER_PACKAGES = ("implicit", "sklearn.decomposition", "sklearn.linear_model", "sklearn.neighbors")
"""Packages with which several jobs train systems; the library imports them only then."""

LEFT_OUT = frozenset({"receval.cli.main", "reproduction.workflow.jobs.fork_server"})
"""Modules that are programs, which no job imports."""


def libraries() -> Iterator[Callable[[], object]]:
    """Yield the steps that load what most jobs need."""
    yield from (partial(import_module, name) for name in LIBRARIES)


def all_the_rest() -> Iterator[Callable[[], object]]:
    """Yield the steps that load everything else, for a long run."""
    names = (*module_names(), *LOADED_WHEN_USED, *OTHER_PACKAGES)
    yield from (partial(import_module, name) for name in names)
    yield from (partial(compile_kernel, *kernel) for kernel in listed())
    yield find_threads
    yield use_large_pages


def module_names() -> Iterator[str]:
    """Yield the names of all modules of both packages, each package before its modules."""
    for package in (receval, reproduction):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            yield from _with_what_is_inside(module)


def _with_what_is_inside(module: pkgutil.ModuleInfo) -> Iterator[str]:
    if module.name not in LEFT_OUT:
        yield module.name
    if module.ispkg:
        finder = module.module_finder
        path = f"{finder.path}/{module.name.rpartition('.')[2]}"  # type: ignore[union-attr]
        for inner in pkgutil.iter_modules([path], f"{module.name}."):
            yield from _with_what_is_inside(inner)
