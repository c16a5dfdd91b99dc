# SPDX-License-Identifier: MIT
"""Table of the agreement of estimates with judgments of randomly drawn items."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed, significant
from receval.figures.tables import Table
from receval.storage.files import read_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.estimated_values import MAR, printed_by_metric, ratios_to_mar


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``estimated_values`` over systems.

    The columns are those of :func:`.ratios_to_mar`, without the rows of the reference.
    """
    found = ratios_to_mar(read_results(inputs.results["estimated_values"]))
    return found[found["estimator"] != MAR].reset_index(drop=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and estimator."""
    return printed_by_metric(
        results.assign(dataset=results["dataset"].map(display.datasets)),
        display,
        {"Dataset": "dataset", "Estimator": "title"},
        {
            "ratio": ("ratio", lambda ratio: significant(ratio, 2)),
            "error": ("error", lambda error: fixed(error, 0)),
            "tau": ("tau", two_decimals),
        },
    )
