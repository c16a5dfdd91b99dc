# SPDX-License-Identifier: MIT
"""Curves of statistical tests by the number of users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from receval.figures.curves import line
from receval.figures.finish import NOTE_COLOUR
from receval.figures.style import COLOURS, SeriesStyle
from receval.storage.files import real_values

TESTS = {
    "t": "t",
    "permutation": "Permutation",
    "bootstrap": "Bootstrap",
    "wilcoxon": "Wilcoxon",
    "sign": "Sign",
    "permutation-random-ties": "Permutation, ties at random",
}
"""Names of the tests in figures and sentences."""

TEST_STYLES = {
    "t": SeriesStyle(COLOURS[0], "o"),
    "permutation": SeriesStyle(COLOURS[2], "s"),
    "bootstrap": SeriesStyle(COLOURS[4], "^", "--"),
    "wilcoxon": SeriesStyle(COLOURS[1], "D"),
    "sign": SeriesStyle(COLOURS[3], "v"),
    "permutation-random-ties": SeriesStyle(COLOURS[6], "P", ":"),
}


def draw_tests(
    axes: Axes,
    rows: pd.DataFrame,
    column: str,
    styles: Mapping[str, SeriesStyle],
    names: Mapping[str, str],
    by: str = "test",
    *,
    intervals: bool = False,
) -> None:
    """Draw a column by the number of users, with one line per test, metric or method."""
    for name, style in styles.items():
        own = rows[rows[by] == name]
        if not len(own):
            continue
        band = (own["low"], own["high"]) if intervals else None
        label = names.get(name, f"_{name}")
        line(axes, own["sampled_users"], real_values(own[column]), style, label, band=band)


def set_user_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Put the numbers of users on a logarithmic axis with ticks at most of them."""
    axes.set_xscale("log")
    ends = (min(sizes), max(sizes))
    inner = [size for size in (100, 200, 1000) if ends[0] * 1.9 < size < ends[1] / 1.9]
    ticks = [ends[0], *(inner if ends[1] < 2000 else [s for s in inner if s != 100]), ends[1]]
    axes.xaxis.set_major_locator(FixedLocator([float(tick) for tick in ticks]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_xlim(ends[0] / 1.12, ends[1] * 1.12)
    axes.set_xlabel("Users (log scale)")


def mark_level(axes: Axes) -> None:
    """Mark the significance level .05."""
    axes.axhline(0.05, color=NOTE_COLOUR, linewidth=0.7, linestyle="--", label="_level")
