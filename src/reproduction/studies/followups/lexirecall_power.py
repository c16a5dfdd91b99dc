# SPDX-License-Identifier: MIT
"""How well lexirecall and other metrics distinguish systems: ties and significant pairs."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.correlation import kendall_tau_b
from receval.statistics.multiple_comparisons import discriminative_power, holm
from receval.statistics.pairs import LEVEL
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs

LEXIRECALL = "lexirecall"
"""Name of lexirecall among the metrics of the artifact ``lexirecall_p_values``."""

TESTS = {"sign": "p_sign", "permutation": "p_value"}
"""The columns of p-values by test."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``lexirecall_p_values``, one row per metric.

    Columns: metric; ties (share of users for whom a pair is tied, mean over pairs); sign and
    permutation (numbers of pairs that are significant at .05 by Holm's method); power_sign and
    power_permutation (sums of the p-values of all pairs; lower is better); tau (Kendall's, between
    the order of systems by mean preference and lexirecall's); systems (how many).
    """
    results = read_results(inputs.results["lexirecall_p_values"])
    rows = []
    orders = {}
    for metric, own in results.groupby("metric", sort=False):
        wins, losses, tied = (
            real_values(own[name]) for name in ("preferring_a", "preferring_b", "tied")
        )
        p_values = {test: real_values(own[column]) for test, column in TESTS.items()}
        margins = pd.Series(wins - losses, index=own.index)
        names = list(dict.fromkeys([*own["system_a"], *own["system_b"]]))
        orders[str(metric)] = [
            float(margins[own["system_a"] == name].sum() - margins[own["system_b"] == name].sum())
            for name in names
        ]
        rows.append(
            {
                "metric": str(metric),
                "ties": float((tied / (wins + losses + tied)).mean()),
                **{test: int((holm(p) < LEVEL).sum()) for test, p in p_values.items()},
                **{f"power_{test}": discriminative_power(p) for test, p in p_values.items()},
                "systems": len(names),
            }
        )
    taus = [float(kendall_tau_b(own, orders[LEXIRECALL])[0, 0]) for own in orders.values()]
    table = pd.DataFrame(rows)
    table.insert(len(table.columns) - 1, "tau", taus)
    return table


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the summary of every metric, lexirecall first."""
    table = results.set_index("metric")
    names = [LEXIRECALL, *(name for name in table.index if name != LEXIRECALL)]
    rows = [
        (
            name.capitalize() if name == LEXIRECALL else name,
            fixed(100 * float(table.loc[name, "ties"]), 1),
            *(str(int(table.loc[name, test])) for test in ("sign", "permutation")),
            *(
                fixed(float(table.loc[name, f"power_{test}"]), 2)
                for test in ("sign", "permutation")
            ),
            two_decimals(float(table.loc[name, "tau"])),
        )
        for name in names
    ]
    headings = ("Ties (%)", "Pairs, sign", "Pairs, perm.", "DP, sign", "DP, perm.", "$`\\tau`$")
    return printed(display, ["Metric"], headings, rows)
