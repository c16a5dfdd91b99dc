# SPDX-License-Identifier: MIT
"""All universes of two systems: the specification curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import note
from receval.figures.specification_curve import MarkedUniverse, specification_curve
from receval.figures.style import short_number
from receval.multiverse.decisions import DECISION_NAMES, Configuration
from receval.multiverse.description import decisions_of
from receval.multiverse.verdicts import VERDICTS, explained, index_of_universe, with_verdicts
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the pair of systems in every universe.

    Columns: the decisions; value (of the first system), other_value; residual, other_residual (of
    RBP); difference, effect (standardised difference), p_value, rejected (share of bootstrap
    samples that reject), signed_one_minus_p (1 - p or that share, with the sign of the system that
    is ahead both by value and by the test).

    The figure that reads these results has the columns of :func:`alike_universes`.
    """
    if inputs.results:
        return alike_universes(inputs)
    from reproduction.experiments.universes import explore_experiments

    pair = inputs.parameters["pair"]
    universes = explore_experiments(
        inputs.decisions, inputs.experiments, [(pair[0], pair[1])], inputs.seed
    )
    return universes.drop(columns=["first", "second", "verdict"])


SHOWN = 3
"""The number of decisions that are shown."""


def alike_universes(inputs: ArtifactInputs) -> pd.DataFrame:
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
    """Draw the specification curve and mark the starting configuration."""
    if "universes" in results:
        return _draw_in_short(results, display)
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


def _draw_in_short(results: pd.DataFrame, display: DisplayStyle) -> Figure:
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
