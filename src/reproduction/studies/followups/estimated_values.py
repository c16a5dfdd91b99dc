# SPDX-License-Identifier: MIT
"""Estimates of metrics from chosen ratings, compared with judgments of random items.

All artifacts on estimators have their titles, dot plots and tables from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_COLOUR, with_legend
from receval.figures.printed_numbers import fixed, significant
from receval.figures.style import DOUBLE_COLUMN, SeriesStyle, new_figure
from receval.figures.tables import Table, printed
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.evaluation.fitted_systems import RankedFold
    from receval.missing_judgments.estimators import FoldGenerator
    from reproduction.experiments.experiment import Experiment

MAR = "MAR"
"""The estimator that uses only judgments of randomly drawn items."""

TRUTH = "truth"
"""Name of the value by all judgments, among the estimators."""

TITLES = {
    ("naive", ""): "Naive",
    ("IPS", "known"): "IPS, known",
    ("SNIPS", "known"): "SNIPS, known",
    ("IPS", "popularity"): "IPS, popularity",
    ("SNIPS", "popularity"): "SNIPS, popularity",
    ("IPS", "10 strata"): "IPS, ten strata",
    ("SNIPS", "10 strata"): "SNIPS, ten strata",
    ("IPS", "MAR sample"): "IPS, rating values",
    ("SNIPS", "MAR sample"): "SNIPS, rating values",
    ("SKEW", ""): "SKEW",
    ("WTD_H", ""): "WTD_H",
    ("WTD", ""): "WTD",
}
"""Titles in the order of figures, from the unweighted test to intervened tests."""


def ranked_folds_of(experiment: Experiment) -> Iterator[RankedFold]:
    """Yield the folds of an experiment that has one protocol and unbiased judgments."""
    from receval.evaluation.fitted_systems import RankedFold

    protocol = experiment.only_protocol
    for number in experiment.folds:
        test, unbiased = (
            {
                name: experiment.judged_ranks(name, protocol, number, part)
                for name in experiment.all_systems
            }
            for part in ("test", "unbiased")
        )
        yield RankedFold(number, experiment.fold(number), test, unbiased)


def title_of(estimator: str, propensities: str) -> str:
    """Return the title of an estimator: that of :data:`TITLES`, or ``MAR, 10 a user``."""
    if estimator == MAR and propensities:
        return f"{MAR}, {propensities}"
    return TITLES.get((estimator, propensities), estimator)


def with_titles(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with the column ``title``, in the order of the titles."""
    texts = results.assign(propensities=results["propensities"].fillna("").astype(str))
    names = zip(texts["estimator"].astype(str), texts["propensities"], strict=True)
    places = {title: place for place, title in enumerate(TITLES.values())}
    return texts.assign(title=[title_of(*name) for name in names]).sort_values(
        "title",
        key=lambda titles: titles.map(places).fillna(len(places)),
        kind="stable",
        ignore_index=True,
    )


def ratios_to_mar(results: pd.DataFrame) -> pd.DataFrame:
    """Compare each estimator's values of the systems with those on random items.

    Columns: dataset; metric; estimator; propensities; title; tau (Kendall's tau-b of the orders of
    the systems); ratio (median over systems of the estimate over the value by random items),
    ratio_low and ratio_high (its quartiles); error (mean over systems of the absolute relative
    error, in per cent); in the order of the titles.
    """
    results = results.assign(value=real_values(results["value"]))
    rows = []
    for (dataset, metric), own in with_titles(results).groupby(["dataset", "metric"], sort=False):
        truth = own[own["estimator"] == MAR].set_index("system")["value"]
        keys = ["title", "estimator", "propensities"]
        for (title, estimator, propensities), of_it in own.groupby(keys, sort=False):
            values = of_it.set_index("system")["value"].reindex(truth.index)
            there = (truth > 0).to_numpy()
            ratios = values.to_numpy()[there] / truth.to_numpy()[there]
            low, middle, high = np.percentile(ratios, (25, 50, 75))
            tau = kendall_tau_b(values.to_numpy(), truth.to_numpy(), TOLERANCE_OF_MEANS)
            rows.append(
                {
                    "dataset": dataset,
                    "metric": metric,
                    "estimator": estimator,
                    "propensities": propensities,
                    "title": title,
                    "tau": float(tau[0, 0]),
                    "ratio": float(middle),
                    "ratio_low": float(low),
                    "ratio_high": float(high),
                    "error": 100 * float(np.abs(ratios - 1).mean()),
                }
            )
    return pd.DataFrame(rows)


