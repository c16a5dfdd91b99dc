# SPDX-License-Identifier: MIT
"""Defaults of public functions, methods and classes are a promise: here they stand, all of them.

A call that leaves a parameter out gets another result when its default changes, and most tests name
what they pass. Whoever means to change one writes the list again:

    python tests/library/test_defaults.py > tests/library/defaults.txt
"""

from __future__ import annotations

import enum
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import BaseModel

import receval

LIST = Path(__file__).with_name("defaults.txt")

PACKAGES = (
    "data",
    "evaluation",
    "metrics",
    "missing_judgments",
    "multiverse",
    "protocols",
    "recommenders",
    "splits",
    "statistics",
    "theory",
    "tuning",
)
"""What users of the library import."""


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(receval.__path__, "receval."):
        if info.name.split(".")[1] in PACKAGES:
            yield import_module(info.name)


def of_today() -> Iterator[str]:
    """Yield a line for everything public that has defaults."""
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            # numba's kernels have the signature of what they were compiled from.
            function = getattr(value, "py_func", value)
            if inspect.isfunction(function):
                yield from line(f"{module.__name__}:{name}", function)
            # What models of configuration leave out stands in config/schema.json.
            elif inspect.isclass(value) and not issubclass(value, (BaseModel, enum.Enum)):
                yield from lines_of_class(f"{module.__name__}:{name}", value)


def lines_of_class(name: str, public: type) -> Iterator[str]:
    yield from line(name, public)
    for method, value in vars(public).items():
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if not method.startswith("_") and inspect.isfunction(function):
            yield from line(f"{name}.{method}", function)


def line(name: str, function: Any) -> Iterator[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # exceptions and dictionaries have the signatures of their built-in bases
        return
    defaults = [
        f"{parameter.name}={getattr(parameter.default, '__qualname__', repr(parameter.default))}"
        for parameter in parameters
        if parameter.default is not parameter.empty and not parameter.name.startswith("_")
    ]
    if defaults:
        yield f"{name}({', '.join(defaults)})"


def test_public_defaults_are_those_listed() -> None:
    found = sorted(of_today())
    listed = LIST.read_text(encoding="utf-8").splitlines()
    new, gone = sorted(set(found) - set(listed)), sorted(set(listed) - set(found))
    assert (new, gone) == ([], []), "If it is meant, write the list again."
    assert found == listed


if __name__ == "__main__":
    print(*sorted(of_today()), sep="\n")
