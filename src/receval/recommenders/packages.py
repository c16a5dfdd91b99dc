# SPDX-License-Identifier: MIT
"""Import the optional packages that some systems need, when such a system is trained."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def imported(system: object, module: str, distribution: str) -> ModuleType:
    """Import a module of a package that receval does not require.

    Parameters
    ----------
    system : object
        The recommender that needs it; its class is named in the message.
    module : str
        For example ``"implicit.cpu.als"``.
    distribution : str
        The package to install, for example ``"implicit"``.

    Returns
    -------
    module

    Raises
    ------
    ValueError
        If the package is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or module.partition(".")[0] != error.name.partition(".")[0]:
            raise
        raise ValueError(
            f"{type(system).__name__} is trained by the package {distribution}, which is not "
            f"installed: install it (pip install {distribution}), or receval with its extra "
            "'workflow', which has it."
        ) from error
