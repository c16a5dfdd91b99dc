# SPDX-License-Identifier: MIT
"""Significance against effect size of pairs of systems, by the number of users."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from numpy.typing import NDArray

from receval.figures.curves import line, mute, plain_numbers, plain_ticks
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_COLOUR, with_legend
from receval.figures.style import DOUBLE_COLUMN, SeriesStyle, new_figure
from receval.seeds import generator, seed_sequence
from receval.statistics.pairs import system_pairs
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.inference_errors import (
    TEST_LEVEL,
    all_differences,
    set_user_axis,
    values_by_metric,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Test every pair of systems on random subsets of the users, under every metric.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users (sizes
    above the number of users are replaced by it); ``subsets``, how many random subsets of each
    size; ``permutations`` and ``resamples`` of the permutation and the bootstrap test.

    Columns: dataset; metric; sampled_users; system_a, system_b; relative_difference (of the means
    over all users, the higher minus the lower, divided by the higher); effect (the difference in
    standard deviations of the paired differences of all users); users_needed (for a power of .8
    against this effect, :func:`receval.statistics.difference_tests.users_for_power`; empty if there
    is no effect); subsets; t, permutation, bootstrap, wilcoxon, sign (the share of the subsets in
    which the pair is significant at .05 by that test). Larger subsets contain the smaller ones.
    """
    from receval.statistics.difference_tests import users_for_power
    from receval.statistics.permutation import permutation_test

    parameters, metrics = inputs.parameters, inputs.named_metrics()
    permutations = int(parameters["permutations"])
    tables = []
    for experiment in inputs.experiments.values():
        values = values_by_metric(experiment, metrics)
        stacked = np.stack(list(values.values()))
        n_metrics, n_systems, n_users = stacked.shape
        first, second = system_pairs(n_systems)
        systems = np.array(experiment.all_systems)
        sizes = sorted({min(int(size), n_users) for size in parameters["sizes"]})
        names = ("followups", "effects", experiment.dataset)
        orders = [
            generator(inputs.seed, *names, number).permutation(n_users)
            for number in range(int(parameters["subsets"]))
        ]
        effects, relative = _effects(stacked)
        needed = users_for_power(effects)
        for size in sizes:
            subsets = orders if size < n_users else orders[:1]
            shares = dict.fromkeys(
                ("t", "permutation", "bootstrap", "wilcoxon", "sign"),
                np.zeros((n_metrics, len(first))),
            )
            for number, order in enumerate(subsets):
                chosen = stacked[:, :, np.sort(order[:size])]
                seed = seed_sequence(inputs.seed, *names, "signs", size, number)
                resamples = generator(inputs.seed, *names, "resamples", size, number)
                p_values = {
                    "permutation": permutation_test(chosen, seed, permutations).p_values,
                    **_p_values(chosen, int(parameters["resamples"]), resamples),
                }
                for test, found in p_values.items():
                    shares[test] = shares[test] + (found <= TEST_LEVEL) / len(subsets)
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": np.repeat(list(values), len(first)),
                        "sampled_users": size,
                        "system_a": np.tile(systems[first], n_metrics),
                        "system_b": np.tile(systems[second], n_metrics),
                        "relative_difference": relative.ravel(),
                        "effect": effects.ravel(),
                        "users_needed": np.where(np.isinf(needed), np.nan, needed).ravel(),
                        "subsets": len(subsets),
                        **{test: np.round(found, 9).ravel() for test, found in shares.items()},
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def _effects(stacked: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the absolute d_z and relative differences, shape (n_metrics, n_pairs)."""
    first, second = system_pairs(stacked.shape[1])
    means = stacked.mean(axis=2)
    distances = [all_differences(values) for values in stacked]
    spreads = np.stack([rows.std(axis=1, ddof=1) for rows in distances])
    sizes = np.abs(np.stack([rows.mean(axis=1) for rows in distances]))
    highest = np.maximum(means[:, first], means[:, second])
    return (
        np.divide(sizes, spreads, out=np.zeros_like(sizes), where=spreads > 0),
        np.divide(sizes, highest, out=np.zeros_like(sizes), where=highest > 0),
    )


def _p_values(
    stacked: NDArray[np.float64], resamples: int, generator: np.random.Generator
) -> dict[str, NDArray[np.float64]]:
    """Return the p-values of all tests except the permutation test, shape (n_metrics, n_pairs)."""
    from receval.statistics.bootstrap import shifted_bootstrap_test
    from receval.statistics.difference_tests import t_test_of_rows, wilcoxon_test_of_rows
    from receval.statistics.paired_tests import sign_test_of_counts

    found: dict[str, list[NDArray[np.float64]]] = {}
    for values in stacked:
        rows = all_differences(values)
        p_values = {
            "t": t_test_of_rows(rows),
            "bootstrap": shifted_bootstrap_test(rows, resamples, generator),
            "wilcoxon": wilcoxon_test_of_rows(rows),
            "sign": sign_test_of_counts((rows > 0).sum(axis=1), (rows < 0).sum(axis=1)),
        }
        for test, of_pairs in p_values.items():
            found.setdefault(test, []).append(of_pairs)
    return {test: np.stack(of_metrics) for test, of_metrics in found.items()}


def least_found(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest effect found in half of the subsets, by metric and size.

    Columns: metric; sampled_users; effect, NaN where none is found.
    """
    found = rows["effect"].where((rows["permutation"] >= 0.5) & (rows["effect"] > 0))
    keys = ["metric", "sampled_users"]
    return found.groupby([rows[key] for key in keys], sort=False).min().reset_index()


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the share of significant pairs, the effects found, and the users needed.

    The first two panels use the permutation test. If the parameter ``named`` is given, all other
    metrics are thin grey lines.
    """
    figure = new_figure(DOUBLE_COLUMN, 2.8)
    panels = figure.subplots(1, 3)
    styles = display.metric_styles(list(dict.fromkeys(results["metric"])))
    named = display.parameters.get("named", list(styles))
    sizes = sorted(set(results["sampled_users"]))
    shares = results.groupby(["metric", "sampled_users"], sort=False)["permutation"].mean()
    least = least_found(results).set_index(["metric", "sampled_users"])["effect"]
    full = results[results["sampled_users"] == sizes[-1]]
    for metric, style in styles.items():
        line(panels[0], sizes, shares[metric].loc[sizes], style, "_")
        line(panels[1], sizes, least[metric].loc[sizes], style, "_")
        _draw_needed(panels[2], full.loc[full["metric"] == metric, "users_needed"], style, metric)
        if metric not in named:
            for axes in panels:
                mute(axes.lines[-1])
    for axes in panels[:2]:
        set_user_axis(axes, sizes)
    panels[0].set_ylim(0, 1.03)
    panels[0].set_ylabel("Significant pairs (share)")
    panels[1].set_yscale("log")
    panels[1].yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    panels[1].yaxis.set_minor_locator(NullLocator())
    plain_numbers(panels[1].yaxis)
    panels[1].set_ylabel("Smallest effect found ($d_z$, log scale)")
    panels[2].set_xscale("log")
    plain_ticks(panels[2].xaxis, [1, 1000, 1_000_000])
    panels[2].set_ylim(0, 1.03)
    panels[2].set_xlabel("Users (log scale)")
    panels[2].set_ylabel("Pairs with that power (share)")
    panels[2].axvline(sizes[-1], color=NOTE_COLOUR, linewidth=0.7, linestyle="--", label="_all")
    titles = ("Significant at .05", "Smallest effects found", "Users for a power of .8")
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title)
    return with_legend(panels)


def _draw_needed(axes: Axes, needed: pd.Series, style: SeriesStyle, label: str) -> None:
    """Draw the share of pairs that need at most a given number of users."""
    users = real_values(needed)
    users = np.sort(users[~np.isnan(users)])
    shares = np.arange(1, len(users) + 1) / len(needed)
    axes.step(users, shares, where="post", color=style.colour, linestyle=style.line, label=label)
