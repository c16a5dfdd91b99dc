# SPDX-License-Identifier: MIT
"""Type I errors of five paired tests when no system is better, by the number of users."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.line_labels import label_lines
from receval.figures.style import DOUBLE_COLUMN, new_figure, short_number
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.inference import (
    ALL,
    TEST_STYLES,
    TESTS,
    Draw,
    differences_of_pairs,
    draw_tests,
    mark_level,
    nearest_pairs,
    set_user_axis,
    shares_of_rejections,
    tilted_pairs,
)

POPULATIONS = {
    "flipped-signs": "Exchanged values",
    "matched-users": "One system",
    "equal-means": "Equal means",
}
"""Titles of the panels of the first row, by the kind of null hypothesis."""

TICKS_OF_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)

BY_METRIC = ("permutation", "wilcoxon", "sign")
"""Tests with their own panel in the second row."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count how often tests reject at the level .05 although the null hypothesis is true.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    test; ``tests``, the number of tests per population, metric and size, each on its own users
    drawn with replacement; ``pairs``, the number of pairs of systems that they use.

    Columns: dataset; population (``flipped-signs``: each user's two values are swapped at random,
    in the pairs nearest to each other; ``matched-users``: values of one system for two random
    users; ``equal-means``: users are drawn with probabilities under which both systems have the
    same mean, :func:`reproduction.studies.followups._shared.inference.tilted_to_effect`);
    metric (``all``: all metrics together); sampled_users; test
    (:data:`receval.statistics.difference_tests.TESTS`); tests; error (share that rejects); low,
    high (ends of its exact 95 % interval).

    In the first two, both signs of every difference are equally likely, so the permutation test is
    exact. In the third, differences may be skewed; only the means are equal, which is what tests of
    means are about.
    """
    pairs = int(inputs.parameters["pairs"])

    def draws_of(values: NDArray[np.float64]) -> dict[str | float, Draw]:
        differences = differences_of_pairs(values)
        return {
            "flipped-signs": flipped_pairs(differences, pairs),
            "matched-users": matched_users(values),
            "equal-means": tilted_pairs(differences, 0.0, pairs),
        }

    def seed_names(dataset: str, metric: str, population: str | float) -> tuple[str, ...]:
        return "inference-errors", dataset, str(population), metric

    return shares_of_rejections(inputs, "population", "error", draws_of, seed_names)


def flipped_pairs(differences: NDArray[np.float64], pairs: int) -> Draw:
    """Return draws of users of the nearest pairs, with their two values swapped at random."""
    chosen = nearest_pairs(differences, 0.0, pairs)

    def drawn(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        rows = np.arange(n_tests)[:, np.newaxis] % len(chosen)
        users = generator.integers(0, chosen.shape[1], (n_tests, n_users))
        signs = 1.0 - 2.0 * generator.integers(0, 2, (n_tests, n_users))
        return np.asarray(chosen[rows, users] * signs)

    return drawn


def matched_users(values: NDArray[np.float64]) -> Draw:
    """Return draws of the differences between two random users under the same system.

    This compares a system with itself on two random halves of the users, which differ only by
    chance.
    """
    from receval.metrics.averages import MEAN_DECIMALS

    def drawn(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        rows = np.arange(n_tests)[:, np.newaxis] % len(values)
        one, other = (
            values[rows, generator.integers(0, values.shape[1], (n_tests, n_users))]
            for _ in range(2)
        )
        return np.asarray(np.round(one - other, MEAN_DECIMALS))

    return drawn


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw errors by the number of users, for all metrics together and for three tests by metric.

    The second row of panels shows only ``equal-means``.
    """
    figure = new_figure(DOUBLE_COLUMN, 4.1)
    grid = figure.subplots(2, 3, sharey=True)
    sizes = sorted(set(results["sampled_users"]))
    together = results[results["metric"] == ALL]
    for axes, (population, title) in zip(grid[0], POPULATIONS.items(), strict=True):
        own = together[together["population"] == population]
        draw_tests(axes, own, "error", TEST_STYLES, TESTS, intervals=True)
        axes.set_title(title)
    for axes in grid.flat:
        mark_level(axes)
        set_user_axis(axes, sizes)
    for axes in grid[0]:
        axes.set_xlabel("")
    for axes in grid[:, 0]:
        axes.set_ylabel("Type I error (log scale)")
    legend_below(figure)
    apart = results[(results["metric"] != ALL) & (results["population"] == "equal-means")]
    styles = display.metric_styles(list(dict.fromkeys(apart["metric"])))
    for axes, test in zip(grid[1], BY_METRIC, strict=True):
        names = {name: name for name in styles} if test == BY_METRIC[-1] else {}
        draw_tests(axes, apart[apart["test"] == test], "error", styles, names, "metric")
        axes.set_title(f"Equal means, {TESTS[test]}")
    set_log_shares(grid[0, 0], max(float(results["error"].min()), 0.01))
    letter_panels(grid.flat)
    label_lines([grid[1, 2]])
    return figure


def set_log_shares(axes: Axes, lowest: float) -> None:
    """Put shares on a logarithmic axis from the tick below the lowest share to 1."""
    below = [tick for tick in TICKS_OF_SHARES if tick <= lowest]
    shown = [tick for tick in TICKS_OF_SHARES if tick >= (below[-1] if below else 0)]
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(list(shown)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda share, _: short_number(f"{share:.2f}".rstrip("0").rstrip(".")))
    )
    axes.set_ylim(min(shown[0], lowest) / 1.1, 1.12)
