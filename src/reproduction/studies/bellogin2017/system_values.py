# SPDX-License-Identifier: MIT
"""Values of the systems behind the p-values of figures 2, 8 and 9."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import in_text, significant
from receval.figures.tables import Column, Table, printed
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

SPLITS = {
    "coin-flip-80": "coin flips",
    "uniform-test": "uniform test",
    "user-temporal-80": "by time",
    "uniform-test-positive": "uniform test",
}
"""The splits in words; other splits are printed by name."""

OF_TABLE = ["dataset", "split", "protocol", "sampled"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean over users for every metric, protocol and system.

    The figures average over lists, then over folds. A test compares users, so it averages over each
    user's lists and folds first.

    Parameters of the artifact: ``metrics``. Columns: experiment (figures 2 and 9 show movielens and
    lastfm, figure 8 the others), and those of
    :func:`reproduction.experiments.values.values_of_users`.
    """
    from reproduction.experiments.values import values_of_users

    metrics = inputs.metrics()
    tables = {
        name: values_of_users(experiment, metrics)
        for name, experiment in inputs.experiments.items()
    }
    return pd.concat(tables, names=["experiment"]).reset_index(level=0).reset_index(drop=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one metric: rows are the protocols of each split, columns are systems.

    Parameters of the artifact: ``printed``, the metric without its cut-off, and
    ``printed_cutoff``.
    """
    shown = results[
        (results["metric"] == display.parameters["printed"])
        & (real_values(results["cutoff"]) == display.parameters["printed_cutoff"])
    ]
    systems = list(dict.fromkeys(shown["system"]))
    rows = []
    for keys, of_lists in shown.groupby(["experiment", *OF_TABLE], sort=False, dropna=False):
        _, dataset, split, protocol, sampled = map(str, keys)
        values = of_lists.set_index("system")["value"]
        cells = (significant(float(values[system])) for system in systems)
        size = f"{int(sampled):,}" if sampled else ""
        words = SPLITS.get(split, split)
        rows.append((display.datasets[dataset], words, in_text(protocol), size, *cells))
    texts = ("Dataset", Column("Split", width=0.13), "Protocol")
    heads = ["Sampled", *(display.titles[system] for system in systems)]
    # Experiments of one split may have protocols in common.
    return printed(display, texts, heads, list(dict.fromkeys(rows)))
