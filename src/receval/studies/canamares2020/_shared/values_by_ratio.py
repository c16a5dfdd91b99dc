"""Values of systems by the share of training ratings (canamares2020, decision A2)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.metrics.registry import parse
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.canamares2020._shared.measured_systems import (
    MeasuredSystems,
    TestUsers,
    starting_configuration,
    training_ratios,
)


def values_by_ratio(
    inputs: ArtifactInputs, evaluated_users: Sequence[TestUsers] = ("tested",)
) -> pd.DataFrame:
    """Return the value of the artifact's metric in the starting configuration at every ratio.

    Lists are condensed where the metric says so.

    Columns: dataset; train_ratio; users (one of those ``evaluated_users``); metric; system; lists;
    value; p_value; verdict, the last five as in
    :meth:`receval.studies.canamares2020._shared.measured_systems.MeasuredSystems.compared`.

    Parameters
    ----------
    inputs : ArtifactInputs
    evaluated_users : sequence of {"tested", "relevant"}
        Users who are averaged: there are rows for each.
    """
    label = str(inputs.parameters["metric"])
    form = "condensed" if parse(label).condensed else "full"
    tables = []
    for experiment in inputs.experiments.values():
        for ratio in training_ratios(experiment):
            configuration = starting_configuration(experiment).but(
                split={"train_ratio": ratio}, lists=form
            )
            measured = MeasuredSystems(experiment, configuration, [label])
            for users in evaluated_users:
                table = measured.compared(configuration, users)
                table.insert(0, "users", users)
                table.insert(0, "train_ratio", ratio)
                table.insert(0, "dataset", experiment.dataset)
                tables.append(table)
    return pd.concat(tables, ignore_index=True)
