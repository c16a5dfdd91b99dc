# SPDX-License-Identifier: MIT
"""Read configuration files, with errors that name the file, the line and the key."""

from __future__ import annotations

import pickle
import re
from collections.abc import Collection, Hashable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from receval.spec_types import Identifier
from receval.storage.messages import about_files, enumerated, joined, shortened
from reproduction.datasets.spec import DatasetSpec
from reproduction.drift.spec import DriftSpec
from reproduction.simulation.spec import TwinSpec

MOST_DEPTH = 50
"""Maximum depth of nested mappings and lists."""

MOST_VALUES = 100_000
"""Maximum number of values in a file with aliases."""

_Kind = TypeVar("_Kind")

_MERGE = "tag:yaml.org,2002:merge"

# libyaml's parser is an order of magnitude faster, and is part of PyYAML's own builds.
_Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _UniqueKeysLoader(_Loader):  # type: ignore[misc,valid-type]
    """YAML loader that refuses repeated keys, of which YAML would silently keep the last."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._flattened: set[int] = set()
        self._merged = 0

    def construct_mapping(
        self, node: yaml.MappingNode, deep: bool = False
    ) -> dict[Hashable, object]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is a list or a mapping instead of text", key.start_mark
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {shortened(key.value)} occurs twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge what ``<<`` names, up to a size limit, because each line could double it."""
        own = [value for key, value in node.value if key.tag == _MERGE and value is not node]
        for value in own:
            taken = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for each in taken:
                if isinstance(each, yaml.MappingNode) and id(each) not in self._flattened:
                    self._flattened.add(id(each))
                    self.flatten_mapping(each)
            self._merged += sum(len(each.value) for each in taken)
        if self._merged > MOST_VALUES:
            raise yaml.constructor.ConstructorError(
                None, None, f"<< stands for more than {MOST_VALUES:,} values", node.start_mark
            )
        super().flatten_mapping(node)


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file that holds a mapping; keys that repeat and deep nesting are refused."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(f"{path} is a device or a pipe. Name a YAML file.")
    try:
        # A copy, because the caller may change it.
        content = pickle.loads(_parsed(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise ValueError(f"The configuration file {path} is missing.") from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not UTF-8 text: byte {error.start:,} is {error.object[error.start]:#x}."
        ) from error
    except OSError as error:
        raise ValueError(about_files(error)) from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        words = getattr(error, "problem", None) or str(error)
        reason = shortened(" ".join(words.split()).rstrip("."), 200)
        raise ValueError(f"{path} is not valid YAML: {where}{reason}.") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path} must contain keys with values, but it does not.")
    return content


@lru_cache(maxsize=64)
def _parsed(text: str) -> bytes:
    # The loader is a subclass of the safe loader, so it constructs no objects. A workflow reads the
    # same files for each edition, and unpickling is much faster than a deep copy.
    _check_depth(text)
    try:
        content = yaml.load(text, Loader=_UniqueKeysLoader)
    except (TypeError, AttributeError, LookupError, ArithmeticError) as error:
        # Raised for values that do not fit their tags.
        raise ValueError(f"a value cannot be read ({error})") from error
    if "*" in text:
        _check_aliases(content, {})
    return pickle.dumps(content)


def _check_depth(text: str) -> None:
    """Refuse text that is nested too deeply, because libyaml would overflow its stack.

    Its parser of events, which is used here, is not recursive.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise ValueError(f"it is nested more than {MOST_DEPTH} levels deep")


def _check_aliases(content: object, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Return the number and depth of values, counting those of an alias wherever it is used.

    Loops, and numbers or depths above the limits, are refused.
    """
    if not isinstance(content, dict | list | set):
        return 1, 0
    if id(content) in known:
        found = known[id(content)]
        if found is None:
            raise ValueError("an alias refers to a value that contains the alias")
        return found
    known[id(content)] = None
    parts = content.values() if isinstance(content, dict) else content
    values, depth = 1, 0
    for part in parts:
        of_part = _check_aliases(part, known)
        values += of_part[0]
        depth = max(depth, of_part[1])
    if values > MOST_VALUES:
        raise ValueError(f"its aliases stand for more than {MOST_VALUES:,} values")
    if depth >= MOST_DEPTH:
        raise ValueError(f"with its aliases, it is nested more than {MOST_DEPTH} levels deep")
    known[id(content)] = values, depth + 1
    return values, depth + 1


def sentences(error: ValidationError) -> list[str]:
    """Return one sentence per problem of a validation, with the key and what is wrong."""
    lines = []
    for problem in error.errors():
        where = ".".join(shortened(str(part)) for part in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        if problem["type"] == "extra_forbidden":
            message = "there is no such key. Remove it or correct its spelling"
        elif problem["type"] == "missing":
            message = "the key is missing"
        lines.append(f"{where}: {message}." if where else f"{message}.")
    return lines


def validated(kind: type[_Kind], content: object, heading: str) -> _Kind:
    """Return what was read as a model, or refuse it with a heading and a sentence per problem."""
    try:
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        raise ValueError(joined(heading, sentences(error))) from error


def load_datasets(path: Path) -> dict[str, DatasetSpec]:
    """Read the registry of datasets; an error names the file and each offending field."""
    return validated(dict[Identifier, DatasetSpec], read_yaml(path), f"{path} cannot be used:")


def load_twins(path: Path) -> dict[str, TwinSpec]:
    """Read the file of synthetic twins; an error names the file and each offending field.

    Examples
    --------
    >>> entry = '''
    ... club:
    ...   users: 20
    ...   items: 10
    ...   activity: {total: 100, minimum: 2, maximum: 8, spread: 0.5}
    ...   preferences: {factors: 2, taste: 0.5, quality: 0.2, leniency: 0.1}
    ...   exposure:
    ...     {item_gini: 0.3, head_width: 0.2, quality_correlation: 0.5, relevance_strength: 1}
    ...   scale: {step: 1, marginal: {1: 30, 2: 30, 3: 40}}
    ... '''
    >>> _ = Path("twins.yaml").write_text(entry)
    >>> twin = load_twins(Path("twins.yaml"))["club"]
    >>> twin.users, twin.activity.total, twin.repeated_share
    (20, 100, 0.0)
    """
    return validated(dict[str, TwinSpec], read_yaml(path), f"{path} cannot be used:")


def load_drift_spec(path: Path) -> DriftSpec:
    """Read and check ``config/drift.yaml``; an error names the keys."""
    return validated(DriftSpec, read_yaml(path), f"{path} does not describe tolerances:")


OWN = ("receval", "reproduction")
"""The library, and the reproduction of papers."""

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def check_name(name: str, plugins: Collection[str]) -> None:
    """Refuse the name of code that must not be imported.

    Examples
    --------
    >>> check_name("receval.recommenders.plsa:PLSA", plugins=())
    >>> check_name("os:system", plugins=())
    Traceback (most recent call last):
    ...
    ValueError: os:system is neither in receval nor in reproduction nor in a plugin (no plugin ...
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{shortened(name)!r} is not the name of code. Use the form 'package.module:name', "
            "for example 'receval.recommenders.plsa:PLSA'"
        )
    package = package_of(name)
    if package not in OWN and package not in plugins:
        plural = (
            f"the plugins are {enumerated(sorted(plugins))}" if plugins else ("no plugin is listed")
        )
        raise ValueError(
            f"{shortened(name)} is neither in {' nor in '.join(OWN)} nor in a plugin ({plural}). "
            f"If it is yours, list its package {shortened(package)} under plugins in "
            "config/config.yaml"
        )


def package_of(name: str) -> str:
    """Return the package of a module, or of a name in a module.

    Examples
    --------
    >>> package_of("receval.recommenders.plsa:PLSA")
    'receval'
    """
    return re.split("[.:]", name)[0]
