# SPDX-License-Identifier: MIT
"""Let a package offer names without importing the modules that define them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

Face = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]

_OFFERED: dict[str, str] = {}
"""The name under which a package offers each ``module:symbol``."""


def lazy_names(package: str, names: Mapping[str, str]) -> Face:
    """Return a package's ``__getattr__`` (PEP 562), ``__dir__`` and ``__all__``.

    ``names`` has ``module:symbol`` for each name to offer. All modules of a package depend on what
    its ``__init__`` imports, so an edit there would invalidate all of their results. Names are
    therefore imported on access, and the library itself imports them from the modules that define
    them. Type checkers read ``__init__.pyi``.
    """
    _OFFERED.update((target, name) for name, target in names.items())

    def imported(name: str) -> Any:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f". Did you mean {near[0]}?" if near and not name.startswith("_") else ""
            raise AttributeError(f"{package} has no attribute {name!r}{hint}")
        module, _, symbol = names[name].partition(":")
        return getattr(import_module(module), symbol)

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *names})

    return imported, listed, list(names)


def offered_name(module: str, symbol: str) -> str:
    """Return the name by which a person calls what a module defines, such as ``evaluate``."""
    return _OFFERED.get(f"{module}:{symbol}", symbol)
