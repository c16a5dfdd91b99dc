# SPDX-License-Identifier: MIT
"""Agreement between metrics in the order of systems, among sampled candidates."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.tables import Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.sampled_orders import (
    AUC,
    EVERY,
    by_candidates,
    sampled_taus,
    written_size,
)

FULL = "all candidates"
"""Stands for a metric's own order among all candidates, as the reference of a comparison."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the orders of the artifact ``sampled_orders`` with each other.

    Columns: sampling; negatives; metric; compared_with (another metric with as many candidates,
    ``AUC``, or ``all candidates``: the metric's own order among these); tau (Kendall's tau-b of the
    orders of the systems).
    """
    results = read_results(inputs.results["sampled_orders"])
    results = results.assign(
        negatives=results["negatives"].astype(str), expected=real_values(results["expected"])
    )
    rows: list[tuple[object, ...]] = []
    for row in sampled_taus(results).itertuples(index=False):
        key = (row.sampling, row.negatives, row.metric)
        rows += [(*key, FULL, row.tau_full), (*key, AUC, row.tau_auc)]
    shown = results[results["metric"] != AUC]
    for (sampling, negatives), own in shown.groupby(["sampling", "negatives"], sort=False):
        values = own.pivot_table(index="metric", columns="system", values="expected", sort=False)
        taus = kendall_tau_b(values.to_numpy(), values.to_numpy(), TOLERANCE_OF_MEANS)
        rows += [
            (sampling, negatives, one, other, taus[i, j])
            for (i, one), (j, other) in combinations(enumerate(values.index), 2)
        ]
    columns = ["sampling", "negatives", "metric", "compared_with", "tau"]
    return pd.DataFrame(rows, columns=columns)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per sampling and number of candidates.

    Parameters of the artifact: ``with_full`` and ``with_auc``, metrics whose tau with the order
    among all candidates and with that by AUC is printed; ``printed``, numbers of candidates with a
    row, besides all candidates.
    """
    results = results.assign(
        negatives=results["negatives"].astype(str), tau=real_values(results["tau"])
    )
    asked = [
        *((str(metric), FULL) for metric in display.parameters["with_full"]),
        *((str(metric), AUC) for metric in display.parameters["with_auc"]),
    ]
    rows = []
    shown = [*map(str, display.parameters["printed"]), EVERY]
    results = results[results["negatives"].isin(shown)]
    named = by_candidates(results.drop_duplicates(["sampling", "negatives"]), "sampling")
    for sampling, negatives in zip(named["sampling"], named["negatives"], strict=True):
        own = results[(results["sampling"] == sampling) & (results["negatives"] == negatives)]
        among = own[~own["compared_with"].isin((FULL, AUC))]["tau"]
        cells = own.set_index(["metric", "compared_with"])["tau"]
        rows.append(
            (
                str(sampling).capitalize(),
                written_size(negatives),
                two_decimals(float(among.mean())),
                *(two_decimals(float(cells[pair])) for pair in asked),
            )
        )
    titles = [f"{name}, {'all' if other == FULL else other}" for name, other in asked]
    return printed(display, ["Drawn"], ("Candidates", "Between metrics", *titles), rows)
