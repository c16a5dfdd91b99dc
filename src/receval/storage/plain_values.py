"""Descriptions of jobs as plain values, which Snakemake compares and other processes read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import PurePath
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as JSON has it: dataclasses are objects, tuples lists, and paths text.

    Parameters
    ----------
    value : object
        A dataclass, or what its fields hold.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(inner) for inner in value]
    return value.as_posix() if isinstance(value, PurePath) else value


def with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plain values of a dataclass's fields, of which none holds a list.

    What its lists and mappings hold stays as it is.
    """
    return {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
