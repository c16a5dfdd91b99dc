# SPDX-License-Identifier: MIT
"""What the figure of metrics that divide by the best possible list says."""

from __future__ import annotations

import pandas as pd

from receval.figures.printed_numbers import fixed
from receval.studies._shared.claim_parts import shown_in_part
from receval.studies._shared.message import DATASETS, Message
from receval.studies.followups._shared.inversions import EVERY_RANK, inversions


def divided_by_the_best(results: pd.DataFrame) -> Message:
    """Division inverts some pairs of systems, more of them with deeper cut-offs of nDCG."""
    (dataset,) = results["dataset"].unique()
    counted = inversions(results)
    pairs = int(counted["pairs"].iloc[0])
    said, clauses = [], []
    for metric, rows in counted.groupby("metric", sort=False):
        first, last = rows.iloc[0], rows.iloc[-1]
        said.append(
            f"{metric} inverts {_percent(first)} at a cut-off of {first['cutoff']} and "
            f"{_percent(last)} {_depth(last)}, and at most {int(rows['significant'].max())} of "
            f"{pairs:,} pairs significantly on both sides"
        )
        if str(metric).startswith("nDCG"):
            grows = bool(last["inverted"] > first["inverted"])
            clauses.append((grows, f"{metric} goes from {_percent(first)} to {_percent(last)}"))
    numbers = f"on {DATASETS.get(str(dataset), str(dataset))} {'; '.join(said)}"
    return Message(
        reading=(
            "A point is the share of the pairs of systems that a metric puts into the other order "
            "than its numerator does: the higher, the more the division decides who is ahead."
        ),
        finding=(
            "Division by the best possible list inverts more pairs with deeper cut-offs of nDCG: "
            f"{numbers}."
        ),
        holds=all(grows for grows, _ in clauses),
        claim="Division by the best possible list inverts more pairs with deeper cut-offs of nDCG.",
        partly=shown_in_part(clauses),
    )


def _percent(row: pd.Series[float]) -> str:
    return f"{fixed(100 * float(row['inverted'] / row['pairs']), 1)} %"


def _depth(row: pd.Series[str]) -> str:
    whole = str(row["cutoff"]) == EVERY_RANK
    return "on whole lists" if whole else f"at {row['cutoff']}"
