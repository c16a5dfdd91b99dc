# SPDX-License-Identifier: MIT
"""Table of the errors of corrected sampled metrics, against values among all candidates."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Column, Table, printed
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.sampled_orders import (
    ESTIMATOR_TITLES,
    LARGEST_SPREAD,
    WITHOUT_SPREAD,
    correction_errors,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``sampled_corrections`` over systems.

    The columns are those of :func:`.correction_errors`.
    """
    results = read_results(inputs.results["sampled_corrections"])
    numbers = {name: real_values(results[name]) for name in ("full", "expected", "sd")}
    return correction_errors(results.assign(**numbers))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per number of candidates and estimator, one column per cut-off."""
    metrics = list(dict.fromkeys(results["metric"]))
    rows = []
    for (negatives, estimator), own in results.groupby(["negatives", "estimator"], sort=False):
        errors = dict(zip(own["metric"], real_values(own["error"]), strict=True))
        spreads = dict(zip(own["metric"], real_values(own["spread"]), strict=True))
        cells = []
        for metric in metrics:
            error, spread = float(errors[metric]), float(spreads[metric])
            beside = f" ± {_per_cent(spread)}" if spread == spread else ""
            if not beside and estimator not in WITHOUT_SPREAD:
                beside = f" ± over {100 * LARGEST_SPREAD:,}"
            cells.append(_per_cent(error) + beside)
        rows.append((f"{int(negatives):,}", ESTIMATOR_TITLES[str(estimator)], *cells))
    texts = (Column("Sampled", "right"), "Estimator")
    return printed(display, texts, [f"{metric} (%)" for metric in metrics], rows)


def _per_cent(value: float) -> str:
    """Print a percentage with no more than four digits."""
    return fixed(value, 0 if value >= 999.95 else 1)
