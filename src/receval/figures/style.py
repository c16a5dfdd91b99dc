# SPDX-License-Identifier: MIT
"""The style of every figure: sizes, fonts, grid and the distinguishable styles of series."""

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
"""Okabe and Ito's palette, told apart under all common colour vision deficiencies; grey stands
for its black, and its yellow, too faint for lines on white, is left out."""

FIRST_WINS = COLOURS[0]
SECOND_WINS = COLOURS[3]
NO_WINNER = "#C4C4C4"
"""What a comparison of two systems says has the same colours in all figures. Nobody's is lighter
than both others: print in greys tells it from them, and their positions tell these."""

ORDERED = "#6a4c93"
"""Colour in the middle of what is ordered: no system and no metric has its hue."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
EXTRA_HATCH = "/////"
"""Hatch of the bars of systems that the original figure does not have."""

HATCHES = ("", EXTRA_HATCH, ".....", "xxxxx")
LINE_STYLES = ("-", "--", ":", "-.")

STYLE: dict[Any, Any] = {
    # Bundled with matplotlib: the same glyphs, hence the same bytes, on every machine.
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
    # Glyphs as outlines: an SVG looks the same without the font, a PDF keeps its text selectable.
    "svg.fonttype": "path",
    "svg.hashsalt": "receval",
    "pdf.fonttype": 42,
}
"""Settings that differ from matplotlib's own; a user's matplotlibrc has no say."""


@dataclass(frozen=True)
class SeriesStyle:
    """How one series looks in any kind of figure.

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
    """Apply the style inside a ``with`` block; everything is drawn and saved within one.

    The settings start from matplotlib's defaults, so that no configuration file of this machine
    reaches a figure, and are put back at the end.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, of inches, whose panels arrange themselves without overlaps.

    Call it inside :func:`figure_style`. The figure belongs to no window and to no global state
    of ``pyplot``.
    """
    layout = ConstrainedLayoutEngine(h_pad=PADDING, w_pad=PADDING, hspace=0.04, wspace=0.04)
    figure = Figure(figsize=(width, height), layout=layout)
    # Its renderer stays and remembers how large texts are. A figure without a canvas of its own
    # makes a new one for each layout and for each text that is measured outside of one.
    FigureCanvasAgg(figure)
    return figure


def series_styles(names: Sequence[str], extra: Collection[str] = ()) -> dict[str, SeriesStyle]:
    """Return one style per series, no two alike.

    Parameters
    ----------
    names : sequence of str
        All series, in the order of the legend. The first seven that are not extra are solid.
    extra : collection of str
        Series that the original figure does not have; always hatched (bars) and never with a
        full line (curves).

    Raises
    ------
    ValueError
        For repeated names, or more series than there are styles.
    """
    if len(set(names)) != len(names):
        raise ValueError(f"The series {', '.join(names)} repeat a name: each needs its own style.")
    free = list(product(range(len(HATCHES)), range(len(COLOURS))))
    styles = {}
    # The original figure's series choose first, so that an extra one never changes theirs.
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
"""Of many series, those that have colours."""


LONGEST_NAME = 30
"""Characters of a name of a person's own in a figure."""


def legend_name(name: str) -> str:
    """Return a name of a person's own with no more characters than a figure has room for.

    Examples
    --------
    >>> legend_name("user-knn:neighbours=100,similarity=cosine")
    'user-knn:neighbour...ty=cosine'
    """
    return shortened(name, LONGEST_NAME, middle=True)


def styles_of_many(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return styles for any number of series: of more than there are, most are grey.

    Returns
    -------
    dict of str to SeriesStyle
        As :func:`series_styles` where these are enough. Otherwise the first
        :data:`MOST_COLOURED` have such styles, and all others the colour of :data:`NO_WINNER`.

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
    """Return styles for series that have an order: one hue, from light to dark, markers in turn.

    No system has the hue.
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
    """Return "black" on light colours and "white" on dark ones, whichever has more contrast.

    Notes
    -----
    Source: W3C, Web Content Accessibility Guidelines 2.1, contrast ratio and relative luminance.
    """
    colour = np.array(to_rgb(ground))
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    # The contrast is (lighter + .05) / (darker + .05): black and white have the same at .179.
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


class AxisNumbers(ScalarFormatter):
    """Numbers of an axis without the zero before the point: 0, .05, .10; -.5, 0, .5, 1.0."""

    def __init__(self) -> None:
        super().__init__(useOffset=False)

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return how a number is printed; see :meth:`matplotlib.ticker.Formatter.__call__`."""
        return short_number(super().__call__(x, pos))


def short_number(text: str) -> str:
    """Return a printed number without the zero before its point, and 0 for any zero.

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
    """Let all axes that have matplotlib's own numbers print them as the other figures do."""
    for axes in panels:
        for axis in (axes.xaxis, axes.yaxis):
            if type(axis.get_major_formatter()) is ScalarFormatter:
                axis.set_major_formatter(AxisNumbers())
