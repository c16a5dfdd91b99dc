# SPDX-License-Identifier: MIT
"""Values of all systems in all universes, from which pairs are compared."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Table, printed
from receval.metrics.labels import metric_name
from receval.multiverse.decisions import DECISIONS, Configuration
from receval.multiverse.description import level_title
from receval.seeds import generator
from receval.storage.files import VALUE_OF_SYSTEM, real_values
from reproduction.studies._shared.inputs import ArtifactInputs

EFFECT = "effect_"

OF_VALUES = tuple(name for name in DECISIONS if name != "test")
"""The decisions that change values."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
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
