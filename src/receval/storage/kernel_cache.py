# SPDX-License-Identifier: MIT
"""Choose where numba caches compiled kernels: beside their modules, or in the user's cache.

By default, numba caches kernels beside the module. When pip uninstalls a package, it removes only
the files that it installed, so the kernels would stay, in folders that Python takes for empty
packages. So an installed receval caches its kernels in the user's cache, and a checkout beside its
modules, like ``.pyc`` files. ``NUMBA_CACHE_DIR`` overrides both. If none of these folders can be
written, kernels are not cached.

The module also gives every process its own numbers of functions. numba names a function by its
source lines and by a number that starts at 1 in each process. ``np.sort`` and ``np.argsort`` come
from the same lines, so two processes can cache different functions under one name. A process that
loads both then calls the wrong one, and a list that should be sorted is not.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numba
from numba.core.bytecode import FunctionIdentity
from numba.misc.appdirs import AppDirs

_log = logging.getLogger(__name__)


def _number_functions_apart() -> None:
    """Start numba's numbering of functions at a value that no other process uses."""
    FunctionIdentity._unique_ids = count(secrets.randbits(60))


_number_functions_apart()
if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_number_functions_apart)


def njit(**options: Any) -> Callable[[Callable], Any]:
    """Return numba's decorator of the same name, with the right cache folder."""

    def kernel_of(function: Callable) -> Any:
        settings: Any = numba.config
        given = settings.CACHE_DIR
        # numba reads the setting only when it decorates, and the kernel then keeps its folder.
        settings.CACHE_DIR = given or folder_of_kernels(Path(__file__).parents[1])
        try:
            return numba.njit(**options)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            _say_that_there_is_none()
            return numba.njit(**{**options, "cache": False})(function)
        finally:
            settings.CACHE_DIR = given

    return kernel_of


@cache
def _say_that_there_is_none() -> None:
    """Warn once that kernels cannot be cached, which slows every command that computes."""
    _log.warning(
        "The code that numba compiles cannot be kept, so each command compiles it again. Set "
        "XDG_CACHE_HOME to a folder that can be written."
    )


@cache
def folder_of_kernels(package: Path) -> str:
    """Return the user's cache folder for an installed package, or "" for a checkout."""
    installed = any(package.parent.glob(f"{package.name}-*.dist-info"))
    folders: Any = AppDirs
    folder = folders(package.name, appauthor=False).user_cache_dir if installed else ""
    # An empty XDG_CACHE_HOME would mean the current folder.
    return folder if Path(folder).is_absolute() else ""
