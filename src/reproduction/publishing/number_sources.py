# SPDX-License-Identifier: MIT
"""What numbers of the paper are read from: results, the ledger, errata, the plan, replications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval.storage.files import real_values
from reproduction.claims.errata import Erratum
from reproduction.claims.sources import ClaimSources
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.publishing.paper_spec import ANY

VERDICTS = "ledger/verdicts"
CLAIMS = "ledger/claims"
NEWER = "ledger/newer"
ERRATA = "ledger/errata"
CAUSES = "ledger/causes"
FORMS = "ledger/forms"
TOLERANCES = "ledger/tolerances"
CERTAINTY = "ledger/certainty"
VARIANCE = "ledger/variance"
COUNTS = "plan/counts"

_DIGITS = 6
"""Of a distance in tolerances."""


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
    certainty, variance : Path, optional
        ``certainty.csv`` and ``variance.csv``, of the replications.
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
    variance: Path | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    figures: Sequence[str] = ()
    synthetic: bool = False


class NumberSources(ClaimSources):
    """Results of an edition, and tables that are made of others."""

    def __init__(
        self,
        inputs: PaperInputs,
        ledger: pd.DataFrame,
        claims: pd.DataFrame,
        newer: pd.DataFrame,
        errata: Mapping[str, Erratum],
        causes: Sequence[Mapping[str, Any]],
        replications: Mapping[str, pd.DataFrame] | None = None,
    ) -> None:
        super().__init__(
            {f"{path.parent.name}/{path.stem}": path for path in inputs.results},
            {path.parent.name: path for path in inputs.records},
        )
        self._made = {
            **_own_tables(inputs, ledger, claims, errata),
            NEWER: newer,
            CAUSES: pd.DataFrame(causes),
            **(replications or {}),
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
    rows = [(name, e.paper, e.certainty, bool(e.size.numbers)) for name, e in errata.items()]
    return {
        VERDICTS: ledger[ledger["form"] == ""].reset_index(drop=True),
        CLAIMS: claims,
        FORMS: _other_forms(ledger),
        TOLERANCES: _in_tolerances(ledger),
        ERRATA: pd.DataFrame(rows, columns=["erratum", "paper", "certainty", "measured"]),
        COUNTS: pd.DataFrame({"of": list(inputs.counts), "value": list(inputs.counts.values())}),
    }


def _other_forms(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the decided verdicts of other forms, with that of the claim (``own``)."""
    keys = ["claim", "dataset"]
    own = ledger.loc[ledger["form"] == "", [*keys, "verdict"]].rename(columns={"verdict": "own"})
    forms = ledger[(ledger["form"] != "") & (ledger["verdict"] != ClaimVerdict.UNDECIDABLE)]
    found = forms.merge(own, on=keys, how="left")
    same = np.where(found["verdict"] == found["own"], "yes", "no")
    return found.assign(same=same)


def _in_tolerances(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers that are judged by a tolerance, with their distances in tolerances.

    ``within_half``, ``within`` and ``within_twice`` are ``yes`` or ``no``.
    """
    names = ("published", "value", "rule")
    if not {*names} <= set(ledger.columns):
        return pd.DataFrame(columns=["claim", "within_half", "within", "within_twice"])
    own = ledger[(ledger["form"] == "") & (ledger["verdict"] != ClaimVerdict.UNDECIDABLE)]
    tolerance = real_values(own["rule"].str.extract(r"^within ([\d.]+)$")[0])
    off = np.abs(real_values(own["value"]) - real_values(own["published"]))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Ends belong to a tolerance, whatever the last digit of a difference.
        times = np.round(off / tolerance, _DIGITS)
    widths = {"within_half": 0.5, "within": 1.0, "within_twice": 2.0}
    said = {name: np.where(times <= width, "yes", "no") for name, width in widths.items()}
    return own.assign(**said)[~np.isnan(times)].reset_index(drop=True)
