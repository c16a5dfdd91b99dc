# SPDX-License-Identifier: MIT
"""What a rule asks for: one function of the library, and the named values it is called with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

UNUSED_PARAMETERS = frozenset({"code"})
"""Parameters of rules that only tell Snakemake when to run a job again."""


class NamedFiles(Protocol):
    """Snakemake's list of a job's inputs, outputs or logs, of which each has a name."""

    def items(self) -> Any:
        """Return pairs of a name and a path, or a list of paths."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Call:
    """A call of a library function by name, as plain values that another process can read.

    Attributes
    ----------
    function : str
        ``module:name``.
    arguments : dict
        Keyword arguments. Files are ``Path`` or tuples of ``Path``.
    """

    function: str
    arguments: dict[str, Any]

    @classmethod
    def of_rule(
        cls,
        function: str,
        inputs: NamedFiles,
        outputs: NamedFiles,
        params: Mapping[str, Any],
        more: Mapping[str, Any],
    ) -> Call:
        """Return the call that a rule makes: every name of the rule is one of the function."""
        arguments: dict[str, Any] = {}
        sources = {
            "input": _paths(inputs, function, "input"),
            "output": _paths(outputs, function, "output"),
            "params": {k: v for k, v in params.items() if k not in UNUSED_PARAMETERS},
            "the rule's body": more,
        }
        for source, values in sources.items():
            twice = sorted(values.keys() & arguments.keys())
            if twice:
                raise ValueError(
                    f"The rule that calls {function} has {', '.join(twice)} under {source} and "
                    "above it: every name is one argument of the function. Rename one of them."
                )
            arguments |= values
        return cls(function, arguments)

    @property
    def name(self) -> str:
        """The function's name, without its module."""
        return self.function.rpartition(":")[2]

    def load(self) -> Callable[..., object]:
        """Import the function."""
        function: Callable[..., object] = getattr(
            import_module(self.function.partition(":")[0]), self.name
        )
        return function

    def make(self) -> None:
        """Import the function and call it."""
        self.load()(**self.arguments)


def paths_of(files: NamedFiles) -> list[Path]:
    """Return all files of a job's inputs, outputs or logs."""
    return [
        Path(path)
        for _, value in files.items()
        for path in ([value] if isinstance(value, str) else value)
    ]


def _paths(files: NamedFiles, function: str, kind: str) -> dict[str, Any]:
    named = {name: _path(value) for name, value in files.items()}
    held = sum(len(value) if isinstance(value, tuple) else 1 for value in named.values())
    if held != len(files):
        raise ValueError(
            f"The rule that calls {function} has {len(files) - held} files without a name under "
            f"{kind}: name each after the function's argument."
        )
    return named


def _path(value: str | list[str]) -> Path | tuple[Path, ...]:
    return Path(value) if isinstance(value, str) else tuple(map(Path, value))
