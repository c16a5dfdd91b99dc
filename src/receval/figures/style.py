# SPDX-License-Identifier: MIT
"""Common style of all figures: sizes, fonts, grid, colours, and styles of series, systems, metrics.

Plans import this module, so it needs no numpy, and loads matplotlib only when something is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import atan2, cos, hypot, log10, sin
from typing import TYPE_CHECKING, Any

from cycler import cycler

from receval.storage.messages import printable, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

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

MOST_COLOURED = 10
"""Maximum number of coloured series if there are many."""

LONGEST_NAME = 30
"""Maximum number of characters of a user's own names in a figure."""

STYLE: dict[str, Any] = {
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


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the style inside a ``with`` block, in which figures are drawn and saved.

    The settings start from matplotlib's defaults, so that no configuration file affects a figure.
    They are restored at the end.
    """
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)  # type: ignore[arg-type]
        yield


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, sized in inches, with an automatic layout without overlaps.

    Call it inside :func:`figure_style`. The figure has no window and does not affect the global
    state of ``pyplot``.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(h_pad=PADDING, w_pad=PADDING, hspace=0.04, wspace=0.04)
    figure = Figure(figsize=(width, height), layout=layout)
    # The canvas keeps its renderer, which caches the sizes of texts. A figure without its own
    # canvas makes a new renderer for each layout and each text measured outside of one.
    FigureCanvasAgg(figure)
    return figure


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


def percent(share: float) -> str:
    """Format a share as a percentage, such as 61.2 %."""
    return f"{short_number(f'{100 * share:.1f}')} %"


def legend_name(name: str, among: Sequence[str] = ()) -> str:
    """Return a user's own name, shortened to fit a figure, between words if it has some.

    Names ``among`` which several would be alike begin with the word by which they differ.

    Examples
    --------
    >>> names = [f"user-knn:neighbours={number},similarity=cosine" for number in (100, 200)]
    >>> legend_name(names[0]), legend_name(names[0], names)
    ('user-knn:neighbours=...cosine', '...100,similarity=cosine')
    """
    shown = shortened(name, LONGEST_NAME, middle=True)
    words = re.findall(r"[^\W_]+[\W_]*|[\W_]+", printable(" ".join(name.split())))
    if shown == "".join(words):
        return shown
    start = end = ""
    while words and len(words[-1] + end) <= LONGEST_NAME // 3:
        end = words.pop() + end
    while words and len(start + words[0] + end) <= LONGEST_NAME - len("..."):
        start += words.pop(0)
    shown = f"{start.rstrip()}...{end}" if start and end else shown
    alike = [own for own in among if own != name and legend_name(own) == shown]
    if not alike:
        return shown
    letters = enumerate(zip(name, *alike, strict=False))
    differing = next((place for place, own in letters if len({*own}) > 1), 0)
    begin = max(differing - LONGEST_NAME // 3, len(re.sub(r"[^\W_]*$", "", name[:differing])))
    return shortened(f"...{name[begin:]}", LONGEST_NAME)


# Styles of series, systems and metrics.


@dataclass(frozen=True)
class SeriesStyle:
    """The appearance of one series in any kind of figure.

    The colour is hexadecimal. Marker and line style are matplotlib's and of curves, the hatch is
    that of bars; it is empty for solid bars.
    """

    colour: str
    marker: str = "o"
    line: str = "-"
    hatch: str = ""


@dataclass(frozen=True)
class SystemStyle:
    """Title, short title, colour and marker of a system, as in ``config/display.yaml``."""

    title: str
    colour: str
    marker: str
    short_title: str | None = None


@dataclass(frozen=True)
class MetricStyle:
    """Colour and marker of a metric, as in ``config/display.yaml``."""

    colour: str
    marker: str


def series_styles(names: Sequence[str], extra: Collection[str] = ()) -> dict[str, SeriesStyle]:
    """Return a different style for each series, in the order of the legend.

    The first seven series that are not extra are solid. Extra series, which the original figure
    does not have, are always hatched (bars) and never have a solid line (curves). A ValueError is
    raised if names are repeated or there are more series than styles.
    """
    _refuse_repeats("series", names)
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


def styles_of_many(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return styles for any number of series.

    They are those of :func:`series_styles` if these are enough. Otherwise the first
    :data:`MOST_COLOURED` series have such styles, and all others are grey.
    """
    if len(names) <= len(HATCHES) * len(COLOURS):
        return series_styles(names)
    styles = series_styles(names[:MOST_COLOURED])
    return {name: styles.get(name, SeriesStyle(NO_WINNER, marker="None")) for name in names}


def ordered_styles(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return styles for ordered series: one hue from light to dark, with alternating markers."""
    _refuse_repeats("series", names)
    shades = _spaced(0.6, -1.0, len(names))
    return {
        name: SeriesStyle(colour=shaded(ORDERED, shade), marker=MARKERS[index % len(MARKERS)])
        for index, (name, shade) in enumerate(zip(names, shades, strict=True))
    }


NAMES_IN_PRINT = {"AP": "MAP", "RR": "MRR"}
"""Names in figures of metrics whose means over users have another name."""

LIGHTEST, DARKEST = 0.6, -0.75
"""Shades of cut-off 1 and of cut-off 100; cut-off 10 has the metric's own colour."""

CUTOFF_MARKERS = ("d", "p", "h", "8")
"""Markers of the second, third, ... cut-off of a metric; no metric has them as its own."""


def plain_metric(name: str) -> str:
    """Return the plain metric of a printed name or label, such as MAP for ``GMAP`` and ``AP@100``.

    Examples
    --------
    >>> [plain_metric(name) for name in ("AP@100", "GF1*", "nDCG@5", "antiP@10", "ndcg(depth=5)")]
    ['MAP', 'F1', 'nDCG', 'antiP', 'ndcg']
    """
    metric = re.sub(r"[@(*].*", "", name)
    metric = re.sub(r"^G(?=[A-Za-z])", "", metric)
    return NAMES_IN_PRINT.get(metric, metric)


def metric_styles(names: Sequence[str], known: Mapping[str, MetricStyle]) -> dict[str, SeriesStyle]:
    """Return the style of each metric of a figure.

    ``GP`` or ``AP@10`` look like ``P`` or ``MAP``, and ``GF1*`` looks like ``F1`` but dotted.
    A cut-off has the metric's hue, the darker the deeper it is (:func:`cutoff_shade`); several of
    one metric have different markers. A ValueError is raised if a name is repeated, a metric has no
    style, or several names would look alike.
    """
    _refuse_repeats("metrics", names)
    plain = [plain_metric(name) for name in names]
    if unknown := sorted(set(plain) - set(known)):
        raise ValueError(
            f"No display style is known for {', '.join(unknown)}: add a colour and a marker for "
            "it to the metrics of config/display.yaml."
        )
    if len(names) > 1 and len(set(plain)) == 1:
        return _cutoffs(names, known[plain[0]], MARKERS)
    styles = {
        name: SeriesStyle(
            shaded(known[metric].colour, cutoff_shade(name)),
            known[metric].marker,
            ":" if name.endswith("*") else "-",
        )
        for name, metric in zip(names, plain, strict=True)
    }
    for metric in set(plain):
        cutoffs = [name for name in names if name.partition("@")[0] == metric and "@" in name]
        if len(cutoffs) > 1:
            styles |= _cutoffs(cutoffs, known[metric], (known[metric].marker, *CUTOFF_MARKERS))
    if len(set(styles.values())) < len(styles):
        raise ValueError(
            f"Some of the metrics {', '.join(names)} would look alike. Draw cut-offs, or only one "
            "form of each metric."
        )
    return styles


def _cutoffs(
    names: Sequence[str], metric: MetricStyle, markers: Sequence[str]
) -> dict[str, SeriesStyle]:
    return {
        name: SeriesStyle(shaded(metric.colour, cutoff_shade(name)), markers[index % len(markers)])
        for index, name in enumerate(names)
    }


def cutoff_shade(name: str) -> float:
    """Return the shade of a metric's cut-off, the same in all figures; 0 without a cut-off.

    It falls with the logarithm of the cut-off: from .6 at 1 to 0 at 10, and to -.75 from 100 on.

    Examples
    --------
    >>> [cutoff_shade(name) for name in ("P@1", "P@5", "P@10", "P@50", "P@100", "P")]
    [0.6, 0.181, 0.0, -0.524, -0.75, 0.0]
    """
    cutoff = re.search(r"@(\d+)", name)
    if cutoff is None:
        return 0.0
    beyond = log10(max(1, min(100, int(cutoff[1])))) - 1
    return round(-(LIGHTEST if beyond < 0 else -DARKEST) * beyond, 3) + 0.0


def _spaced(start: float, end: float, number: int) -> list[float]:
    """Return evenly spaced numbers; a single one is the end."""
    step = (end - start) / max(1, number - 1)
    return [*(place * step + start for place in range(number - 1)), *[end] * (number > 0)]


def _refuse_repeats(what: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise ValueError(
            f"The {what} {', '.join(names)} repeat a name, but each needs its own style."
        )


# Shades of a colour that keep its hue, and the contrast of colours.

# Björn Ottosson, "A perceptual color space for image processing" (2020): matrices from linear RGB
# to cone responses, and from their cube roots to lightness and two opponent axes.
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)

_LIGHTEST, _DARKEST = 0.92, 0.22
_STEPS_TO_GAMUT = 24


@cache
def shaded(colour: str, shade: float) -> str:
    """Return a colour of the same hue, from -1 (darkest) over 0 (the same) to 1 (lightest).

    In OKLCH, the shade moves the lightness towards .92 or .22, and the chroma is reduced as far as
    a screen requires. Greys stay grey. Source: B. Ottosson, "A perceptual color space for image
    processing", 2020.

    Examples
    --------
    >>> shaded("#0072b2", 0), shaded("#0072b2", 0.5), shaded("#0072b2", -0.5)
    ('#0072b2', '#55aef3', '#00456e')
    """
    if not -1 <= shade <= 1:
        raise ValueError(f"The shade is {shade:g}: it must be from -1 (darkest) to 1 (lightest).")
    if shade == 0:
        return colour.lower()
    lightness, chroma, hue = oklch(colour)
    end = max(lightness, _LIGHTEST) if shade > 0 else min(lightness, _DARKEST)
    lightness += abs(shade) * (end - lightness)
    low, high = 0.0, chroma
    for _ in range(_STEPS_TO_GAMUT):
        middle = (low + high) / 2
        low, high = (middle, high) if _shown(lightness, middle, hue) else (low, middle)
    rgb = _rgb(lightness, chroma if _shown(lightness, chroma, hue) else low, hue)
    return "#" + "".join(f"{round(255 * _encoded(part)):02x}" for part in rgb)


def oklch(colour: str) -> tuple[float, float, float]:
    """Return lightness (0..1), chroma and hue (radians) of a hexadecimal colour."""
    linear = [_decoded(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5)]
    lightness, a, b = _times(_TO_LAB, [part ** (1 / 3) for part in _times(_TO_CONES, linear)])
    return lightness, hypot(a, b), atan2(b, a)


def _rgb(lightness: float, chroma: float, hue: float) -> list[float]:
    """Return the linear RGB of a colour in OKLCH."""
    cones = _times(_FROM_LAB, (lightness, chroma * cos(hue), chroma * sin(hue)))
    return _times(_FROM_CONES, [part**3 for part in cones])


def _shown(lightness: float, chroma: float, hue: float) -> bool:
    return all(-1e-6 <= part <= 1 + 1e-6 for part in _rgb(lightness, chroma, hue))


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def _decoded(part: float) -> float:
    """Return a part of linear RGB, given that of a screen in 0..1."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _encoded(part: float) -> float:
    part = min(max(part, 0.0), 1.0)
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def luminance(colour: ColorType) -> float:
    """Return the relative luminance of a colour (W3C, Web Content Accessibility Guidelines 2.1)."""
    from matplotlib.colors import to_rgb

    red, green, blue = map(_decoded, to_rgb(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(ground: ColorType) -> str:
    """Return "black" or "white", whichever has more contrast with a background colour."""
    # The contrast is (lighter + .05) / (darker + .05), equal for black and white at .179.
    return "black" if (luminance(ground) + 0.05) ** 2 > 1.05 * 0.05 else "white"
