# SPDX-License-Identifier: MIT
"""Rank stability of several metrics at several cut-offs."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability of each metric at each cut-off, at every level.

    Parameters of the artifact: ``names`` and ``metrics``; a name is that of the metric and its
    cut-off, such as ``P@5``.

    The columns are those of
    :func:`reproduction.studies.metric_studies.rank_stability.rank_stability`, with
    ``judgment_sampling`` (its name in the study's configuration) and ``cutoff`` besides.
    """
    from reproduction.studies.metric_studies.rank_stability import rank_stability, read_samplings

    metrics = inputs.named_metrics()
    tables = [
        rank_stability(read_samplings(path), metrics, "arithmetic").assign(judgment_sampling=name)
        for name, path in inputs.judgment_samplings.items()
    ]
    table = pd.concat(tables, ignore_index=True)
    parts = table["metric"].str.split("@")
    named = table.assign(metric=parts.str[0], cutoff=parts.str[1].astype(int))
    first = ["dataset", "judgment_sampling", "metric", "cutoff"]
    return named[[*first, *(name for name in table if name not in first)]]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print tau by metric and cut-off, averaged over the levels with fewer judgments.

    The parameter ``removed`` of the artifact names what the judgment samplings remove.
    """
    samplings = dict.fromkeys(results["judgment_sampling"])
    removed = dict(zip(samplings, display.parameters["removed"], strict=True))
    fewer = results[results["kept_percent"] < 100]
    keys = ["dataset", "judgment_sampling", "metric"]
    tau = fewer.pivot_table("tau", keys, "cutoff", sort=False)
    rows = [
        (display.datasets[dataset], removed[sampling], metric, *(fixed(one, 3) for one in values))
        for (dataset, sampling, metric), values in zip(tau.index, tau.to_numpy(), strict=True)
    ]
    texts = ("Dataset", "Removed", "Metric")
    return printed(display, texts, [f"@{cutoff}" for cutoff in tau.columns], rows)
