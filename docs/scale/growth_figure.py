# SPDX-License-Identifier: MIT
"""The figure of the growth of time and memory with the number of ratings, by stage."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from job_records import RunRecord, comparable, fitted_exponent
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter
from stage_measures import (
    CONSTANT,
    NEIGHBOURHOODS,
    cpu_minutes,
    peak_gib,
    printed,
    staged,
)

from receval.figures.finish import letter_panels, save_figure
from receval.figures.line_labels import label_lines
from receval.figures.style import (
    DOUBLE_COLUMN,
    figure_style,
    new_figure,
    series_styles,
    short_number,
)

TITLE = "Time and memory by the number of ratings"
DRAWN = (
    *("generating", "parsing", "splits", *NEIGHBOURHOODS),
    *("other training", "other training and its ranking", "ranking"),
    *("numbers of artifacts", "drawings and tables"),
)


def draw(records: Sequence[RunRecord]) -> Figure:
    """Return the figure of the growth: processor time and the largest job's memory by stage."""
    records = comparable(records)
    sizes = [record.millions for record in records]
    known = [stage for stage in DRAWN if stage in staged(records[-1])]
    styles = series_styles(known, extra=CONSTANT)
    figure = new_figure(DOUBLE_COLUMN, 3.4)
    panels = figure.subplots(1, 2)
    for axes, value, label in zip(
        panels,
        (cpu_minutes, peak_gib),
        ("Processor time (min)", "Memory of the largest job (GiB)"),
        strict=True,
    ):
        for stage in known:
            style = styles[stage]
            values = [value(staged(record)[stage]) for record in records]
            axes.plot(
                sizes,
                values,
                color=style.colour,
                marker=style.marker,
                linestyle=style.line,
                label=f"{stage}, {printed(fitted_exponent(sizes[-2:], values[-2:]))}",
            )
        logarithmic(axes, sizes)
        axes.set_xlabel("Ratings (millions)")
        axes.set_ylabel(label)
    letter_panels(panels)
    label_lines(panels)
    return figure


def logarithmic(axes: Axes, sizes: Sequence[float]) -> None:
    """Give both axes logarithmic scales with plain numbers, and the sizes as ticks."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(sizes)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(plain))
        axis.set_minor_formatter(NullFormatter())


def plain(value: float, position: int | None = None) -> str:
    """Return a number of an axis without an exponent, and without the zero before its point."""
    return f"{value:,.0f}" if value >= 100 else short_number(f"{value:.3g}")


def picture(records: Sequence[RunRecord]) -> bytes:
    """Return the figure as SVG."""
    described = (
        f"What {records[-1].study} runs for generated ratings of Netflix's shape, with logarithmic "
        "axes. Left: minutes of the processor by stage. Right: GiB of the largest job of each "
        "stage. Names have the exponent between the two largest sizes."
    )
    with tempfile.TemporaryDirectory() as folder, figure_style():
        fresh = Path(folder) / "growth.svg"
        save_figure(draw(records), fresh, title=TITLE, description=described)
        return fresh.read_bytes()
