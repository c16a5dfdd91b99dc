# SPDX-License-Identifier: MIT
"""Values of all systems under all and under sampled judgments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Table, printed
from receval.metrics.averages import Arithmetic, parse_average
from receval.storage.files import VALUE_OF_SYSTEM
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.experiments.values import Measurement
    from reproduction.studies.metric_studies.rank_stability import SampledValues

KEYS = ["dataset", "form", "average", "averaged_first", "metric", "system"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of all systems under all metrics.

    Parameters of the artifact: ``names``, ``metrics`` and ``released``; ``averages`` (labels of the
    averages over users in the text's forms; the released forms have only the mean).

    Columns: dataset; form (``text``, or ``released`` for the released tool's form of the metric);
    average (over users, its label); averaged_first; metric (name); system; value; lists (how many
    users it averages, in all folds together where users are averaged first).

    - averaged_first: ``users`` of each fold, then folds, as in the coefficients of agreement and of
      rank stability under all judgments; or ``folds`` of each user, then users, as in the tests of
      pairs of systems. Both are the same with a single fold, so there are no rows for the latter.
    """
    from reproduction.experiments.values import Measurement

    averages = {"text": tuple(map(parse_average, inputs.parameters["averages"]))}
    tables = []
    for experiment in inputs.experiments.values():
        measurements = {
            form: Measurement(
                tuple(metrics.values()),
                experiment.evaluated_users,
                averages=averages.get(form, (Arithmetic(),)),
                names=tuple(metrics),
                form=form,
                protocol=experiment.only_protocol,
            )
            for form, metrics in (
                ("text", inputs.named_metrics()),
                ("released", inputs.named_metrics("released")),
            )
        }
        tables.append(_values(experiment, measurements))
    table = pd.concat(tables, ignore_index=True)
    # By metric, so that the systems that one coefficient compares are together.
    order = np.lexsort([pd.factorize(table[name])[0] for name in reversed(KEYS)])
    return table.iloc[order][[*KEYS, "value", "lists"]]


def _values(experiment: Experiment, measurements: Mapping[str, Measurement]) -> pd.DataFrame:
    from reproduction.experiments.values import UserMeans, means_over_folds, measure_experiment

    several = len(experiment.folds) > 1
    by_user = {
        form: UserMeans(experiment, len(measurement.metrics))
        for form, measurement in measurements.items()
        if several
    }
    rows = []
    for measured in measure_experiment(experiment, list(measurements.values())):
        rows += [{**row, "averaged_first": "users"} for row in measured.rows()]
        if several:
            users = by_user[measured.measurement.form]
            users.add(measured.labels["system"], measured.lists, measured.per_list)
    tables = [means_over_folds(pd.DataFrame(rows), KEYS)]
    for form, users in by_user.items():
        values = users.values()
        tables.append(
            pd.DataFrame(
                {
                    "dataset": experiment.dataset,
                    "form": form,
                    "average": "arithmetic",
                    "averaged_first": "folds",
                    "metric": np.repeat(measurements[form].names, len(users.systems)),
                    "system": np.tile(users.systems, len(values)),
                    "value": values.mean(axis=2).ravel(),
                    "lists": values.shape[2],
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the means in the text's forms: rows are datasets and systems, columns metrics.

    The parameter ``printed`` of the artifact has the names of the metrics.
    """
    names = [str(name) for name in display.parameters["printed"]]
    shown = results[
        (results["form"] == "text")
        & (results["average"] == "arithmetic")
        & (results["averaged_first"] == "users")
    ]
    cells = shown.set_index(["dataset", "system", "metric"])["value"]
    rows = [
        (
            display.datasets[dataset],
            display.titles[system],
            *(significant(float(cells[dataset, system, name])) for name in names),
        )
        for dataset, system in shown[["dataset", "system"]]
        .drop_duplicates()
        .itertuples(index=False)
    ]
    return printed(display, ("Dataset", "System"), names, rows)


def data_sampled(inputs: ArtifactInputs) -> pd.DataFrame:
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
        _means_over_samples(values, judgment_sampling)
        for judgment_sampling, path in inputs.judgment_samplings.items()
        for values in read_samplings(path)
    ]
    tables.sort(key=lambda table: inputs.datasets.index(table["dataset"].iloc[0]))
    return pd.concat(tables, ignore_index=True)


def _means_over_samples(values: SampledValues, judgment_sampling: str) -> pd.DataFrame:
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


def tabulate_sampled(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