def printed_by_metric(
    results: pd.DataFrame,
    display: DisplayStyle,
    keys: Mapping[str, str],
    numbers: Mapping[str, tuple[str, Callable[[float], str]]],
) -> Table:
    """Print one row for each combination of keys, with the numbers of all metrics side by side.

    `keys` has the columns of names by their headings. `numbers` has a column and how its numbers
    are written, by their heading below each metric. A metric without a row has dashes.
    """
    named = [*keys.values(), "metric"]
    values = {column: real_values(results[column]) for column, _ in numbers.values()}
    cells = results.assign(**values).set_index(named)[list(values)].to_dict("index")
    metrics = dict.fromkeys(results["metric"])
    rows = [
        (
            *name,
            *(
                write(cells[*name, metric][column]) if (*name, metric) in cells else "–"
                for metric in metrics
                for column, write in numbers.values()
            ),
        )
        for name in dict.fromkeys(results[list(keys.values())].itertuples(index=False, name=None))
    ]
    heads = [f"{metric}, {heading}" for metric in metrics for heading in numbers]
    return printed(display, list(keys), heads, rows)


# Dot plots of estimators: how well they order systems, and their errors.

Columns = tuple[str, str, str]
"""Columns of a dot and of the ends of its line."""

_ROW, _AROUND, _APART = 0.17, 1.0, 0.16


