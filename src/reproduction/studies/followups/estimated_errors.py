# SPDX-License-Identifier: MIT
"""Bias, variance and system order of estimators in a world with known truth."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Column, Table, printed
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.estimate_errors import errors_of_draws


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``estimated_orders``.

    The columns are those of :func:`.errors_of_draws`.
    """
    return errors_of_draws(read_results(inputs.results["estimated_orders"]))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per estimator: bias, standard deviation, error and tau under each metric."""
    numbers = {name: real_values(results[name]) for name in ("bias", "sd", "rmse", "tau")}
    results = results.assign(**numbers)
    metrics = list(dict.fromkeys(results["metric"]))
    rows = []
    for title in dict.fromkeys(results["title"]):
        cells = []
        for metric in metrics:
            own = results[(results["title"] == title) & (results["metric"] == metric)]
            if own.empty:
                cells += ["–"] * 4
                continue
            one = own.iloc[0]
            cells += [fixed(float(one["bias"]), 1, signed=True)]
            cells += [fixed(float(one[name]), 1) for name in ("sd", "rmse")]
            cells += [two_decimals(float(one["tau"]))]
        rows.append((title, *cells))
    columns = [
        Column("Estimator"),
        *(
            Column(f"{metric}, {name}", "right")
            for metric in metrics
            for name in ("bias", "sd", "RMSE", "tau")
        ),
    ]
    return printed(display, columns, rows)
