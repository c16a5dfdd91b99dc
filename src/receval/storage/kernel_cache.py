# SPDX-License-Identifier: MIT
"""Where compiled kernels are kept: beside their module, or in the user's cache.

numba keeps what it compiles beside the module. Of a package that pip has installed, pip removes
only what it has put there: the kernels would stay, and with them folders that Python takes for a
package without content. So an installed receval keeps its kernels in the user's cache, and a
checkout keeps them beside its modules, as with ``.pyc``. ``NUMBA_CACHE_DIR`` goes before both.
Where none of these can be written, kernels are not kept.

Every process gives its functions numbers of its own. numba names a function by where it was written
and by a number that starts at 1 in each process. ``np.sort`` and ``np.argsort`` come from the same
lines, so that two processes can keep two different functions under one name. A process that loads
both then calls one of them for the other, and a list that should be sorted is not.
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
    """Begin numba's numbers of functions where no other process begins them."""
    FunctionIdentity._unique_ids = count(secrets.randbits(60))


_number_functions_apart()
if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_number_functions_apart)


def njit(**options: Any) -> Callable[[Callable], Any]:
    """Return numba's decorator of the same name, which keeps what it compiles where it should."""

    def kernel_of(function: Callable) -> Any:
        settings: Any = numba.config
        given = settings.CACHE_DIR
        # numba looks at it when it decorates, here and now, and the kernel keeps its folder.
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
    """Say once what every command that computes is slower for."""
    _log.warning(
        "What numba compiles can be kept nowhere, so that each command compiles it again: name a "
        "folder that can be written by XDG_CACHE_HOME."
    )


@cache
def folder_of_kernels(package: Path) -> str:
    """Return the user's cache for a package that was installed, and no folder for a checkout."""
    installed = any(package.parent.glob(f"{package.name}-*.dist-info"))
    folders: Any = AppDirs
    folder = folders(package.name, appauthor=False).user_cache_dir if installed else ""
    # An empty XDG_CACHE_HOME would be the folder that a person works in.
    return folder if Path(folder).is_absolute() else ""
