# SPDX-License-Identifier: MIT
"""Values of all systems under sampled judgments, from which rank stability is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Table, printed
from receval.storage.files import VALUE_OF_SYSTEM
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from reproduction.studies.metric_studies.rank_stability import SampledValues


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of all systems at all levels, averaged over samples.

    Columns: dataset; judgment_sampling (its name in the study's configuration); average (over
    users) and metric, by their labels; kept_percent; lists (users in all folds together, averaged
    over the samples); ``value_<system>`` for every system, averaged over folds, then over samples.
    One row per system would make a file of more than ten megabytes.

    The coefficients of rank stability are averaged over samples as well; for random samples they
    follow from the values of each sample. If the most popular items or largest users are removed,
    there is one sample, and its coefficient follows from these values.
    """
    from reproduction.studies.metric_studies.rank_stability import read_samplings

    tables = [
        _means(values, judgment_sampling)
        for judgment_sampling, path in inputs.judgment_samplings.items()
        for values in read_samplings(path)
    ]
    tables.sort(key=lambda table: inputs.datasets.index(table["dataset"].iloc[0]))
    return pd.concat(tables, ignore_index=True)


def _means(values: SampledValues, judgment_sampling: str) -> pd.DataFrame:
    means = values.values.mean(axis=1)
    lists = values.evaluated_users.mean(axis=1)
    return pd.concat(
        pd.DataFrame(
            {
                "dataset": values.dataset,
                "judgment_sampling": judgment_sampling,
                "average": average,
                "metric": metric,
                "kept_percent": values.percents,
                "lists": lists,
                **{
                    f"{VALUE_OF_SYSTEM}{s}": means[:, index, n]
                    for n, s in enumerate(values.systems)
                },
            }
        )
        for index, (average, metric) in enumerate(values.aggregated_metrics)
    )


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the means of one metric under one judgment sampling, by system and level.

    Parameters of the artifact: ``printed`` (the label of the metric), ``printed_sampling`` and
    ``printed_percents``. A ValueError is raised if the sampling does not have one of these levels.
    """
    parameters = display.parameters
    percents = [int(percent) for percent in parameters["printed_percents"]]
    shown = results[
        (results["judgment_sampling"] == parameters["printed_sampling"])
        & (results["metric"] == parameters["printed"])
        & (results["average"] == "arithmetic")
    ].set_index(["dataset", "kept_percent"])
    levels = shown.index.unique("kept_percent")
    if lacking := [percent for percent in percents if percent not in levels]:
        raise ValueError(
            f"printed_percents of the table has {lacking[0]}, but the judgment sampling "
            f"{parameters['printed_sampling']} has only the levels {', '.join(map(str, levels))}. "
            "Name levels that it has."
        )
    rows = [
        (
            display.datasets[dataset],
            display.titles[column.removeprefix(VALUE_OF_SYSTEM)],
            *(significant(float(shown.loc[(dataset, percent), column])) for percent in percents),
        )
        for dataset in dict.fromkeys(shown.index.get_level_values("dataset"))
        for column in results
        if column.startswith(VALUE_OF_SYSTEM)
    ]
    return printed(display, ("Dataset", "System"), [f"{percent} %" for percent in percents], rows)
