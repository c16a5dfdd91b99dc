# SPDX-License-Identifier: MIT
"""Observed and real values of all systems, for figures 1, 12 to 14 and 16 to 18."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, significant
from receval.figures.tables import Table, printed
from reproduction.experiments.experiment import Experiment
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.evaluation import EvaluatedUsers
    from receval.metrics.metric import Metric
    from reproduction.experiments.values import Measurement

PARTS = {"observed": "test", "real": "unbiased"}
"""The judgments of a fold that each kind of evaluation uses."""

KEYS = [
    "experiment",
    "dataset",
    "split",
    "evaluation",
    "form",
    "threshold",
    "system",
    "role",
    "metric",
]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of all systems in all evaluations of all experiments.

    Parameters of the artifact: ``metrics`` (labels of the paper's metrics), ``released`` (labels of
    those that the released code computes differently, and averages only over users with a list),
    ``optimal`` (the systems that are optimal rankings).

    Columns: experiment (its name in the study's configuration); dataset; split; evaluation
    (``observed`` or ``real``); form (``text``, or ``released`` where the released code differs);
    threshold (of relevance); system; role (``system``, or ``optimal`` for an optimal ranking);
    metric (label); fold (its number, or ``mean``); value; lists (how many lists it averages, over
    all folds for the mean).
    """
    from reproduction.experiments.values import means_over_folds, measure_experiment, tidy

    metrics = tuple(inputs.metrics())
    released = tuple(inputs.metrics("released"))
    tables = []
    for name, experiment in inputs.experiments.items():
        measurements = [
            measurement
            for evaluation in experiment.evaluations
            for measurement in _forms(experiment, evaluation, metrics, released)
        ]
        tables.append(tidy(measure_experiment(experiment, measurements)).assign(experiment=name))
    folds = pd.concat(tables, ignore_index=True)
    folds["evaluation"] = folds["judgments"].map({part: name for name, part in PARTS.items()})
    folds["role"] = folds["system"].isin(inputs.parameters["optimal"])
    folds["role"] = folds["role"].map({True: "optimal", False: "system"})
    table = pd.concat([folds, means_over_folds(folds, KEYS).assign(fold="mean")], ignore_index=True)
    return table[[*KEYS, "fold", "value", "lists"]]


def _forms(
    experiment: Experiment,
    evaluation: str,
    metrics: Sequence[Metric],
    released: Sequence[Metric],
) -> list[Measurement]:
    """Return the forms in which an experiment's values are computed, each value once.

    In the form of the text, a user without a list counts 0 for every metric. The released code
    leaves such users out of nDCG, RR and their counterparts, uses other gains, and may use another
    relevance threshold for unbiased judgments.
    """
    from reproduction.experiments.values import Measurement

    own = experiment.threshold
    theirs = own
    if evaluation == "real" and experiment.released_real_threshold is not None:
        theirs = experiment.released_real_threshold

    def form(name: str, chosen: Sequence[Metric], users: EvaluatedUsers) -> Measurement:
        return Measurement(
            tuple(chosen),
            users,
            form=name,
            judgments=PARTS[evaluation],
            threshold=own if name == "text" else theirs,
            protocol=experiment.only_protocol,
        )

    forms = [
        form("text", metrics, experiment.evaluated_users),
        form("released", released, "covered"),
    ]
    if theirs != own:
        names = {metric.name for metric in released}
        others = [metric for metric in metrics if metric.name not in names]
        forms.append(form("released", others, experiment.evaluated_users))
    return [form for form in forms if form.metrics]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Return the means over folds of the table's metrics, a row per system and experiment."""
    shown = display.parameters["printed"]
    if unknown := set(shown) - set(display.parameters["metrics"]):
        raise ValueError(f"The table prints {', '.join(sorted(unknown))}, which is not measured.")
    means = results[
        (results["fold"] == "mean") & (results["form"] == "text") & results["metric"].isin(shown)
    ]
    cells = means.set_index(["experiment", "system", "evaluation", "metric"])["value"]
    evaluations = [name for name in PARTS if name in set(means["evaluation"])]
    heads = [f"{name.capitalize()} {metric}" for name in evaluations for metric in shown]
    rows = []
    parts = means[["experiment", "dataset", "system"]].drop_duplicates()
    for experiment, dataset, system in parts.itertuples(index=False):
        keys = [(experiment, system, name, metric) for name in evaluations for metric in shown]
        values = [significant(float(cells[key])) if key in cells else NOTHING for key in keys]
        kind = display.experiments[experiment]
        title = ", ".join(filter(None, [display.datasets[dataset], kind]))
        rows.append((title, display.titles[system], *values))
    return printed(display, ("Dataset", "System"), heads, rows)