def draw_rows(
    panels: Sequence[tuple[str, pd.DataFrame]],
    display: DisplayStyle,
    *,
    left: Columns,
    right: Columns,
    labels: tuple[str, str],
    unity: bool,
) -> Figure:
    """Draw two panels for each part of the results, with one row per estimator.

    The left one shows only the first metric, because all have the same values there; the right one
    has a logarithmic scale.
    """
    metrics = list(dict.fromkeys(metric for _, rows in panels for metric in rows["metric"]))
    styles = display.metric_styles(metrics)
    heights = [rows["title"].nunique() for _, rows in panels]
    figure = new_figure(DOUBLE_COLUMN, _ROW * sum(heights) + _AROUND * len(panels))
    grid = figure.subplots(
        len(panels), 2, sharey="row", squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    for axes_of_row, (title, rows) in zip(grid, panels, strict=True):
        names = list(dict.fromkeys(rows["title"]))
        first = {metrics[0]: styles[metrics[0]]}
        whats = ("Order", "Size" if unity else "Error")
        for axes, columns, label, shown, what in zip(
            axes_of_row, (left, right), labels, (first, styles), whats, strict=True
        ):
            _dots(axes, rows, names, columns, shown)
            axes.set_xlabel(label)
            axes.set_title(f"{what}, {title}")
            axes.grid(visible=False, axis="y")
        axes_of_row[1].set_xscale("log")
        plain_numbers(axes_of_row[1].xaxis)
        axes_of_row[1].xaxis.set_minor_formatter(NullFormatter())
        if unity:
            axes_of_row[1].axvline(1, color=NOTE_COLOUR, linewidth=0.7)
        axes_of_row[0].set_yticks(range(len(names)), names)
        axes_of_row[0].set_ylim(len(names) - 0.5, -0.5)
    return with_legend(grid.flat)


def _dots(
    axes: Axes,
    rows: pd.DataFrame,
    names: Sequence[str],
    columns: Columns,
    styles: dict[str, SeriesStyle],
) -> None:
    middle, low, high = columns
    for number, (metric, style) in enumerate(styles.items()):
        own = rows[rows["metric"] == metric].set_index("title").reindex(names)
        shift = _APART * (number - (len(styles) - 1) / 2)
        places = np.arange(len(names)) + 2 * shift
        axes.hlines(places, own[low], own[high], color=style.colour, linewidth=1.0)
        axes.plot(
            own[middle],
            places,
            linestyle="none",
            marker=style.marker,
            color=style.colour,
            markeredgecolor="white",
            markeredgewidth=0.4,
            markersize=4.5,
            label=metric,
        )


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Estimate the metrics of all systems by all estimators.

    Parameter of the artifact: ``metrics``, such as P@10
    (:mod:`receval.missing_judgments.estimators`).

    Columns: dataset; metric; estimator (naive, IPS, SNIPS, SKEW, WTD_H, WTD, and MAR, by the
    judgments of randomly drawn items); propensities (its weights, or empty); system; value;
    standard_error (over users, given the weights); judgments (how many it uses, over all folds);
    effective_size (the equivalent number of equally weighted judgments).

    The table that reads these results has the columns of :func:`ratios_to_mar`, without the rows of
    the reference.
    """
    if inputs.results:
        found = ratios_to_mar(read_results(inputs.results["estimated_values"]))
        return found[found["estimator"] != MAR].reset_index(drop=True)
    from receval.missing_judgments.estimators import additive_metric_of, estimates_of_folds
    from receval.missing_judgments.judgment_sampling import SKEW, WTD, WTD_H
    from receval.missing_judgments.propensities import (
        PopularityPropensities,
        SamplePropensities,
        StratifiedPropensities,
    )

    metrics = [additive_metric_of(str(label)) for label in inputs.parameters["metrics"]]
    tables = []
    for experiment in inputs.experiments.values():

        def seeded(name: str, experiment: Experiment = experiment) -> FoldGenerator:
            names = (experiment.dataset, experiment.split, "intervened", name)
            return lambda number: generator(inputs.seed, *names, number)

        table = estimates_of_folds(
            ranked_folds_of(experiment),
            experiment.all_systems,
            metrics,
            [PopularityPropensities(), StratifiedPropensities(10), SamplePropensities()],
            experiment.only_protocol,
            experiment.threshold,
            interventions={test: seeded(test.name) for test in (SKEW, WTD_H, WTD)},
        )
        tables.append(table.assign(dataset=experiment.dataset))
    keys = ["dataset", "metric", "estimator", "propensities", "system"]
    columns = [*keys, "value", "standard_error", "judgments", "effective_size"]
    table = pd.concat(tables, ignore_index=True)
    order = np.lexsort([pd.factorize(table[name])[0] for name in reversed(keys)])
    return table.iloc[order][columns].reset_index(drop=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau with and ratios to the values on random items, one row per estimator."""
    found = ratios_to_mar(results)
    shown = found[found["estimator"] != MAR]
    panels = [
        (title, shown[shown["dataset"] == dataset])
        for dataset, title in display.datasets.items()
        if dataset in set(shown["dataset"])
    ]
    return draw_rows(
        panels,
        display,
        left=("tau", "tau", "tau"),
        right=("ratio", "ratio_low", "ratio_high"),
        labels=(
            "$\\tau$ with the order by random items",
            "Estimate / value by random items (log scale)",
        ),
        unity=True,
    )


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and estimator."""
    return printed_by_metric(
        results.assign(dataset=results["dataset"].map(display.datasets)),
        display,
        {"Dataset": "dataset", "Estimator": "title"},
        {
            "ratio": ("ratio", lambda ratio: significant(ratio, 2)),
            "error": ("error", lambda error: fixed(error, 0)),
            "tau": ("tau", two_decimals),
        },
    )
