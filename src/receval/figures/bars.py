"""Grouped bars: one group per configuration, one bar per system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from receval.figures.style import INK, SeriesStyle

GROUP_WIDTH = 0.82
"""Share of a group's room that its bars fill."""


def grouped_bars(
    axes: Axes,
    frame: pd.DataFrame,
    *,
    group: str,
    series: str,
    value: str,
    styles: Mapping[str, SeriesStyle],
    error: str | None = None,
    group_order: Sequence[str] | None = None,
    group_labels: Mapping[str, str] | None = None,
    series_labels: Mapping[str, str] | None = None,
) -> None:
    """Draw one bar per row of a table, side by side within groups.

    Parameters
    ----------
    axes : Axes
        The panel; its y axis starts at 0. Axis labels and title are the caller's.
    frame : DataFrame
        One row per pair (group, series). A value of NaN stands for "does not apply" and is
        marked by a dash.
    group, series, value : str
        Columns: which group, which series, height of the bar.
    styles : mapping of str to SeriesStyle
        By series, in the order of the bars (:func:`receval.figures.style.series_styles`).
    error : str, optional
        Column with half the width of the confidence interval, in the unit of the value.
    group_order : sequence of str, optional
        Groups from left to right; by default in the order of their first row.
    group_labels, series_labels : mapping of str to str, optional
        What is printed instead of a name; a line break in a group's label is kept.

    Raises
    ------
    ValueError
        Where rows are missing, repeated, or of a group or series that is not to be drawn.
    """
    groups = list(group_order if group_order is not None else frame[group].unique())
    names = list(styles)
    heights = _matrix(frame, group, series, value, groups, names)
    errors = None if error is None else _matrix(frame, group, series, error, groups, names)
    width = GROUP_WIDTH / len(names)
    positions = np.arange(len(groups))
    for i, name in enumerate(names):
        style = styles[name]
        x = positions + (i - (len(names) - 1) / 2) * width
        drawn = ~np.isnan(heights[:, i])
        axes.bar(
            x[drawn],
            heights[drawn, i],
            width=width,
            facecolor=_tint(style.colour) if style.hatch else style.colour,
            edgecolor="white",
            hatchcolor=style.colour,
            hatch=style.hatch,
            label=(series_labels or {}).get(name, name),
        )
        if errors is not None:
            axes.errorbar(
                x[drawn],
                heights[drawn, i],
                yerr=errors[drawn, i],
                fmt="none",
                ecolor=INK,
                elinewidth=0.6,
                capsize=min(1.5, 8 * width),
                capthick=0.6,
            )
        for position in x[~drawn]:
            axes.annotate(
                "\N{EN DASH}",
                (position, 0),
                xytext=(0, 1),
                textcoords="offset points",
                ha="center",
                va="bottom",
                color=style.colour,
            )
    axes.set_xticks(positions, [(group_labels or {}).get(name, name) for name in groups])
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False, axis="x")
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_ylim(bottom=0)


def _matrix(
    frame: pd.DataFrame, group: str, series: str, value: str, groups: list[str], names: list[str]
) -> NDArray[np.float64]:
    """Return the values as an array of shape (n_groups, n_series)."""
    for column, allowed in ((group, groups), (series, names)):
        unknown = sorted(set(frame[column].astype(str)) - set(allowed))
        if unknown:
            raise ValueError(
                f"The column {column} holds {', '.join(unknown)}, which the figure does not draw "
                f"(it draws {', '.join(allowed)}). Leave those rows out or name them."
            )
    repeated = frame[frame.duplicated([group, series])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(
            f"There are several rows of {group} {first[group]} and {series} {first[series]}; a "
            "bar shows one. Average or filter them first."
        )
    found = frame.set_index([group, series])[value]
    wanted = [(g, s) for g in groups for s in names]
    for pair in wanted:
        if pair not in found.index:
            raise ValueError(
                f"There is no row of {group} {pair[0]} and {series} {pair[1]}. Add it, with the "
                "value NaN if it does not apply."
            )
    values: NDArray[np.float64] = found.loc[wanted].to_numpy(dtype=np.float64)
    return values.reshape(len(groups), len(names))


def _tint(colour: str) -> tuple[float, float, float]:
    """Return a light version of a colour: the ground on which its hatch shows."""
    red, green, blue = (1 - 0.3 * (1 - part) for part in to_rgb(colour))
    return red, green, blue
