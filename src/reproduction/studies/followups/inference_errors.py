# SPDX-License-Identifier: MIT
"""Type I errors of five paired tests when no system is better, by the number of users."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.line_labels import label_lines
from receval.figures.style import DOUBLE_COLUMN, new_figure
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.drawn_differences import (
    ALL,
    differences_of_pairs,
    flipped_pairs,
    matched_users,
    rejections,
    shares_with_intervals,
    tilted_pairs,
    values_by_metric,
)
from reproduction.studies.followups._shared.test_curves import (
    POPULATIONS,
    TEST_STYLES,
    TESTS,
    draw_tests,
    mark_level,
    set_log_shares,
    set_user_axis,
)

BY_METRIC = ("permutation", "wilcoxon", "sign")
"""Tests with their own panel in the second row."""

KEYS = ["dataset", "population", "metric", "sampled_users", "test"]


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count how often tests reject at the level .05 although the null hypothesis is true.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    test; ``tests``, the number of tests per population, metric and size, each on its own users
    drawn with replacement; ``pairs``, the number of pairs of systems that they use.

    Columns: dataset; population (``flipped-signs``: each user's two values are swapped at random,
    in the pairs nearest to each other; ``matched-users``: values of one system for two random
    users; ``equal-means``: users are drawn with probabilities under which both systems have the
    same mean, :func:`reproduction.studies.followups._shared.drawn_differences.tilted_to_effect`);
    metric (``all``: all metrics together); sampled_users; test
    (:data:`receval.statistics.difference_tests.TESTS`); tests; error (share that rejects); low,
    high (ends of its exact 95 % interval).

    In the first two, both signs of every difference are equally likely, so the permutation test is
    exact. In the third, differences may be skewed; only the means are equal, which is what tests of
    means are about.
    """
    from receval.seeds import generator

    parameters = inputs.parameters
    n_tests, pairs = int(parameters["tests"]), int(parameters["pairs"])
    rows: list[dict[str, object]] = []
    for experiment in inputs.experiments.values():
        values = values_by_metric(experiment, parameters["names"], parameters["metrics"])
        for metric, of_metric in values.items():
            differences = differences_of_pairs(of_metric)
            draws = {
                "flipped-signs": flipped_pairs(differences, pairs),
                "matched-users": matched_users(of_metric),
                "equal-means": tilted_pairs(differences, 0.0, pairs),
            }
            for population, draw_users in draws.items():
                for size in map(int, parameters["sizes"]):
                    names = (
                        "followups",
                        "inference-errors",
                        experiment.dataset,
                        population,
                        metric,
                    )
                    own = generator(inputs.seed, *names, size)
                    cell = {
                        "dataset": experiment.dataset,
                        "population": population,
                        "metric": metric,
                    }
                    rows += rejections(cell, draw_users, n_tests, size, own)
    return shares_with_intervals(rows, KEYS, "error")


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
