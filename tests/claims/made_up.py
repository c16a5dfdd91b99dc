# SPDX-License-Identifier: MIT
"""Small made-up results, and claims decided by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from receval.storage.files import write_results
from reproduction.claims.cells import ClaimContext
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.rules.registry import AnyRule
from reproduction.claims.sources import ClaimSources, LabelledValues
from reproduction.claims.verdicts import Finding

STUDY = "bellogin2017"
CONTEXT = ClaimContext(STUDY, "fig01", "ml-1m")


def sources_of(folder: Path, rows: list[dict[str, Any]], **settings: Any) -> ClaimSources:
    """Results of one artifact, fig01, and the record of its study."""
    own = folder / STUDY
    write_results(pd.DataFrame(rows), own / "fig01.csv")
    datasets = {str(row["dataset"]): {"n_users": 6040} for row in rows}
    record = {"config": settings, "datasets": datasets}
    (own / "provenance.json").write_text(json.dumps(record))
    return ClaimSources.of_folder(folder)


def values_of(**systems: float) -> list[dict[str, Any]]:
    """A value for each system on ml-1m, as rows."""
    return [{"dataset": "ml-1m", "system": s, "value": v} for s, v in systems.items()]


def line(system: str, **points: float) -> list[dict[str, Any]]:
    """Values of a system along a column ``x``; names of points are ``at1``, ``at2`` ..."""
    return [
        {"dataset": "ml-1m", "system": system, "x": int(name[2:]), "value": value}
        for name, value in points.items()
    ]


def quantity(plain: Any) -> Quantity:
    """A quantity from plain values."""
    made: Quantity = TypeAdapter(Quantity).validate_python(plain)
    return made


def numbers(plain: Any, sources: ClaimSources, context: ClaimContext = CONTEXT) -> LabelledValues:
    """The numbers of a quantity given as plain values."""
    return evaluated(quantity(plain), sources, context)


def judged(plain: Any, sources: ClaimSources, context: ClaimContext = CONTEXT) -> Finding:
    """What a rule given as plain values finds."""
    rule: AnyRule = TypeAdapter(AnyRule).validate_python(plain)
    return rule.judge(sources, context)
