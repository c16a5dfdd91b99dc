# SPDX-License-Identifier: MIT
"""Table of the verdicts on a paper's claims: the part of the ledger beside its figures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from textwrap import shorten
from typing import Any

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, in_text
from receval.figures.tables import LONGEST_CELL, Column, Table, printed
from receval.storage.files import read_results
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.studies._shared.inputs import ArtifactInputs

ALL = "all"


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rows of the ledger that the parameter ``claims`` names, or all of the paper.

    The columns are those of the ledger without the paper.
    """
    ledger = read_results(inputs.judged_claims).drop(columns="paper")
    wanted = inputs.parameters["claims"]
    if wanted == ALL:
        return ledger
    if missing := [claim for claim in wanted if claim not in set(ledger["claim"])]:
        raise ValueError(
            f"{inputs.judged_claims} has no verdict on {', '.join(missing)}: correct the numbers "
            "under claims, or list these claims in config/claims."
        )
    return ledger[ledger["claim"].isin(list(wanted))]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per decided claim and dataset; a note names the others.

    The results of other forms of a claim are only in the CSV.

    If all claims are numbers, columns are the paper's number and ours; else the statement and our
    results.
    """
    results = results[results["form"] == ""]
    is_decided = results["verdict"] != ClaimVerdict.UNDECIDABLE
    decided = results[is_decided]
    numbers = bool((decided["published"] != "").all())
    widths = {"Verdict": 0.12, "Claim": None, "Dataset": 0.1, "The paper": 0.33}
    if not numbers:
        widths |= {"Rule": 0.15, "Ours": 0.22}
    texts = [Column(head, width=width) for head, width in widths.items()]
    rows = [_cells(row, display, numbers) for row in decided.to_dict("records")]
    notes = _notes(results[~is_decided], display)
    return printed(display, texts, ("Published", "Ours") if numbers else (), rows, notes)


def _cells(row: Mapping[Hashable, Any], display: DisplayStyle, numbers: bool) -> tuple[str, ...]:
    dataset = display.datasets.get(row["dataset"], row["dataset"]) or NOTHING
    first = (str(row["verdict"]), str(row["claim"]), dataset, _short(row["statement"]))
    if numbers:
        return (*first, _short(row["expected"]), _short(row["ours"]))
    return (*first, _short(row["rule"]), _short(row["ours"]))


def _short(text: object) -> str:
    # To the end of a word: half of a number would be another number.
    return in_text(shorten(str(text), LONGEST_CELL, placeholder=" ...")) or NOTHING


def _notes(undecided: pd.DataFrame, display: DisplayStyle) -> list[str]:
    parts = [
        f"{display.datasets.get(dataset, dataset) or 'any data'}: "
        f"{', '.join(dict.fromkeys(rows['claim']))}"
        for dataset, rows in undecided.groupby("dataset", sort=False)
    ]
    return [f"Not decided, for want of data, on {'; on '.join(parts)}."] if parts else []
