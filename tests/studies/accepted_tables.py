# SPDX-License-Identifier: MIT
"""All tables and pages that are accepted, printed again from their CSVs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import pandas as pd
from studies.prepared import ROOT

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table
from receval.storage.files import read_results
from reproduction.config.settings import load_settings
from reproduction.workflow.plan.plan import Plan

EDITIONS = ("full", "demo")


@dataclass(frozen=True)
class Accepted:
    """An artifact whose CSV is accepted, and how it is printed."""

    edition: str
    study: str
    artifact: str
    kind: str
    shown: Callable[[pd.DataFrame, DisplayStyle], Any]
    display: DisplayStyle

    def __str__(self) -> str:
        return f"{self.edition}-{self.study}-{self.artifact}"

    @property
    def results(self) -> pd.DataFrame:
        """The accepted results."""
        folder = ROOT / "results" / self.edition / self.study
        return read_results(folder / f"{self.artifact}.csv")

    def table(self) -> Table:
        """Return the table that is printed from them."""
        return self._table

    @cached_property
    def _table(self) -> Table:
        table: Table = self.shown(self.results, self.display)
        return table

    def page(self) -> str:
        """Return the page that is written from them."""
        page: str = self.shown(self.results, self.display)
        return page


@cache
def accepted(kind: str) -> list[Accepted]:
    """Return the artifacts of a kind in both editions."""
    return [one for edition in EDITIONS for one in _of_edition(edition) if one.kind == kind]


def _of_edition(edition: str) -> Iterator[Accepted]:
    plan = Plan(load_settings(ROOT / "config", edition, {}), ROOT)
    for study in plan.studies.specs:
        for csv in sorted((ROOT / "results" / edition / study).glob("*.csv")):
            kind = plan.artifacts.spec(study, csv.stem).kind
            if kind == "figure":
                continue
            module, _, name = plan.artifacts.showing_function(study, csv.stem).partition(":")
            shown = getattr(import_module(module), name)
            display = DisplayStyle.of(plan.descriptions.display(study, csv.stem))
            yield Accepted(edition, study, csv.stem, kind, shown, display)
