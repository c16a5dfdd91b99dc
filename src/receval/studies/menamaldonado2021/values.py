"""Observed and real values of all systems: what figures 1, 12 to 14 and 16 to 18 draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval.evaluation.experiment import Experiment
from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.aggregation import EvaluatedUsers
    from receval.metrics.lists import JudgedLists
    from receval.metrics.metric import Metric

PARTS = {"observed": "test", "real": "unbiased"}
"""The judgments of a fold that each kind of evaluation looks at."""

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


@dataclass(frozen=True)
class Form:
    """One way in which values are computed.

    Attributes
    ----------
    name : {"text", "released"}
        That of the paper's text or that of its released code.
    threshold : float
        Ratings at or above it are relevant.
    evaluated_users : {"all", "tested", "relevant", "covered"}
        Who is averaged: see :mod:`receval.metrics.aggregation`.
    metrics : tuple of Metric
    """

    name: str
    threshold: float
    evaluated_users: EvaluatedUsers
    metrics: tuple[Metric, ...]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of every system in every evaluation of every experiment.

    Parameters of the artifact: ``metrics`` (labels of the paper's metrics), ``released`` (labels of
    those that the released code computes otherwise, and averages over users with a list alone),
    ``optimal`` (the systems that are optimal rankings).

    Columns: experiment (its name in the study's configuration); dataset; split; evaluation
    (``observed`` or ``real``); form (``text``, or ``released`` where the released code differs);
    threshold (of relevance); system; role (``system``, or ``optimal`` for an optimal ranking);
    metric (label); fold (its number, or ``mean``); value; lists (how many lists it averages, over
    all folds for the mean).
    """
    from receval.metrics.parse import parse

    optimal = set(inputs.parameters["optimal"])
    metrics = tuple(map(parse, inputs.parameters["metrics"]))
    released = tuple(map(parse, inputs.parameters["released"]))
    rows: list[dict[str, Any]] = []
    for name, experiment in inputs.experiments.items():
        for evaluation in experiment.evaluations:
            forms = _forms(experiment, evaluation, metrics, released)
            for row in _values(experiment, evaluation, forms):
                role = "optimal" if row["system"] in optimal else "system"
                rows.append({"experiment": name, "role": role, **row})
    folds = pd.DataFrame(rows)
    means = folds.groupby(KEYS, sort=False, as_index=False).agg(
        value=("value", "mean"), lists=("lists", "sum")
    )
    table = pd.concat([folds, means.assign(fold="mean")], ignore_index=True)
    return table[[*KEYS, "fold", "value", "lists"]]


def _forms(
    experiment: Experiment,
    evaluation: str,
    metrics: Sequence[Metric],
    released: Sequence[Metric],
) -> list[Form]:
    """Return the ways in which an experiment's values are computed: each value once.

    In the form of the text a user without a list counts 0 for every metric. The released code
    leaves such users out of nDCG, RR and their counterparts, has other gains, and may have another
    threshold of relevance for unbiased judgments.
    """
    own = experiment.threshold
    theirs = own
    if evaluation == "real" and experiment.released_real_threshold is not None:
        theirs = experiment.released_real_threshold
    forms = [
        Form("text", own, experiment.evaluated_users, tuple(metrics)),
        Form("released", theirs, "covered", tuple(released)),
    ]
    if theirs != own:
        names = {metric.name for metric in released}
        others = tuple(metric for metric in metrics if metric.name not in names)
        forms.append(Form("released", theirs, experiment.evaluated_users, others))
    return [form for form in forms if form.metrics]


def _values(
    experiment: Experiment, evaluation: str, forms: Sequence[Form]
) -> Iterator[dict[str, Any]]:
    from receval.metrics.aggregation import evaluated_lists, mean
    from receval.metrics.evaluation import evaluate

    (protocol,) = experiment.protocols
    for number in experiment.folds:
        for system in experiment.all_systems:
            by_threshold: dict[float, JudgedLists] = {}
            for form in forms:
                if form.threshold not in by_threshold:
                    by_threshold[form.threshold] = experiment.lists(
                        system, protocol, number, PARTS[evaluation], form.threshold
                    )
                lists = by_threshold[form.threshold]
                values = mean(evaluate(form.metrics, lists), lists, form.evaluated_users)
                evaluated_users = int(
                    np.count_nonzero(evaluated_lists(lists, form.evaluated_users))
                )
                for metric, value in zip(form.metrics, values, strict=True):
                    yield {
                        "dataset": experiment.dataset,
                        "split": experiment.split,
                        "evaluation": evaluation,
                        "form": form.name,
                        "threshold": form.threshold,
                        "system": system,
                        "metric": metric.label,
                        "fold": str(number),
                        "value": float(value),
                        "lists": evaluated_users,
                    }


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the means over folds of the metrics of the table, a row for each system."""
    shown = display.parameters["printed"]
    if unknown := set(shown) - set(display.parameters["metrics"]):
        raise ValueError(f"The table prints {', '.join(sorted(unknown))}, which is not measured.")
    means = results[
        (results["fold"] == "mean") & (results["form"] == "text") & results["metric"].isin(shown)
    ]
    cells = means.set_index(["system", "experiment", "evaluation", "metric"])["value"]
    parts = means[["experiment", "dataset", "evaluation"]].drop_duplicates()
    columns = [Column("System")]
    keys = []
    for experiment, dataset, evaluation in parts.itertuples(index=False):
        for metric in shown:
            kind = display.experiments[experiment]
            heading = ", ".join(filter(None, [display.datasets[dataset], kind, evaluation]))
            heading += f" {metric}"
            columns.append(Column(heading, "right"))
            keys.append((experiment, evaluation, metric))
    rows = [
        (
            display.titles[system],
            *(f"{cells[(system, *key)]:.4f}" if (system, *key) in cells else "" for key in keys),
        )
        for system in dict.fromkeys(means["system"])
    ]
    return printed(display, columns, rows)
