# SPDX-License-Identifier: MIT
"""Names that a package offers without importing the modules that define them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's ``__getattr__`` (PEP 562) that imports a name when it is asked for.

    What a package imports by itself is part of the code that all its modules depend on: an edit
    there would make every result again that any of them has made.

    Parameters
    ----------
    package : str
        For the message where there is no such name.
    names : mapping of str to str
        ``module:symbol`` by the name to offer.
    """

    def imported(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"{package} has no attribute {name!r}")
        module, _, symbol = names[name].partition(":")
        return getattr(import_module(module), symbol)

    return imported
