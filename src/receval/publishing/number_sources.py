# SPDX-License-Identifier: MIT
"""What numbers of the paper are read from: results, the ledger, errata, the plan, replications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval.claims.errata import Erratum
from receval.claims.sources import ClaimSources
from receval.publishing.paper_spec import ANY
from receval.storage.files import read_results, real_values

VERDICTS = "ledger/verdicts"
CLAIMS = "ledger/claims"
ERRATA = "ledger/errata"
CAUSES = "ledger/causes"
CERTAINTY = "ledger/certainty"
COUNTS = "plan/counts"


@dataclass(frozen=True)
class PaperInputs:
    """The files of an edition that the paper is written from.

    Attributes
    ----------
    ledger : Path
        ``claims.csv``, in the folder that has the folders of the studies.
    results, records : sequence of Path
        ``<study>/<artifact>.csv`` and ``<study>/provenance.json``.
    errata : Path
        ``config/errata.yaml``, in the folder of the configuration.
    documents : sequence of Path
        Documents of the repository, in which numbers are written.
    certainty : Path, optional
        ``certainty.csv``, of the replications.
    counts : mapping of str to int
        What the plan has of each.
    figures : sequence of str
        What the text calls the drawings that there are.
    synthetic : bool
        Whether the data are twins.
    """

    ledger: Path
    results: Sequence[Path]
    records: Sequence[Path]
    errata: Path
    documents: Sequence[Path] = ()
    certainty: Path | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    figures: Sequence[str] = ()
    synthetic: bool = False


class NumberSources(ClaimSources):
    """Results of an edition, and tables that are made of others.

    Parameters
    ----------
    inputs : PaperInputs
    ledger : DataFrame
        Verdicts by claim and dataset.
    claims : DataFrame
        Verdicts by claim: :func:`receval.publishing.claim_counts.claims_of`.
    errata : mapping of str to Erratum
    causes : sequence of mapping
        How many claims fail by cause.
    """

    def __init__(
        self,
        inputs: PaperInputs,
        ledger: pd.DataFrame,
        claims: pd.DataFrame,
        errata: Mapping[str, Erratum],
        causes: Sequence[Mapping[str, Any]],
    ) -> None:
        super().__init__(
            {f"{path.parent.name}/{path.stem}": path for path in inputs.results},
            {path.parent.name: path for path in inputs.records},
        )
        self._made = {
            **_own_tables(inputs, ledger, claims, errata),
            CAUSES: pd.DataFrame(causes),
        }

    def table(self, artifact: str) -> pd.DataFrame:
        return self._made[artifact] if artifact in self._made else super().table(artifact)

    def has(self, study: str, dataset: str) -> bool:
        # A number that names no study is of those that are made of all of them.
        return study == ANY or super().has(study, dataset)

    def missing(self, study: str, what: str, there: str) -> Exception:
        # What twins do not have is said of each number, so whatever else is missing is a fault.
        return ValueError(f"there is no {what}, only {there}: correct paper/numbers.yaml.")


def _own_tables(
    inputs: PaperInputs,
    ledger: pd.DataFrame,
    claims: pd.DataFrame,
    errata: Mapping[str, Erratum],
) -> dict[str, pd.DataFrame]:
    files = sorted(inputs.errata.parent.rglob("*.yaml"))
    lines = {
        "lines-of-configuration": sum(map(_lines, files)),
        "lines-of-claims": sum(_lines(path) for path in files if path.parent.name == "claims"),
        "configuration-files": len(files),
    }
    rows = [(name, e.paper, e.certainty, bool(e.size.numbers)) for name, e in errata.items()]
    counts = {**inputs.counts, **lines}
    tables = {
        VERDICTS: ledger[ledger["form"] == ""].reset_index(drop=True),
        CLAIMS: claims,
        ERRATA: pd.DataFrame(rows, columns=["erratum", "paper", "certainty", "measured"]),
        COUNTS: pd.DataFrame({"of": list(counts), "value": list(counts.values())}),
    }
    if inputs.certainty is not None:
        tables[CERTAINTY] = _with_outcomes(read_results(inputs.certainty))
    return tables


def _with_outcomes(certainty: pd.DataFrame) -> pd.DataFrame:
    """Add whether a claim holds in its replications ``always``, ``sometimes`` or ``never``."""
    trials, holding = (real_values(certainty[name]) for name in ("replications", "holding"))
    outcomes = np.select(
        [~(trials > 0), holding == trials, holding == 0],
        ["not repeated", "always", "never"],
        "sometimes",
    )
    return certainty.assign(outcome=outcomes)


def _lines(path: Path) -> int:
    """Count the lines of a file of configuration that say something."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)
