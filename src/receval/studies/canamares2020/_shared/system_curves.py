"""Curves of systems, a panel for each dataset or experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below
from receval.figures.style import DOUBLE_COLUMN, SINGLE_COLUMN, SeriesStyle, new_figure
from receval.storage.files import real_values

HEIGHT = 2.6


def styles_by_short_title(display: DisplayStyle, systems: Iterable[str]) -> dict[str, SeriesStyle]:
    """Return the style of each system, the same for systems with one short title.

    One legend serves panels that show, for example, kNN with different numbers of neighbours.
    """
    own = display.styles(systems)
    by_title: dict[str, SeriesStyle] = {}
    for system, style in own.items():
        by_title.setdefault(display.short_titles[system], style)
    return {system: by_title[display.short_titles[system]] for system in own}


def draw_system_curves(
    results: pd.DataFrame,
    display: DisplayStyle,
    titles: Mapping[str, str],
    *,
    panel: str,
    across: str,
    finish: Callable[[Axes], None],
) -> Figure:
    """Draw a line for each system in a panel for each dataset or experiment.

    Parameters
    ----------
    results : DataFrame
        With the columns system, value, and those named by ``panel`` and ``across``.
    display : DisplayStyle
    titles : mapping of str to str
        Title of each panel.
    panel, across : str
        Columns: which panel, and the x axis.
    finish : callable
        Names the axes of a panel and adds what else belongs there.
    """
    names = list(dict.fromkeys(results[panel]))
    styles = styles_by_short_title(display, dict.fromkeys(results["system"]))
    figure = new_figure(SINGLE_COLUMN if len(names) == 1 else DOUBLE_COLUMN, HEIGHT)
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        shown = results[results[panel] == name]
        for system in dict.fromkeys(shown["system"]):
            points = shown[shown["system"] == system].sort_values(across)
            x, y = real_values(points[[across, "value"]]).T
            line(axes, x, y, styles[system], display.short_titles[system])
        axes.set_title(titles[name])
        finish(axes)
    legend_below(figure)
    return figure
