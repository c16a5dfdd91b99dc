"""Observed and real values of systems: the same lists by biased and by unbiased judgments."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.evaluation.experiment import Experiment
from receval.evaluation.tidy_values import Measurement, means_over_folds, measure_experiment, tidy
from receval.metrics.aggregation import EvaluatedUsers
from receval.metrics.metric import Metric
from receval.metrics.registry import parse
from receval.studies._shared.inputs import ArtifactInputs

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


def observed_and_real(inputs: ArtifactInputs) -> pd.DataFrame:
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
    metrics = tuple(map(parse, inputs.parameters["metrics"]))
    released = tuple(map(parse, inputs.parameters["released"]))
    tables = []
    for name, experiment in inputs.experiments.items():
        measurements = [
            measurement
            for evaluation in experiment.evaluations
            for measurement in forms_of(experiment, evaluation, metrics, released)
        ]
        tables.append(tidy(measure_experiment(experiment, measurements)).assign(experiment=name))
    folds = pd.concat(tables, ignore_index=True)
    folds["evaluation"] = folds["judgments"].map({part: name for name, part in PARTS.items()})
    folds["role"] = folds["system"].isin(inputs.parameters["optimal"])
    folds["role"] = folds["role"].map({True: "optimal", False: "system"})
    table = pd.concat([folds, means_over_folds(folds, KEYS).assign(fold="mean")], ignore_index=True)
    return table[[*KEYS, "fold", "value", "lists"]]


def forms_of(
    experiment: Experiment,
    evaluation: str,
    metrics: Sequence[Metric],
    released: Sequence[Metric],
) -> list[Measurement]:
    """Return the ways in which an experiment's values are computed: each value once.

    In the form of the text a user without a list counts 0 for every metric. The released code
    leaves such users out of nDCG, RR and their counterparts, has other gains, and may have another
    threshold of relevance for unbiased judgments.
    """
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
