"""Figure 8: coverage shortfall of a kNN that asks for a minimum overlap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import COLOURS, DOUBLE_COLUMN, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.storage.files import real_values
from receval.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.evaluation.experiment import Experiment

USER_COVERAGE = "UserCoverage"
FULL, REDUCED = "full", "reduced"
PRODUCTS = {"coverage x reduced": REDUCED, "coverage x full": FULL}
"""The equation between both averages (equal to the full one), and as the paper prints it."""

KNN = {
    REDUCED: ("kNN, reduced average", SeriesStyle(COLOURS[3], "s")),
    FULL: ("kNN, full average", SeriesStyle(COLOURS[0], "o")),
}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return full and reduced averages and coverage of kNN by minimum overlap, and those of MF.

    Columns: dataset; average (full, reduced, or a product of the user coverage and one of these);
    minimum_overlap (none for systems without); metric; system; lists; value; p_value; verdict, the
    last five as in :meth:`.MeasuredSystems.compared`: against the
    parameter ``reference``. The test under the reduced average is over the users that both cover.
    The paper does not say whether lists are condensed here: both are measured, full ones drawn.

    Raises
    ------
    ValueError
        The parameter ``overlaps`` has not one number for each system but the reference.
    """
    return pd.concat(
        [_of_experiment(experiment, inputs) for experiment in inputs.experiments.values()],
        ignore_index=True,
    )


def _of_experiment(experiment: Experiment, inputs: ArtifactInputs) -> pd.DataFrame:
    from receval.metrics.registry import parse
    from receval.studies.canamares2020._shared.measured_systems import (
        MeasuredSystems,
        aligned_parameter,
        starting_configuration,
    )

    reference = str(inputs.parameters["reference"])
    neighbourhoods = [system for system in experiment.systems if system != reference]
    overlaps = aligned_parameter(inputs, "overlaps", neighbourhoods)
    systems = [reference, *neighbourhoods, *experiment.extra_systems]
    metrics = [parse(str(label)) for label in inputs.parameters["metrics"]]
    tables = []
    for form in ("full", "condensed"):
        start = starting_configuration(experiment).but(lists=form)
        labels = [m.label for m in metrics if m.condensed == (form == "condensed")]
        measured = MeasuredSystems(experiment, start, labels, systems)
        full, reduced = (
            measured.compared(start.but(coverage=average)).assign(average=average)
            for average in (FULL, REDUCED)
        )
        tables += [full, *_with_coverage(full, reduced)]
    results = pd.concat(tables, ignore_index=True)
    results.insert(0, "minimum_overlap", [str(overlaps.get(s, "")) for s in results["system"]])
    results.insert(0, "average", results.pop("average"))
    results.insert(0, "dataset", experiment.dataset)
    return results


def _with_coverage(full: pd.DataFrame, reduced: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the reduced averages, and both averages times the user coverage."""
    of_users = full["metric"].str.startswith(USER_COVERAGE)
    coverage = full[of_users].set_index("system")["value"]
    # Coverage is a share of all users: its reduced average says nothing.
    averages = {
        name: table[~table["metric"].str.contains("Coverage")]
        for name, table in ((FULL, full), (REDUCED, reduced))
    }
    yield averages[REDUCED]
    for product, factor in PRODUCTS.items():
        table = averages[factor]
        values = table["value"].to_numpy() * coverage[table["system"]].to_numpy()
        yield table.assign(average=product, value=values, p_value=np.nan, verdict="")


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the averages over the minimum overlap, MF as lines across, and the coverage below."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(SINGLE_COLUMN if len(datasets) == 1 else DOUBLE_COLUMN, 4.0)
    panels = figure.subplots(
        2, len(datasets), squeeze=False, sharex=True, gridspec_kw={"height_ratios": (3, 2)}
    )
    metric = display.parameters["metrics"][0]
    for (above, below), dataset in zip(panels.T, datasets, strict=True):
        own = results[results["dataset"] == dataset]
        of_metric = own[own["metric"] == metric]
        for average, (label, style) in KNN.items():
            _over_overlap(above, of_metric[of_metric["average"] == average], style, label)
        others = of_metric[(of_metric["average"] == FULL) & (of_metric["minimum_overlap"] == "")]
        for system, style in display.styles(others["system"]).items():
            (value,) = others.loc[others["system"] == system, "value"]
            above.axhline(
                float(value),
                color=style.colour,
                linestyle=style.line,
                label=display.short_titles[system],
            )
        coverage = own[own["metric"] == USER_COVERAGE]
        _over_overlap(below, coverage, SeriesStyle(COLOURS[6], "D"), "User coverage of kNN")
        above.set_title(display.datasets[dataset])
        above.set_ylabel(metric)
        above.set_ylim(bottom=0)
        below.set_ylabel("User coverage")
        below.set_xlabel("Minimum overlap")
        below.set_ylim(0, 1.05)
        below.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0, symbol=" %"))
    legend_below(figure)
    return figure


def _over_overlap(axes: Axes, rows: pd.DataFrame, style: SeriesStyle, label: str) -> None:
    points = real_values(rows[["minimum_overlap", "value"]])
    points = points[~np.isnan(points[:, 0])]
    line(axes, points[:, 0], points[:, 1], style, label)
