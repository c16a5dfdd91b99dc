"""Reading configuration files, with errors that say where to look."""

from __future__ import annotations

from collections.abc import Hashable
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

# libyaml's parser is an order of magnitude faster, and is part of PyYAML's own builds.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _UniqueKeysLoader(_Loader):  # type: ignore[misc,valid-type]
    """YAML silently keeps the last of two equal keys; here the second one is an error."""

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, object]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value} occurs twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping.

    Raises
    ------
    ValueError
        The file is missing, is not valid YAML, has a key twice, or holds no mapping.
    """
    try:
        content = _parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ValueError(f"The configuration file {path} is missing.") from error
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not valid YAML: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must hold keys with values, but it does not.")
    # The caller may change what it gets.
    return deepcopy(content)


@lru_cache(maxsize=64)
def _parsed(text: str) -> object:
    # A subclass of the safe loader, so no objects are constructed. A workflow reads the same files
    # for each edition.
    return yaml.load(text, Loader=_UniqueKeysLoader)


def sentences(error: ValidationError) -> list[str]:
    """Return one sentence for each problem of a validation: the key, and what is wrong with it."""
    lines = []
    for problem in error.errors():
        place = ".".join(str(part) for part in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "extra_forbidden":
            message = "there is no such key; remove it or correct its spelling"
        elif problem["type"] == "missing":
            message = "the key is missing"
        lines.append(f"  {place}: {message}." if place else f"  {message}.")
    return lines
