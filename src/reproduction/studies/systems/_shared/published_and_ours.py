# SPDX-License-Identifier: MIT
"""Published values of systems beside our own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.metrics.registry import parse
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.tidy_values import (
    Measurement,
    means_over_folds,
    measure_experiment,
    tidy,
)
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import read_published

KEYS = ["dataset", "split", "judgments", "system", "metric"]


def published_and_ours(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return published values and ours for all systems and metrics of the experiments.

    Columns: study (whose values); dataset; split; judgments (``test``, or ``unbiased`` for randomly
    drawn items); protocol; system; metric; searched (``yes`` if the searches for settings used the
    metric, so that agreement is no evidence); published; ours (mean over folds);
    relative_difference (ours / published - 1; NaN if published is 0); lists (how many lists our
    value averages, over all folds).
    """
    if inputs.published is None:
        raise ValueError("The artifact needs the key published: the table to compare with.")
    published = read_published(inputs.published)
    metrics = inputs.parameters["metrics"]
    ours = pd.concat([_own_values(e, metrics) for e in inputs.experiments.values()])
    ours = ours.rename(columns={"value": "ours"})
    known = published.merge(ours[["dataset", "split"]].drop_duplicates(), on=["dataset", "split"])
    known = known[known["metric"].isin(metrics)]
    table = known.merge(ours, on=KEYS, how="left", validate="one_to_one")
    without = table[table["ours"].isna()]
    if len(without):
        first = without.iloc[0]
        raise ValueError(
            f"{inputs.published} has a value of {first['system']} on {first['dataset']}, split "
            f"{first['split']}, judgments {first['judgments']}, which no experiment has."
        )
    table["searched"] = np.where(
        table["metric"].isin(inputs.parameters["searched_metrics"])
        & (table["study"] == inputs.parameters["searched_study"]),
        "yes",
        "",
    )
    relative = table["ours"] / table["published"].where(table["published"] != 0) - 1
    table["relative_difference"] = relative
    columns = ["study", "dataset", "split", "judgments", "protocol", "system", "metric"]
    return table[[*columns, "searched", "published", "ours", "relative_difference", "lists"]]


def _own_values(experiment: Experiment, labels: Sequence[str]) -> pd.DataFrame:
    has_unbiased = experiment.fold(0).unbiased is not None
    measurements = [
        Measurement(
            tuple(map(parse, labels)),
            experiment.evaluated_users,
            names=tuple(labels),
            judgments=part,
        )
        for part in (("test", "unbiased") if has_unbiased else ("test",))
    ]
    folds = tidy(measure_experiment(experiment, measurements))
    return means_over_folds(folds, [*KEYS, "protocol"])
