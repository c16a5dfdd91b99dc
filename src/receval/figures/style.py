# SPDX-License-Identifier: MIT
"""Common style of all figures: sizes, fonts, grid, and distinguishable styles of series."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import ScalarFormatter
from matplotlib.typing import ColorType

from receval.figures.hues import shaded
from receval.storage.messages import shortened

SINGLE_COLUMN = 3.3
"""Width in inches of a figure in one column of a two-column journal."""

DOUBLE_COLUMN = 7.0
"""Width in inches of a figure across both columns."""

PADDING = 0.04
"""Free space in inches around the panels and at the edges of a figure."""

INK = "#262626"
"""Colour of axes and text."""

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#595959")
"""Okabe and Ito's palette, which is distinguishable under all common colour vision deficiencies.
Grey replaces its black, and its yellow, too faint for lines on white, is left out."""

FIRST_WINS = COLOURS[0]
SECOND_WINS = COLOURS[3]
NO_WINNER = "#C4C4C4"
"""Colour of "no winner". Verdicts on two systems have the same colours in all figures. This one is
lighter than the other two, so it is distinguishable in greyscale; the other two are distinguishable
by position."""

ORDERED = "#6a4c93"
"""Middle colour of an ordered scale; no system and no metric has its hue."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
EXTRA_HATCH = "/////"
"""Hatch of bars of systems that the original figure does not have."""

HATCHES = ("", EXTRA_HATCH, ".....", "xxxxx")
LINE_STYLES = ("-", "--", ":", "-.")

STYLE: dict[Any, Any] = {
    # Bundled with matplotlib, so glyphs and bytes are the same on every machine.
    "font.family": ["DejaVu Sans"],
    "mathtext.fontset": "dejavusans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 5,
    "axes.labelpad": 3,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "axes.prop_cycle": cycler(color=COLOURS),
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "xtick.minor.width": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "patch.linewidth": 0.5,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.4,
    "legend.borderaxespad": 0,
    "legend.borderpad": 0,
    # Outlines make an SVG independent of fonts, and text in a PDF stays selectable.
    "svg.fonttype": "path",
    "svg.hashsalt": "receval",
    "pdf.fonttype": 42,
}
"""Settings that differ from matplotlib's defaults; a user's matplotlibrc is ignored."""


@dataclass(frozen=True)
class SeriesStyle:
    """The appearance of one series in any kind of figure.

    Attributes
    ----------
    colour : str
        Hexadecimal colour.
    marker, line : str
        Matplotlib marker and line style of its curves.
    hatch : str
        Matplotlib hatch of its bars; empty for solid bars.
    """

    colour: str
    marker: str = "o"
    line: str = "-"
    hatch: str = ""


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the style inside a ``with`` block, in which figures are drawn and saved.

    The settings start from matplotlib's defaults, so that no configuration file affects a figure.
    They are restored at the end.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, sized in inches, with an automatic layout without overlaps.

    Call it inside :func:`figure_style`. The figure has no window and does not affect the global
    state of ``pyplot``.
    """
    layout = ConstrainedLayoutEngine(h_pad=PADDING, w_pad=PADDING, hspace=0.04, wspace=0.04)
    figure = Figure(figsize=(width, height), layout=layout)
    # The canvas keeps its renderer, which caches the sizes of texts. A figure without its own
    # canvas makes a new renderer for each layout and each text measured outside of one.
    FigureCanvasAgg(figure)
    return figure


def series_styles(names: Sequence[str], extra: Collection[str] = ()) -> dict[str, SeriesStyle]:
    """Return a different style for each series.

    Parameters
    ----------
    names : sequence of str
        All series, in the order of the legend. The first seven that are not extra are solid.
    extra : collection of str
        Series that the original figure does not have; always hatched (bars) and never with a solid
        line (curves).

    Raises
    ------
    ValueError
        Names are repeated, or there are more series than styles.
    """
    if len(set(names)) != len(names):
        raise ValueError(f"The series {', '.join(names)} repeat a name: each needs its own style.")
    free = list(product(range(len(HATCHES)), range(len(COLOURS))))
    styles = {}
    # Series of the original figure get styles first, so that an extra one never changes theirs.
    for name in sorted(names, key=lambda name: name in extra):
        suitable = [display for display in free if display[0] > 0 or name not in extra]
        if not suitable:
            raise ValueError(
                f"There is no style left for the series {name}: {len(names)} series are too many "
                "to be told apart in one figure. Draw fewer, or split them into panels."
            )
        level, colour = suitable[0]
        free.remove(suitable[0])
        styles[name] = SeriesStyle(
            colour=COLOURS[colour],
            marker=MARKERS[(colour + level) % len(MARKERS)],
            line=LINE_STYLES[level],
            hatch=HATCHES[level],
        )
    return {name: styles[name] for name in names}


MOST_COLOURED = 10
"""Maximum number of coloured series if there are many."""


LONGEST_NAME = 30
"""Maximum number of characters of a user's own names in a figure."""


