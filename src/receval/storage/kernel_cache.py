# SPDX-License-Identifier: MIT
"""Where compiled kernels are kept: beside their module, or in the user's cache.

numba keeps what it compiles beside the module. Of a package that pip has installed, pip removes
only what it has put there: the kernels would stay, and with them folders that Python takes for a
package without content. So an installed receval keeps its kernels in the user's cache, and a
checkout keeps them beside its modules, as with ``.pyc``. ``NUMBA_CACHE_DIR`` goes before both.
Where none of these can be written, kernels are not kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.misc.appdirs import AppDirs

_log = logging.getLogger(__name__)


def njit(**options: Any) -> Callable[[Callable], Any]:
    """Return numba's decorator of the same name, which keeps what it compiles where it should.

    Parameters
    ----------
    **options
        Of ``numba.njit``.
    """

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
    """Return the user's cache for a package that was installed, and no folder for a checkout.

    Parameters
    ----------
    package : Path
        The folder of the package, ``receval``.
    """
    installed = any(package.parent.glob(f"{package.name}-*.dist-info"))
    folders: Any = AppDirs
    folder = folders(package.name, appauthor=False).user_cache_dir if installed else ""
    # An empty XDG_CACHE_HOME would be the folder that a person works in.
    return folder if Path(folder).is_absolute() else ""
