# SPDX-License-Identifier: MIT
"""The specification curve with the three decisions that explain most of the difference."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.specification_curve import specification_curve
from receval.multiverse.decisions import DECISION_NAMES
from receval.multiverse.description import decisions_of
from receval.multiverse.verdicts import VERDICTS, explained, with_verdicts
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs

SHOWN = 3
"""The number of decisions that are shown."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count the universes that are alike in what the figure shows.

    Columns: three decisions, in the order in which they are made; effect (standardised difference
    in hundredths); sign (of the verdict: 1 if the first system wins, -1 if the second does, or 0);
    universes (how many).
    """

    universes = with_verdicts(read_results(inputs.results["universes"]))
    found = explained(universes, "effect")
    most = np.argsort(-found.alone[0], kind="stable")[:SHOWN]
    shown = [name for name in DECISION_NAMES if name in {found.names[at] for at in most}]
    signs = {name: sign for sign, name in VERDICTS.items()}
    effect = real_values(universes["effect"])
    # A hundredth cannot be seen, but who is ahead is counted: away from zero.
    hundredths = np.sign(effect) * np.maximum(np.round(100 * np.abs(effect)), effect != 0)
    alike = universes[shown].assign(
        effect=hundredths.astype(np.int64),
        sign=universes["verdict"].map(signs),
    )
    return alike.value_counts(sort=False).rename("universes").reset_index()


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the specification curve in the width of a column."""
    pair = display.parameters["pair"]
    first, second = (display.short_titles[name] for name in pair)
    styles = display.styles(pair)
    universes = results.loc[results.index.repeat(results["universes"])]
    return specification_curve(
        universes["effect"] / 100,
        universes["sign"],
        decisions_of(universes, [name for name in DECISION_NAMES if name in results]),
        first=first,
        second=second,
        value_label=f"({first} \N{MINUS SIGN} {second})/SD",
        title=f"{len(universes):,} universes, {', '.join(display.datasets.values())}",
        colours=(styles[pair[0]].colour, styles[pair[1]].colour),
        in_short=True,
    )
