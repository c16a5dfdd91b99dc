"""Every world of two systems: the specification curve."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.specification_curve import MarkedWorld, specification_curve
from receval.studies.decision_rows import decisions_of, place_of_start
from receval.studies.decision_titles import DECISION_NAMES
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.verdicts import VERDICTS, with_verdicts


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the pair of systems in every world.

    Columns: the decisions; value (of the first system), other_value, difference, effect
    (standardised difference), p, rejected (share of bootstrap samples that reject), evidence (1 - p
    or that share, with the sign of the system that is ahead and that the test sees ahead, too).
    """
    from receval.studies.pairs_of_worlds import explored

    pair = inputs.parameters["pair"]
    worlds = explored(inputs, [(pair[0], pair[1])])
    return worlds.drop(columns=["first", "second", "verdict"])


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw the specification curve, with a mark at the starting configuration."""
    first, second = (look.short_titles[name] for name in look.parameters["pair"])
    return specification_curve(
        numbers["effect"],
        with_verdicts(numbers)["verdict"].map({name: sign for sign, name in VERDICTS.items()}),
        decisions_of(numbers, DECISION_NAMES),
        first=first,
        second=second,
        value_label="Standardised difference",
        marked=MarkedWorld(place_of_start(numbers), "starting configuration"),
        title=", ".join(look.datasets.values()),
    )
