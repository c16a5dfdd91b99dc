# SPDX-License-Identifier: MIT
"""Agreement of metrics: Kendall's tau between their orders of the systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle, panel_title
from receval.figures.finish import NOTE_COLOUR, letter_panels
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, new_figure, short_number
from receval.metrics.averages import Arithmetic, Geometric
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies._shared.heat_map import heat_map, two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs

RELEASED_DIGITS = 4
"""Number of digits of the released values behind the papers' coefficients."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the correlations of all pairs of metrics.

    Parameters of the artifact, aligned: ``names`` (printed), ``metrics`` (labels of the text's
    forms) and ``released`` (labels of the released tool's).

    Columns: dataset; average (over users); metric_a, metric_b (all ordered pairs, including a
    metric with itself); tau (of the text's forms of the metrics); tau_released (of the released
    tool's forms, with values rounded to four digits like the paper's, which ties some systems);
    systems (their number).
    """
    from reproduction.experiments.values import agreement_of, system_values

    metrics = inputs.named_metrics()
    released = inputs.named_metrics("released")
    both = [*metrics.values(), *released.values()]
    tables = []
    for experiment in inputs.experiments.values():
        (values,) = system_values(experiment, both, [Arithmetic()])
        own, theirs = values[: len(metrics)], np.round(values[len(metrics) :], RELEASED_DIGITS)
        table = agreement_of(own, list(metrics), experiment.dataset, Arithmetic.name)
        table.insert(5, "tau_released", kendall_tau_b(theirs, theirs).ravel())
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


# Heat maps of the agreement of metrics, one panel per dataset and average over users.

MINUS = "\N{MINUS SIGN}"
BELOW: dict[str, Any] = {"fontsize": 6.5, "color": NOTE_COLOUR}
"""Style of words below a panel, fainter than the names above them."""

OWN_AND_PAPER = "\N{BLACK LOWER LEFT TRIANGLE} ours  \N{BLACK UPPER RIGHT TRIANGLE} paper"


def draw_agreement(
    results: pd.DataFrame,
    display: DisplayStyle,
    titles: Mapping[str, str],
    prefix: str = "",
    starred: Mapping[str, Collection[str]] | None = None,
) -> Figure:
    """Draw one heat map with numbers per dataset (across) and average (down).

    Parameters of the artifact: ``lowest`` is the lower end of the colour scale unless a coefficient
    is below it (-1 where one is negative); ``published_<dataset>`` has the paper's coefficients in
    hundredths, row by row above the diagonal, where they are drawn. A line below a panel gives the
    agreement of the metrics ``own`` with their arithmetic mean, and the paper's from
    ``published_own_<dataset>``, in hundredths. The titles are those of the averages, and may be
    empty.
    """
    datasets = list(dict.fromkeys(results["dataset"]))
    names = list(dict.fromkeys(results["metric_a"]))
    # Panels are as wide as readable numbers need, and no wider.
    width = min(DOUBLE_COLUMN, max(SINGLE_COLUMN, 0.9 + 0.36 * len(names) * len(datasets)))
    several = len(datasets) > 1
    # Names, words and titles need space above and below the squares of a row.
    square = (width - 0.7) / len(datasets)
    height = (
        (square + 0.6 + 0.45 * len(titles)) * len(titles) + 0.4
        if several
        else (square + 0.15) * len(titles) + 0.2
    )
    lowest = _lowest(results, display)
    figure = new_figure(width, height)
    panels = figure.subplots(len(titles), len(datasets), squeeze=False)
    images = []
    for row, (average, title) in zip(panels, titles.items(), strict=True):
        stars = (starred or {}).get(average, ())
        shown = [f"{prefix}{name}" + ("*" if name in stars else "") for name in names]
        for axes, dataset in zip(row, datasets, strict=True):
            rows = results[(results["dataset"] == dataset) & (results["average"] == average)]
            tau = real_values(rows["tau"]).reshape(len(names), len(names))
            real = display.is_real(dataset)
            published = display.parameters.get(f"published_{dataset}") if real else None
            images.append(heat_map(axes, _beside(tau, published), shown, lowest))
            if published:
                axes.set_xlabel(OWN_AND_PAPER, **BELOW)
            if dataset != datasets[0]:
                axes.tick_params(labelleft=False)
            named = panel_title(display.datasets[dataset], "Agreement of orders", alone=not several)
            own_lines = (named if average == next(iter(titles)) else "", title)
            axes.set_title("\n".join(filter(None, own_lines)))
            own = _own(results, dataset, average, display)
            if own:
                # The paper's values are those of the last form.
                key = f"published_own_{dataset}" if average == list(titles)[-1] else ""
                published_own = display.parameters.get(key, ()) if real else ()
                words = _own_agreement(own, dict(zip(names, shown, strict=True)), published_own)
                axes.set_xlabel(words, **BELOW)
    letter_panels(panels.flat)
    figure.colorbar(
        images[0],
        ax=panels,
        label="Kendall's $\\tau$",
        shrink=0.6,
        aspect=35 if several else 25,
        # Several panels need their width for numbers.
        location="bottom" if several else "right",
        # Steps of .025 would be printed as .02 or .03.
        ticks=MaxNLocator("auto", steps=[1, 2, 5, 10]),
        format=FuncFormatter(lambda value, _: short_number(f"{value:.2g}".replace("-", MINUS))),
    )
    return figure


def _lowest(results: pd.DataFrame, display: DisplayStyle) -> float:
    """Return the start of the colour scale, below all coefficients."""
    known = real_values(results["tau"])
    least = float(np.nanmin(known, initial=1.0))
    if least < 0:
        return -1.0
    return min(float(display.parameters.get("lowest", 0)), np.floor(least * 10) / 10)


def _own(
    results: pd.DataFrame, dataset: str, average: str, display: DisplayStyle
) -> dict[str, float]:
    """Return the agreement of metrics under an average with themselves under the mean."""
    rows = results[
        (results["dataset"] == dataset) & (results["average"] == f"arithmetic to {average}")
    ].set_index("metric_a")["tau"]
    names = [str(name) for name in display.parameters.get("own", ())]
    return {name: float(rows[name]) for name in names if name in rows.index}


def _beside(tau: NDArray[np.float64], published: Collection[int] | None) -> NDArray[np.float64]:
    """Return our coefficients, with the paper's above the diagonal."""
    if not published:
        return tau
    both = tau.copy()
    both[np.triu_indices(len(tau), k=1)] = np.array(list(published), dtype=np.float64) / 100
    return both


def _own_agreement(
    taus: Mapping[str, float], shown: Mapping[str, str], published: Collection[int]
) -> str:
    """Return text on the agreement of two averages of the same metrics, with the paper's."""
    # The paper has values for the first averages only.
    paper = [f" (paper {two_decimals(value / 100)})" for value in published]
    said = [*paper, *[""] * (len(taus) - len(paper))]
    values = [
        f"{shown[name]} {two_decimals(tau)}{published_one}"
        for (name, tau), published_one in zip(taus.items(), said, strict=True)
    ]
    return f"With its own arithmetic mean:\n{', '.join(values)}"


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one heat map per dataset; see :func:`draw_agreement`."""
    return draw_agreement(results, display, {"arithmetic": ""})


FLOORED = Geometric()
ONES = Geometric(zeros="one")
AFFECTED = ("F1", "RR")
"""Metrics that the released tool averages without a floor."""

STARRED = ("F1", "MRR")
"""Printed names of these metrics, with an asterisk without a floor."""

FORMS = {
    "geometric": "Users without a hit: .00001",
    "released": "Users without a hit: 1 (*)",
}
"""Titles of the two forms."""


def data_geometric(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the correlations of all pairs of metrics under both forms of the geometric mean.

    Columns: dataset; average; metric_a, metric_b; tau; systems. Under the average ``geometric`` all
    metrics are floored, under ``released`` F1 and RR are averaged as in the released tool. Rows of
    the averages ``arithmetic to geometric`` and ``arithmetic to released`` correlate each metric's
    arithmetic mean with its geometric one.
    """
    from reproduction.experiments.values import agreement_of, system_values

    metrics = inputs.named_metrics()
    names = list(metrics)
    tables = []
    for experiment in inputs.experiments.values():
        arithmetic, floored, ones = system_values(
            experiment, list(metrics.values()), [Arithmetic(), FLOORED, ONES]
        )
        affected = np.array([metric.name in AFFECTED for metric in metrics.values()])
        released = np.where(affected[:, None], ones, floored)
        forms = {"geometric": floored, "released": released}
        for form, values in forms.items():
            tables.append(agreement_of(values, names, experiment.dataset, form))
        for form, values in forms.items():
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "average": f"arithmetic to {form}",
                        "metric_a": names,
                        "metric_b": names,
                        "tau": np.diag(kendall_tau_b(arithmetic, values, TOLERANCE_OF_MEANS)),
                        "systems": values.shape[1],
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def draw_geometric(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one heat map per form and dataset; see :func:`.metric_agreement.draw_agreement`."""
    return draw_agreement(results, display, FORMS, prefix="G", starred={"released": STARRED})
