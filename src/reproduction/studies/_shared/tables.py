# SPDX-License-Identifier: MIT
"""Tables of several studies: texts from the configuration, datasets, and verdicts on claims."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from receval.data.ratings import Ratings
from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, fixed, in_text
from receval.figures.tables import LONGEST_CELL, Column, Table, printed, printed_text
from receval.statistics.inequality import density, gini
from receval.storage.files import read_results
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.studies._shared.inputs import ArtifactInputs


def data_texts(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the texts in columns.

    Parameters of the artifact: ``headings`` (of the columns) and ``cells`` (the texts, row by row).
    """
    headings, cells = (list(inputs.parameters[name]) for name in ("headings", "cells"))
    width = len(headings)
    if len(cells) % width:
        raise ValueError(
            f"The parameter cells has {len(cells)} texts, which do not make whole rows of {width}: "
            f"give one under each of {', '.join(headings)} in every row."
        )
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    return pd.DataFrame(rows, columns=headings)


def tabulate_texts(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the columns.

    Parameters of the artifact: ``width_percents`` (of the columns, in per cent of the text's) and,
    optionally, ``formulas`` (headings of the columns of formulas in LaTeX) and ``printed_headings``
    (if those of the CSV are too long for print).
    """
    formulas = display.parameters.get("formulas", ())
    shown = results.assign(**{name: "$`" + results[name] + "`$" for name in formulas})
    shown.columns = list(display.parameters.get("printed_headings", shown.columns))
    return printed_text(
        display, shown, [percent / 100 for percent in display.parameters["width_percents"]]
    )


def dataset_statistics(datasets: Iterable[tuple[str, Ratings]]) -> pd.DataFrame:
    """Return the statistics of datasets, one row per dataset.

    Columns: dataset; users, items, ratings (numbers); density_percent (share of pairs with a
    rating, in per cent); item_gini, user_gini (inequality of the numbers of ratings); known_ratings
    and unknown_ratings (chosen by the user, and drawn for the user; 0 if the data does not say).
    """
    rows = []
    for dataset, ratings in datasets:
        known = 0 if ratings.known is None else int(ratings.known.sum())
        rows.append(
            {
                "dataset": dataset,
                "users": ratings.n_users,
                "items": ratings.n_items,
                "ratings": len(ratings),
                "density_percent": 100 * density(ratings),
                "item_gini": gini(np.bincount(ratings.items, minlength=ratings.n_items)),
                "user_gini": gini(np.bincount(ratings.users, minlength=ratings.n_users)),
                "known_ratings": known,
                "unknown_ratings": 0 if ratings.known is None else len(ratings) - known,
            }
        )
    return pd.DataFrame(rows)


def data_datasets(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the statistics of every dataset.

    The parameter ``columns`` of the artifact names the columns of :func:`dataset_statistics` to
    return, in order.
    """
    return dataset_statistics(inputs.all_ratings())[["dataset", *inputs.parameters["columns"]]]


def tabulate_datasets(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the statistics as the paper does.

    Parameters of the artifact: ``printed`` names the columns that are printed (all of ``columns``
    by default; the others are only in the CSV), ``headings`` their headings.
    """
    names = display.parameters.get("printed", display.parameters["columns"])
    headings = dict(zip(names, display.parameters["headings"], strict=True))
    rows = [
        (display.datasets[row["dataset"]], *(_cell(row, name) for name in headings))
        for row in results.to_dict("records")
    ]
    return printed(display, ["Dataset"], list(headings.values()), rows)


def _cell(row: Mapping[Hashable, Any], name: str) -> str:
    if name == "density_percent":
        return fixed(row[name], 3)
    if name.endswith("_gini"):
        return fixed(row[name], 3)
    if name == "known_ratings":
        # If the data does not say it, users chose all items that they rated.
        return f"{row[name] or row['ratings']:,}"
    if name == "unknown_ratings":
        return f"{row[name]:,}" if row[name] else "none"
    return f"{row[name]:,}"


ALL_CLAIMS = "all"


def data_claims(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rows of the ledger that the parameter ``claims`` names, or all of the paper.

    The columns are those of the ledger without the paper.
    """
    ledger = read_results(inputs.judged_claims).drop(columns="paper")
    wanted = inputs.parameters["claims"]
    if wanted == ALL_CLAIMS:
        return ledger
    if missing := [claim for claim in wanted if claim not in set(ledger["claim"])]:
        raise ValueError(
            f"{inputs.judged_claims} has no verdict on {', '.join(missing)}: correct the numbers "
            "under claims, or list these claims in config/claims."
        )
    return ledger[ledger["claim"].isin(list(wanted))]


def tabulate_claims(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
