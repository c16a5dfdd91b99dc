# SPDX-License-Identifier: MIT
"""Kendall's taus that claims of menamaldonado2021 have published values of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reproduction.claims.comparison_rules import NumberRule
from reproduction.claims.sources import SelectedCells
from reproduction.claims.spec import AnyRule, EachRule, read_claims

CLAIMS = Path(__file__).resolve().parents[2] / "config/claims/menamaldonado2021.yaml"


def published_coefficients() -> dict[tuple[str, str, str], float]:
    """Return the published tau by figure, dataset and metric of the y axis."""
    found: dict[tuple[str, str, str], float] = {}
    for claim in read_claims(CLAIMS).claims.values():
        for check in claim.checks:
            for rule in [] if check.form else _numbers(check.decide):
                cells = rule.ours
                if isinstance(cells, SelectedCells) and cells.column == "tau":
                    metric = str(cells.where["y_metric"])
                    found[str(check.artifact), str(check.dataset), metric] = rule.published
    return found


def _numbers(rule: AnyRule) -> Iterator[NumberRule]:
    if isinstance(rule, NumberRule):
        yield rule
    elif isinstance(rule, EachRule):
        for part in rule.parts.values():
            yield from _numbers(part)
