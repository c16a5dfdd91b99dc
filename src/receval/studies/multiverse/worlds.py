"""Every world of two systems: the specification curve."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import Look
from receval.figures.legend import note
from receval.figures.specification_curve import MarkedWorld, specification_curve
from receval.multiverse.decision_rows import decisions_of
from receval.multiverse.decision_titles import DECISION_NAMES
from receval.multiverse.decisions import Configuration
from receval.multiverse.verdicts import VERDICTS, place_of_world, with_verdicts
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the pair of systems in every world.

    Columns: the decisions; value (of the first system), other_value; residual, other_residual (of
    RBP); difference, effect (standardised difference), p, rejected (share of bootstrap samples that
    reject), evidence (1 - p or that share, with the sign of the system that is ahead and that the
    test sees ahead, too).
    """
    from receval.multiverse.exploration import explore_experiments

    pair = inputs.parameters["pair"]
    worlds = explore_experiments(
        inputs.decisions, inputs.experiments, [(pair[0], pair[1])], inputs.seed
    )
    return worlds.drop(columns=["first", "second", "verdict"])


def draw(numbers: pd.DataFrame, look: Look) -> Figure:
    """Draw the specification curve, with a mark at the starting configuration."""
    first, second = (look.short_titles[name] for name in look.parameters["pair"])
    figure = specification_curve(
        numbers["effect"],
        with_verdicts(numbers)["verdict"].map({name: sign for sign, name in VERDICTS.items()}),
        decisions_of(numbers, DECISION_NAMES),
        first=first,
        second=second,
        value_label="Standardised difference",
        marked=MarkedWorld(place_of_world(numbers, Configuration()), "starting configuration"),
        title=", ".join(look.datasets.values()),
    )
    measured = numbers[["value", "other_value", "p", "rejected"]]
    equal = (numbers["difference"] == 0).mean()
    note(
        figure,
        f"{len(numbers):,} worlds, of which {len(measured.drop_duplicates()):,} differ from all "
        f"others in a value or a test; in {100 * equal:.1f} % both systems have the same value.",
    )
    return figure
