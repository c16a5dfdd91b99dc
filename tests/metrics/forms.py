# SPDX-License-Identifier: MIT
"""Every metric with every value of every parameter."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from typing import Any, Literal, get_args, get_origin, get_type_hints

from receval.metrics.metric import Metric
from receval.metrics.registry import METRICS, metric_class

COMMON = tuple(field.name for field in fields(Metric))
NUMBERS = {
    "phi": (0.5, 0.9),
    "gamma": (0.0, 0.5, 1.0, float("inf")),
    "least": (0.001, 0.2),
    "most": (2.0, 10_000.0),
}


def choices(kind: type) -> dict[str, tuple[Any, ...]]:
    """Return the values to try for each parameter that a dataclass has of its own."""
    hints = get_type_hints(kind)
    own = [field.name for field in fields(kind) if field.name not in COMMON]
    return {
        name: get_args(hints[name]) if get_origin(hints[name]) is Literal else NUMBERS[name]
        for name in own
    }


def forms(name: str) -> list[Metric]:
    """Return a metric, by name, with every combination of its own parameters that it takes."""
    kind = metric_class(name)
    own = choices(kind)
    combined = [dict(zip(own, values, strict=True)) for values in product(*own.values())]
    # At every rank of the ideal list a relevant item has one gain only if gains are binary.
    return [kind(**of) for of in combined if of.get("ideal") != "ranks" or of["gain"] == "binary"]


def cutoffs_of(name: str, cutoffs: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Leave out the missing cut-off for the one metric that needs one."""
    return tuple(n for n in cutoffs if n is not None or name != "FilledRanks")


ALL = [form for name in METRICS for form in forms(name)]
