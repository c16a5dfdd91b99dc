"""Pairs of systems in all worlds of an artifact's grid."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from receval.seeds import generator
from receval.studies.exploration import Pair, explore
from receval.studies.inputs import ArtifactInputs
from receval.studies.worlds import ExperimentWorlds


def explored(inputs: ArtifactInputs, pairs: Sequence[Pair]) -> pd.DataFrame:
    """Compare pairs of systems in every legal combination of the artifact's grid.

    Parameters
    ----------
    inputs : ArtifactInputs
        With a grid of decisions, and experiments on one dataset that have its splits.
    pairs : sequence of (str, str)

    Returns
    -------
    DataFrame
        As :func:`receval.studies.exploration.explore`.
    """
    worlds = ExperimentWorlds(inputs.experiments)
    dataset = worlds.experiments[0].dataset
    # The samples of users depend on the dataset alone: all artifacts see the same.
    return explore(
        inputs.decisions.configurations(),
        worlds,
        pairs,
        generator(inputs.seed, dataset, "multiverse"),
    )
