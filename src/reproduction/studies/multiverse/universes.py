# SPDX-License-Identifier: MIT
"""All universes of two systems, as a specification curve, and the values of all systems in them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import note
from receval.figures.printed_numbers import significant
from receval.figures.specification_curve import MarkedUniverse, specification_curve
from receval.figures.style import short_number
from receval.figures.tables import Table, printed
from receval.metrics.labels import metric_name
from receval.multiverse.decisions import DECISION_NAMES, DECISIONS, Configuration
from receval.multiverse.description import decisions_of, level_title
from receval.multiverse.verdicts import VERDICTS, explained, index_of_universe, with_verdicts
from receval.seeds import generator
from receval.storage.files import VALUE_OF_SYSTEM, read_results, real_values
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


EFFECT = "effect_"

OF_VALUES = tuple(name for name in DECISIONS if name != "test")
"""The decisions that change values."""


def data_values(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure all systems in every universe.

    Columns: the decisions except D, since tests change no value; ``value_<system>`` for every
    system; ``effect_<first>_<second>`` for every pair, the standardised difference. One row per
    system would triple the size of the file.

    The artifact ``pairs`` can be computed from these: ``ahead`` from the values,
    ``explained_<decision>`` from the effects. Wins and losses also need the p-values of all tests,
    which would take 30 more columns; those of one pair are in ``universes``.
    """
    from receval.multiverse.exploration import explore
    from reproduction.experiments.universes import ExperimentUniverses

    # Use the first legal test of each universe; the bootstrap is last in a grid.
    tested: dict[tuple[str, ...], Configuration] = {}
    for configuration in inputs.decisions.configurations():
        levels = configuration.levels
        tested.setdefault(tuple(levels[name] for name in OF_VALUES), configuration)
    systems = inputs.parameters["systems"]
    pairs = list(combinations(systems, 2))
    universes = ExperimentUniverses(inputs.experiments)
    # The same as for all artifacts of the dataset: a grid may have only the bootstrap.
    random = generator(inputs.seed, universes.experiments[0].dataset, "multiverse")
    compared = explore(tested.values(), universes, pairs, random)
    of_pair = {
        pair: rows.set_index(list(OF_VALUES))
        for pair, rows in compared.groupby(["first", "second"], sort=False)
    }
    values = {systems[0]: of_pair[pairs[0]]["value"]}
    values |= {second: of_pair[systems[0], second]["other_value"] for second in systems[1:]}
    table = pd.DataFrame(
        {
            **{f"{VALUE_OF_SYSTEM}{system}": value for system, value in values.items()},
            **{f"{EFFECT}{a}_{b}": rows["effect"] for (a, b), rows in of_pair.items()},
        }
    )
    return table.reset_index()


def tabulate_values(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the values of all metrics and forms of lists; the start fixes the other decisions."""
    start = Configuration().levels
    shown = results
    for name in OF_VALUES:
        if name not in ("lists", "metric"):
            shown = shown[shown[name].astype(str) == start[name]]
    systems = [
        name.removeprefix(VALUE_OF_SYSTEM) for name in results if name.startswith(VALUE_OF_SYSTEM)
    ]
    values = real_values(shown[[f"{VALUE_OF_SYSTEM}{system}" for system in systems]])
    rows = [
        (str(lists), _metric_title(str(metric)), *map(significant, of_systems))
        for lists, metric, of_systems in zip(shown["lists"], shown["metric"], values, strict=True)
    ]
    heads = [display.short_titles[system] for system in systems]
    return printed(display, ("Lists", "Metric"), heads, rows)


def _metric_title(level: str) -> str:
    title = level_title("metric", level)
    return title if "(" in title else metric_name(title)
