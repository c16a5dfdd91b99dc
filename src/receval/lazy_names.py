# SPDX-License-Identifier: MIT
"""Names that a package offers without importing the modules that define them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

Face = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def lazy_names(package: str, names: Mapping[str, str]) -> Face:
    """Return a package's ``__getattr__`` (PEP 562), ``__dir__`` and ``__all__``.

    What a package imports by itself is part of the code that all its modules depend on: an edit
    there would make every result again that any of them has made. So names are imported when they
    are asked for, and code of the library itself takes them from the modules that define them:
    what a package offers in this way is no part of any result. Type checkers read the file
    ``__init__.pyi`` beside.

    Parameters
    ----------
    package : str
        That offers the names.
    names : mapping of str to str
        ``module:symbol`` by the name to offer.

    Raises
    ------
    AttributeError
        By the first of what is returned, for a name that the package does not have; the message
        has the nearest one.
    """

    def imported(name: str) -> Any:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near and not name.startswith("_") else ""
            raise AttributeError(f"{package} has no attribute {name!r}{hint}")
        module, _, symbol = names[name].partition(":")
        return getattr(import_module(module), symbol)

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return imported, listed, list(names)