def legend_name(name: str) -> str:
    """Return a user's own name, shortened to fit a figure.

    Examples
    --------
    >>> legend_name("user-knn:neighbours=100,similarity=cosine")
    'user-knn:neighbour...ty=cosine'
    """
    return shortened(name, LONGEST_NAME, middle=True)


def styles_of_many(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return styles for any number of series; if there are too many, most are grey.

    Returns
    -------
    dict of str to SeriesStyle
        As for :func:`series_styles` if these are enough. Otherwise the first :data:`MOST_COLOURED`
        have such styles, and all others the colour of :data:`NO_WINNER`.

    Examples
    --------
    >>> styles = styles_of_many([f"s{number}" for number in range(200)])
    >>> styles["s9"].colour == NO_WINNER, styles["s10"].colour == NO_WINNER
    (False, True)
    """
    if len(names) <= len(HATCHES) * len(COLOURS):
        return series_styles(names)
    styles = series_styles(names[:MOST_COLOURED])
    return {name: styles.get(name, SeriesStyle(NO_WINNER, marker="None")) for name in names}


def ordered_styles(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return styles for ordered series: one hue from light to dark, with alternating markers.

    No system has this hue.
    """
    if len(set(names)) != len(names):
        raise ValueError(f"The series {', '.join(names)} repeat a name: each needs its own style.")
    shades = np.linspace(0.6, -1.0, len(names)) if len(names) != 1 else [-1.0]
    return {
        name: SeriesStyle(
            colour=shaded(ORDERED, float(shade)), marker=MARKERS[index % len(MARKERS)]
        )
        for index, (name, shade) in enumerate(zip(names, shades, strict=True))
    }


def ink_on(ground: ColorType) -> str:
    """Return "black" or "white", whichever has more contrast with a background colour.

    Notes
    -----
    Source: W3C, Web Content Accessibility Guidelines 2.1, contrast ratio and relative luminance.
    """
    colour = np.array(to_rgb(ground))
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    # The contrast is (lighter + .05) / (darker + .05), equal for black and white at .179.
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


class AxisNumbers(ScalarFormatter):
    """Formatter of axis numbers without a zero before the point: 0, .05, .10; -.5, 0, .5, 1.0."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Format a number; see :meth:`matplotlib.ticker.Formatter.__call__`."""
        return short_number(super().__call__(x, pos))


def short_number(text: str) -> str:
    """Return a printed number without the zero before its point; any zero becomes 0.

    Examples
    --------
    >>> [short_number(text) for text in ("0.05", "-0.50", "1.0", "0.00", "10")]
    ['.05', '-.50', '1.0', '0', '10']
    """
    digits = text.lstrip("-\N{MINUS SIGN}")
    if digits.strip("0.") == "" and digits:
        return "0"
    if digits.startswith("0."):
        return text[: len(text) - len(digits)] + digits[1:]
    return text


def number_axes(panels: Iterable[Axes]) -> None:
    """Use the common number format on all axes with matplotlib's default formatter."""
    for axes in panels:
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(AxisNumbers())
