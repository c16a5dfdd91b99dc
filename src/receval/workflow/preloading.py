"""What a run of many jobs loads once for all of them."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator

import receval

LEFT_OUT = frozenset({"receval.cli", "receval.workflow.fork_server"})
"""Programs, which no job imports."""


def module_names() -> Iterator[str]:
    """Yield the names of all modules of the package, packages before what is in them."""
    for folder in receval.__path__:
        for module in pkgutil.iter_modules([folder], "receval."):
            yield from _with_what_is_inside(module)


def _with_what_is_inside(module: pkgutil.ModuleInfo) -> Iterator[str]:
    if module.name not in LEFT_OUT:
        yield module.name
    if module.ispkg:
        finder = module.module_finder
        path = f"{finder.path}/{module.name.rpartition('.')[2]}"  # type: ignore[union-attr]
        for inner in pkgutil.iter_modules([path], f"{module.name}."):
            yield from _with_what_is_inside(inner)
