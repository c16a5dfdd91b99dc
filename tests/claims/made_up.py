# SPDX-License-Identifier: MIT
"""Small made-up results and claims decided by them, and the declared claims and statements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from receval.storage.files import write_results
from reproduction.claims.ledger import OwnStatement, judge, own_statement
from reproduction.claims.quantities import Quantity, evaluated
from reproduction.claims.sources import ClaimContext, ClaimSources, LabelledValues
from reproduction.claims.spec import AnyRule, PaperClaims, read_claims
from reproduction.claims.verdicts import Finding
from reproduction.config.settings import load_settings

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


CLAIMS = Path(__file__).resolve().parents[2] / "config" / "claims"


@cache
def claims_of_paper(paper: str) -> PaperClaims:
    """The claims of a paper as config/claims declares them."""
    return read_claims(CLAIMS / f"{paper}.yaml")


class MadeUpResults:
    """Made-up results of a paper's study in a folder, by which its declared claims are judged."""

    def __init__(
        self, folder: Path, paper: str, datasets: Iterable[str] = ("ml-1m",), **config: Any
    ) -> None:
        self.paper = paper
        self.folder = folder / paper
        self.folder.mkdir(exist_ok=True)
        self.record(datasets, **config)

    def record(self, datasets: Iterable[str], **config: Any) -> None:
        """Say which datasets were there, and with which configuration."""
        provenance = {"datasets": {name: {} for name in datasets}, "config": config}
        (self.folder / "provenance.json").write_text(json.dumps(provenance))

    def write(self, artifact: str, rows: pd.DataFrame | Iterable[Mapping[str, Any]]) -> None:
        """Write the rows of an artifact."""
        table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows))
        # Whole numbers stay so in a column that lacks some.
        table.convert_dtypes().to_csv(
            self.folder / f"{artifact}.csv", index=False, float_format="%.10g"
        )

    @property
    def sources(self) -> ClaimSources:
        """The results as they are now."""
        return ClaimSources.of_folder(self.folder.parent)

    def judged(self, number: str, dataset: str | None = "ml-1m", form: str = "") -> Finding:
        """What is found on a claim."""
        claim = claims_of_paper(self.paper).claims[number]
        (check,) = (c for c in claim.checks if (c.dataset, c.form) == (dataset, form))
        return judge(check, claim, self.paper, self.sources)

    def verdict(self, number: str, dataset: str | None = "ml-1m", form: str = "") -> str:
        """The verdict on a claim."""
        return str(self.judged(number, dataset, form).verdict)


def own_statements() -> Iterator[tuple[str, str, OwnStatement]]:
    """Yield study, figure and statement."""
    for study, spec in load_settings(CLAIMS.parent, "full").studies.items():
        for name, artifact in spec.artifacts.items():
            for shown in artifact.shows:
                if not isinstance(shown, str):
                    yield study, name, own_statement(shown, f"{name} of {study}")
