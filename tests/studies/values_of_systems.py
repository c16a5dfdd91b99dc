# SPDX-License-Identifier: MIT
"""Values of five systems and three optimal rankings, as the artifact ``values`` has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from receval.storage.files import write_results

SYSTEMS = ("a", "b", "c", "d", "e")
OPTIMAL = ("best-p", "best-antip", "best-real")

# Means over folds of five systems and three optimal rankings.
OBSERVED = {
    "P@10": [0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.05, 0.55],
    "antiP@10": [0.05, 0.04, 0.10, 0.20, 0.15, 0.30, 0.01, 0.25],
    "RR@10": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
    "nDCG(gain=steps)@10": [0.5, 0.4, 0.3, 0.2, 0.1, 0.6, 0.7, 0.8],
}
REAL = {
    "P@10": [0.11, 0.19, 0.35, 0.33, 0.50, 0.61, 0.02, 0.70],
    "antiP@10": [0.50, 0.42, 0.30, 0.31, 0.20, 0.15, 0.60, 0.10],
    "RR@10": [0.15, 0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
    "nDCG(gain=steps)@10": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
}
RELEASED = {
    ("observed", "RR@10"): [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    ("observed", "nDCG(gain=cm100k)@10"): [0.5, 0.3, 0.4, 0.2, 0.1, 0.6, 0.7, 0.8],
    ("real", "nDCG(gain=cm100k)@10"): [0.1, 0.3, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8],
}


def rows(
    evaluation: str, form: str, metric: str, values: list[float], experiment: str = "films"
) -> list[dict[str, Any]]:
    return [
        {
            "experiment": experiment,
            "dataset": "ml-1m",
            "split": "random-folds",
            "evaluation": evaluation,
            "form": form,
            "threshold": 4.0,
            "system": system,
            "role": "system" if system in SYSTEMS else "optimal",
            "metric": metric,
            "fold": fold,
            # Only means count.
            "value": value if fold == "mean" else 0.5,
            "lists": 10,
        }
        for fold in ("0", "mean")
        for system, value in zip((*SYSTEMS, *OPTIMAL), values, strict=True)
    ]


def write_values(folder: Path) -> Path:
    """Write the CSV of the artifact ``values`` with one experiment."""
    table = [
        row
        for evaluation, metrics in (("observed", OBSERVED), ("real", REAL))
        for metric, values in metrics.items()
        for row in rows(evaluation, "text", metric, values)
    ]
    for (evaluation, metric), values in RELEASED.items():
        table += rows(evaluation, "released", metric, values)
    write_results(pd.DataFrame(table), folder / "values.csv")
    return folder / "values.csv"
