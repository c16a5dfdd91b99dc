# SPDX-License-Identifier: MIT
"""Values of all systems, from which a study's coefficients and tests are computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Table, printed
from receval.metrics.averages import Arithmetic, parse_average
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.experiments.values import Measurement

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
