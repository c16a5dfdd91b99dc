# SPDX-License-Identifier: MIT
"""Tables of averages and pairs for papers and screens, and the figure of intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval.evaluation.comparison import EFFECTS_IN_WORDS, ComparisonChoices
from receval.evaluation.pair_tests import DAGGER
from receval.figures.printed_numbers import NOTHING, as_written, fixed, p_value
from receval.figures.style import (
    DOUBLE_COLUMN,
    MOST_COLOURED,
    NO_WINNER,
    legend_name,
    new_figure,
    series_styles,
)
from receval.figures.tables import CellStyle, Column, Table, table_of
from receval.metrics.metric import best_value_of, goodness
from receval.storage.messages import enumerated, how_many

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DECIMALS = 4
"""The default number of decimals of averages."""


def best_first(rows: pd.DataFrame, less_is_better: Collection[str]) -> pd.DataFrame:
    """Sort the rows of one metric from the best mean to the worst."""
    good = goodness(rows["metric"].iloc[0], rows["mean"], less_is_better)
    return rows.iloc[np.argsort(-good, kind="stable")]


def with_direction(metric: str, less_is_better: Collection[str]) -> str:
    """Return the name of a metric for tables and figures, with an arrow unless more is better."""
    if (best := best_value_of(metric, less_is_better)) is not None:
        return f"{metric} \N{RIGHTWARDS ARROW} {best:g}"
    return f"{metric} \N{DOWNWARDS ARROW}" if metric in less_is_better else metric


def directions_in_words(metrics: Collection[str], less_is_better: Collection[str]) -> str:
    """Return what arrows behind names of metrics mean, with a space before; empty without any."""
    told = " \N{DOWNWARDS ARROW}: less is better." * any(own in less_is_better for own in metrics)
    if any(best_value_of(own, less_is_better) is not None for own in metrics):
        told += " \N{RIGHTWARDS ARROW}: the value at the arrow is the best."
    return told


_UNITS = {"ARP": "ratings", "EFD": "bits", "ItemAge": "days", "SelfInformation": "bits"}


def axis_label(metric: str, less_is_better: Collection[str]) -> str:
    """Return the name of a metric for an axis, with its unit, and an arrow if lower is better.

    Examples
    --------
    >>> axis_label("ItemAge@10", ()), axis_label("ARP(unit=share)@10", ())
    ('ItemAge@10 (days)', 'ARP(unit=share)@10')
    """
    unit = "" if "unit=" in metric else _UNITS.get(re.split("[(@]", metric)[0], "")
    arrow = with_direction(metric, less_is_better).removeprefix(metric)
    return f"{metric} ({unit}){arrow}" if unit else metric + arrow


def decimals_of(values: Iterable[float], decimals: int) -> int:
    """Return how many decimals numbers have: fewer from 10 on, so that they have as many digits.

    Examples
    --------
    >>> decimals_of([0.25, 9.0], 4), decimals_of([1263.96, 2.0], 4), decimals_of([], 4)
    (4, 1, 4)
    """
    largest = max((abs(value) for value in values if np.isfinite(value)), default=0.0)
    return decimals if largest < 10 else max(0, decimals - int(np.log10(largest)))


def averages_table(
    groups: pd.DataFrame,
    users: Mapping[str, int],
    decimals: int = DECIMALS,
    less_is_better: Collection[str] = (),
    method: str = "permutation test",
    comparison: ComparisonChoices | None = None,
) -> Table:
    """Return the averages: a row for each protocol and system, a column for each metric.

    The groups have the columns ``protocol``, ``metric``, ``system``, ``mean``, and ``letters``
    and ``untested`` if systems were compared
    (:meth:`receval.evaluation.result.EvaluationResult.groups`). ``users`` are the numbers of
    averaged users by protocol; if they differ, each row states them. In LaTeX, the best averages of
    several systems are bold, and letters are superscripts.
    """
    comparison = comparison or ComparisonChoices()
    protocols, metrics = (list(dict.fromkeys(groups[name])) for name in ("protocol", "metric"))
    has_letters = "letters" in groups
    of_first = groups[(groups["protocol"] == protocols[0]) & (groups["metric"] == metrics[0])]
    systems = list(best_first(of_first, less_is_better)["system"])
    letters = groups["letters"] if has_letters else [""] * len(groups)
    keys = zip(groups["protocol"], groups["metric"], groups["system"], strict=True)
    digits = {
        metric: decimals_of(own, decimals) for metric, own in groups.groupby("metric")["mean"]
    }
    cells = {
        key: fixed(float(mean), digits[key[1]]) + own
        for key, mean, own in zip(keys, groups["mean"], letters, strict=True)
    }
    differ = len({users[protocol] for protocol in protocols}) > 1
    rows = []
    for protocol in protocols:
        for system in systems:
            names = (protocol, system) if len(protocols) > 1 else (system,)
            if differ:
                names = (*names, f"{users[protocol]:,}")
            rows.append((*names, *(cells[protocol, metric, system] for metric in metrics)))
    heads = [Column("Protocol")] if len(protocols) > 1 else []
    averaged = users[protocols[0]]
    caption = "Averages over users" if differ else f"Averages over {how_many(averaged, 'user')}"
    if len(protocols) == 1:
        caption += f" under {protocols[0]}"
    told = [f"{caption}."]
    if has_letters and comparison.reference is not None:
        told.append(
            f"{DAGGER}: significantly different from {comparison.reference} "
            f"({method}, {comparison.correction_in_words}, .05)."
        )
    elif has_letters:
        told.append(
            "Systems that share a letter are not significantly different under a metric "
            f"({method}, {comparison.correction_in_words}, .05)."
        )
        if any(own.startswith(" (") for own in letters):
            told.append(
                "In brackets, where letters would not do: how many systems are significantly "
                "better."
            )
    if has_letters and (untested := groups.loc[groups["untested"] > 0, "metric"].unique()).size:
        told.append(
            f"Under {enumerated(untested)} some systems with different averages "
            f"{'have no mark' if comparison.reference else 'share no letter'}, although the test "
            "cannot tell whether they differ."
        )
    columns = (Column(with_direction(metric, less_is_better), "right") for metric in metrics)
    return Table(
        title="Averages",
        columns=(*heads, Column("System"), *[Column("Users", "right")] * differ, *columns),
        rows=tuple(rows),
        caption=" ".join(told) + directions_in_words(metrics, less_is_better),
        styles=_styles(groups, rows, digits, less_is_better),
    )


def _styles(
    groups: pd.DataFrame,
    rows: list[tuple[str, ...]],
    digits: Mapping[str, int],
    less_is_better: Collection[str],
) -> dict[tuple[int, int], CellStyle]:
    """Return which averages are printed as the best of several, and how many letters follow."""
    first = len(rows[0]) - len(digits)
    n_systems = groups["system"].nunique()
    protocols, metrics = (list(dict.fromkeys(groups[name])) for name in ("protocol", "metric"))
    found = {}
    for (protocol, metric), own in groups.groupby(["protocol", "metric"])["mean"]:
        good = goodness(metric, own, less_is_better)
        best = {fixed(mean, digits[metric]) for mean in own[good == np.fmax.reduce(good)]}
        begin, column = protocols.index(protocol) * n_systems, first + metrics.index(metric)
        for row in range(begin, begin + n_systems):
            cell = rows[row][column]
            printed = cell.rstrip(ascii_lowercase + DAGGER)
            is_bold = n_systems > 1 and printed.partition(" ")[0] in best
            found[row, column] = CellStyle(is_bold, len(cell) - len(printed))
    return found


def renamed(table: Table, names: Mapping[str, str]) -> Table:
    """Print other names of systems, metrics and protocols than a table of a result has."""
    if not names:
        return table

    def own(text: str) -> str:
        name, *arrow = re.split("(?= [\N{DOWNWARDS ARROW}\N{RIGHTWARDS ARROW}])", text, maxsplit=1)
        return names.get(name, name) + "".join(arrow)

    columns = tuple(replace(column, header=own(column.header)) for column in table.columns)
    rows = tuple(tuple(map(own, row)) for row in table.rows)
    return replace(table, columns=columns, rows=rows)


def pairs_table(
    pairs: pd.DataFrame,
    decimals: int = DECIMALS,
    less_is_better: Collection[str] = (),
    method: str = "permutation test",
    comparison: ComparisonChoices | None = None,
) -> Table:
    """Return the compared pairs of systems under each metric."""
    comparison = comparison or ComparisonChoices()
    protocols = list(dict.fromkeys(pairs["protocol"]))
    pairs = with_printed_differences(pairs, decimals)
    metrics = [with_direction(metric, less_is_better) for metric in pairs["metric"]]
    heading = comparison.correction_heading
    effect, explained = EFFECTS_IN_WORDS[comparison.effect or "d_z"]
    caption = (
        "Differences of averages, the first system minus the second, with effect sizes and "
        f"p-values over users ({enumerated(protocols)}; {method}). {effect}: {explained}. "
    )
    compared = " with the reference" if comparison.reference is not None else ""
    caption += (
        f"{heading}: corrected for the number of pairs{compared}."
        if heading
        else f"p-values: {comparison.correction_in_words}."
    )
    if comparison.margin is not None:
        caption += (
            " Equivalent, not inferior: p-values of t-tests of whether the systems differ by less "
            "than the margin, and whether the first is not worse by the margin, with "
            f"{comparison.correction_of_margins_in_words}."
        )
        measured = dict.fromkeys(pairs["metric"])
        if of_best := [own for own in measured if best_value_of(own, less_is_better) is not None]:
            caption += f" Inferiority is not tested in {enumerated(of_best)}: a value is the best."
    if comparison.power is not None:
        caption += (
            " Detectable: the smallest true difference that is found with a probability of "
            f"{as_written(comparison.power)}."
        )
    caption += directions_in_words(set(pairs["metric"]), less_is_better).replace(
        "is better.",
        "is better, so that the first system is ahead where the difference is below 0.",
    )
    size = partial(fixed, decimals=2, signed=True)
    if comparison.effect == "superiority":
        size = partial(fixed, decimals=2)
    columns: dict[str, tuple[str, Callable[[Any], str]]] = {
        "Protocol": ("protocol", str),
        "Metric": ("metric", str),
        "First": ("first", str),
        "Second": ("second", str),
        "Difference": ("difference", format),
        "95 % interval": ("interval", format),
        effect: ("effect_size", size),
    }
    if comparison.effect is not None:
        columns[f"Interval of {effect}"] = ("interval_of_effect", format)
        ends = zip(pairs["effect_low"], pairs["effect_high"], strict=True)
        shown = [f"{size(low)} to {size(high)}" if np.isfinite(low) else "" for low, high in ends]
        pairs = pairs.assign(interval_of_effect=shown)
    columns["p"] = ("p", p_value)
    if heading:
        columns[f"p ({heading})"] = (comparison.column, p_value)
    if comparison.margin is not None:
        columns |= {
            "Margin": ("margin", _as_margin),
            "p (equivalent)": ("p_equivalent", p_value),
            "p (not inferior)": ("p_not_inferior", p_value),
        }
    if comparison.power is not None:
        columns["Detectable"] = ("detectable", format)
    if len(protocols) == 1:
        del columns["Protocol"]
    return table_of(pairs.assign(metric=metrics), columns, "Pairs", caption)


def with_printed_differences(pairs: pd.DataFrame, decimals: int) -> pd.DataFrame:
    """Print differences, intervals and detectable differences, with equal decimals per metric."""
    ends = ["difference", "low", "high"]
    digits = {
        metric: decimals_of(own[ends].to_numpy().ravel(), decimals)
        for metric, own in pairs.groupby("metric")
    }
    rows = [
        [
            fixed(value, digits[row.metric], signed=True)
            for value in (row.difference, row.low, row.high)
        ]
        for row in pairs.itertuples(index=False)
    ]
    found = pairs.assign(
        difference=[difference for difference, _, _ in rows],
        interval=[
            f"{low} to {high}" if np.isfinite(end) else ""
            for (_, low, high), end in zip(rows, pairs["low"], strict=True)
        ],
    )
    if "detectable" in pairs:
        found["detectable"] = [
            fixed(row.detectable, digits[row.metric]) for row in pairs.itertuples(index=False)
        ]
    return found


def _as_margin(value: float) -> str:
    return NOTHING if np.isnan(value) else as_written(value)


# The figure: averages with their intervals, one panel per metric, one row per system.

MOST_COLUMNS = 3
"""The most panels in a row."""

MOST_PANELS = 12
"""The most panels of a figure; with more metrics and protocols, only the first are drawn."""

MOST_NAMED = 20
"""The most systems that all have a row with their name; with more, only the best have names."""

_PANEL = 2.3
_ROW = 0.17
_HEAD = 0.55
_CROWDED_ROW = 0.03
_CROWDED = 2.0, 6.0
"""The smallest and largest height of a panel with many systems."""


def draw_intervals(summary: pd.DataFrame, less_is_better: Collection[str] = ()) -> Figure:
    """Draw the averages of all systems, inside :func:`receval.figures.style.figure_style`.

    Systems are from the best (at the top) to the worst. Up to :data:`MOST_NAMED` systems are named,
    in the order of the first panel. With more, each panel has its own order, and the best of the
    first panel are coloured. There are at most :data:`MOST_PANELS` panels.
    """
    from matplotlib.ticker import MaxNLocator

    from receval.figures.finish import legend_below, number_axes

    panels = _panels(summary)
    shown = panels[:MOST_PANELS]
    several = len(dict.fromkeys(protocol for protocol, _ in panels)) > 1
    of_panels = dict(iter(summary.groupby(["protocol", "metric"])))
    ordered = [best_first(of_panels[panel], less_is_better) for panel in shown]
    systems = list(ordered[0]["system"])
    are_many = len(systems) > MOST_NAMED
    columns = min(MOST_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    if are_many:
        panel = float(np.clip(_CROWDED_ROW * len(systems), *_CROWDED))
    else:
        panel = _ROW * max(3, len(systems))
    height = rows * (_HEAD + panel) + 0.4 * are_many
    figure = new_figure(min(DOUBLE_COLUMN, _PANEL * columns + 0.8), height)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axes, (protocol, metric), own in zip(grid, shown, ordered, strict=False):
        if are_many:
            _draw_many(axes, own, systems[:MOST_COLOURED])
        else:
            _draw_named(axes, own.set_index("system").loc[systems])
        name = axis_label(metric, less_is_better)
        axes.set_xlabel(f"{name} ({protocol})" if several else name)
        axes.grid(axis="x", linewidth=0.4, color="#E4E4E4")
        axes.set_axisbelow(True)
    for axes in grid[len(shown) :]:
        axes.remove()
    for axes in grid[: len(shown)]:
        # Ticks with many decimals would meet.
        if min(np.diff(axes.get_xticks()), default=1.0) < 1e-4:
            axes.xaxis.set_major_locator(MaxNLocator(2))
    number_axes(grid[: len(shown)])
    if are_many:
        for axes in grid[: len(shown) : columns]:
            axes.set_ylabel("Place by the metric")
        legend_below(figure)
    return figure


def intervals_caption(summary: pd.DataFrame) -> str:
    """Return what the figure of a summary shows, and what it leaves out."""
    systems, panels = summary["system"].nunique(), _panels(summary)
    told = ["Averages with their 95 % intervals over users"]
    if systems > MOST_NAMED:
        told.append(
            f"each panel has the {how_many(systems, 'system')} in its own order, the best above; "
            f"those that are the best {MOST_COLOURED} in the first panel have colours"
        )
    if len(panels) > MOST_PANELS:
        told.append(
            f"the first {MOST_PANELS} of {len(panels)} metrics and protocols; averages.csv has all"
        )
    return "; ".join(told)


def _draw_named(axes: Axes, own: pd.DataFrame) -> None:
    """Draw a row for each system, with its name."""
    names = [str(name) for name in own.index]
    for place, (name, style) in enumerate(series_styles(names).items()):
        low, mean, high = own.loc[name, ["low", "mean", "high"]]
        axes.plot([low, high], [place, place], color=style.colour, linewidth=1.4)
        axes.plot(mean, place, marker=style.marker, color=style.colour, markersize=4)
    axes.set_yticks(range(len(names)), [legend_name(name, names) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)


def _draw_many(axes: Axes, own: pd.DataFrame, coloured: list[str]) -> None:
    """Draw all systems in the panel's own order: some coloured, the others grey."""
    from matplotlib.ticker import MaxNLocator

    places = np.arange(1, len(own) + 1)
    axes.hlines(places, own["low"], own["high"], color=NO_WINNER, linewidth=0.6)
    axes.plot(own["mean"], places, ".", color="#8C8C8C", markersize=1.8, markeredgewidth=0)
    for name, style in series_styles(coloured).items():
        place = own["system"].tolist().index(name)
        low, mean, high = own.iloc[place][["low", "mean", "high"]]
        axes.plot([low, high], [place + 1, place + 1], color=style.colour, linewidth=0.9)
        axes.plot(
            mean, place + 1, marker=style.marker, color=style.colour, markersize=2.6,
            linestyle="none", markeredgewidth=0, label=legend_name(name, coloured),
        )  # fmt: skip
    margin = max(1.0, 0.02 * len(own))
    ticks = MaxNLocator(8, integer=True).tick_values(1, len(own))
    axes.set_yticks([1, *(tick for tick in ticks if 1 < tick <= len(own))])
    axes.set_ylim(len(own) + margin, 1 - margin)


def _panels(summary: pd.DataFrame) -> list[tuple[str, str]]:
    return list(dict.fromkeys(zip(summary["protocol"], summary["metric"], strict=True)))


class WholeTable(pd.DataFrame):
    """A data frame that prints all of its columns: pandas leaves out those in the middle.

    What is selected or computed from it is a common data frame.

    Examples
    --------
    >>> many = WholeTable({f"column {number}": [number] for number in range(30)})
    >>> "..." in str(many), "..." in str(pd.DataFrame(many)), type(many[["column 1"]]).__name__
    (False, True, 'DataFrame')
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        return self.to_string(
            max_rows=pd.get_option("display.max_rows"),
            min_rows=pd.get_option("display.min_rows"),
            line_width=pd.get_option("display.width"),
        )
