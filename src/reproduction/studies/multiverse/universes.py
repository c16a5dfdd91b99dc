# SPDX-License-Identifier: MIT
"""All universes of two systems: the specification curve."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import note
from receval.figures.specification_curve import MarkedUniverse, specification_curve
from receval.figures.style import short_number
from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.multiverse.description import decisions_of
from receval.multiverse.verdicts import VERDICTS, index_of_universe, with_verdicts
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the pair of systems in every universe.

    Columns: the decisions; value (of the first system), other_value; residual, other_residual (of
    RBP); difference, effect (standardised difference), p_value, rejected (share of bootstrap
    samples that reject), signed_one_minus_p (1 - p or that share, with the sign of the system that
    is ahead both by value and by the test).
    """
    from reproduction.experiments.universes import explore_experiments

    pair = inputs.parameters["pair"]
    universes = explore_experiments(
        inputs.decisions, inputs.experiments, [(pair[0], pair[1])], inputs.seed
    )
    return universes.drop(columns=["first", "second", "verdict"])


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the specification curve and mark the starting configuration."""
    pair = display.parameters["pair"]
    first, second = (display.short_titles[name] for name in pair)
    styles = display.styles(pair)
    figure = specification_curve(
        results["effect"],
        with_verdicts(results)["verdict"].map({name: sign for sign, name in VERDICTS.items()}),
        decisions_of(results, DECISION_NAMES),
        first=first,
        second=second,
        value_label=f"Standardised difference,\n({first} \N{MINUS SIGN} {second})/SD",
        marked=MarkedUniverse(
            index_of_universe(results, Configuration()), "starting configuration"
        ),
        title=f"{first} and {second} on {', '.join(display.datasets.values())}",
        colours=(styles[pair[0]].colour, styles[pair[1]].colour),
    )
    measured = results[["value", "other_value", "p_value", "rejected"]]
    equal = (results["difference"] == 0).mean()
    note(
        figure,
        f"{len(results):,} universes, of which {len(measured.drop_duplicates()):,} differ from all "
        f"others in a value or a test; in {short_number(f'{100 * equal:.1f}')} % both systems have "
        "the same value.",
    )
    return figure
