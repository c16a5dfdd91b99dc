# SPDX-License-Identifier: MIT
"""Bias, variance and system order of estimators in a world with known truth."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table
from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.estimated_orders import errors_of_draws, per_user
from reproduction.studies.followups.estimated_values import printed_by_metric


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``estimated_orders``.

    The columns are those of :func:`.errors_of_draws`.
    """
    return errors_of_draws(read_results(inputs.results["estimated_orders"]))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per estimator: bias, standard deviation, error and tau under each metric."""
    return printed_by_metric(
        results.assign(title=per_user(results["title"])),
        display,
        {"Estimator": "title"},
        {
            "bias": ("bias", lambda bias: fixed(bias, 1, signed=True)),
            "SD": ("sd", lambda deviation: fixed(deviation, 1)),
            "RMSE": ("rmse", lambda error: fixed(error, 1)),
            "tau": ("tau", two_decimals),
        },
    )
