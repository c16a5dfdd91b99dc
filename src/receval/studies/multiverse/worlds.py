"""Every world of two systems: the specification curve."""

from __future__ import annotations

import pandas as pd

from receval.studies.inputs import ArtifactInputs
from receval.studies.pairs_of_worlds import explored


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the pair of systems in every world.

    Columns: the decisions; value (of the first system), other_value, difference, effect
    (standardised difference), p, rejected (share of bootstrap samples that reject), verdict (first,
    tie or second wins).
    """
    pair = inputs.parameters["pair"]
    worlds = explored(inputs, [(pair[0], pair[1])])
    return worlds.drop(columns=["first", "second"])
