# SPDX-License-Identifier: MIT
"""The result of an audit of sampled metrics: its tables, its figures and its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval.data.reading import ReadingReport
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.figures.curves import line, logarithmic_x
from receval.figures.finish import legend_below, number_axes
from receval.figures.printed_numbers import NOTHING, fixed, p_value
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    NO_WINNER,
    SINGLE_COLUMN,
    legend_name,
    new_figure,
    series_styles,
    styles_of_many,
)
from receval.figures.tables import Column, Table
from receval.notes import Note
from receval.sampled_metrics.rank_corrections import ESTIMATORS

DECIMALS = 4


@dataclass(frozen=True)
class SamplingAudit:
    """Comparison of sampled metrics with full ranking.

    Attributes
    ----------
    values : DataFrame
        By ``metric`` and ``system``: the value under ``full`` ranking; the number of ``negatives``,
        and the ``expected`` sampled value and its ``sd`` over samples; the number of
        ``relevant_items`` averaged.
    corrections : DataFrame
        By metric, system and ``estimator``: ``expected``, ``bias`` against full ranking, ``sd``
        (NaN for MLE, which is computed from the expected distribution of sampled ranks).
    cutoffs : DataFrame
        By metric and system, for metrics that are step functions of the rank (Recall, P): the
        ``full_cutoff`` that corresponds to the ``cutoff`` among samples
        (:mod:`receval.sampled_metrics.sampled_moments`).
    curve : DataFrame
        ``expected`` and ``sd`` by metric, system and number of ``negatives``.
    pairs : DataFrame
        By metric and pair of systems: ``full_difference`` and ``full_p`` of its t-test over users;
        ``expected_difference`` and its ``sd``; the ``swap_probability``; and the number of
        negatives that is ``enough`` for a swap probability below .05 (to within 2 %), also as a
        ``share`` of the candidates.
    swaps : DataFrame
        ``swap_probability`` by metric, pair of systems and number of negatives.
    by_user : DataFrame
        Means over each user's relevant items, under full ranking and expected.
    settings : mapping
    notes : tuple of Note
        Warnings about possible misinterpretations.
    reading : tuple of ReadingReport
        How test data, training data and runs were read.
    words : tuple of str
        Which test ratings are relevant.
    """

    values: pd.DataFrame
    corrections: pd.DataFrame
    cutoffs: pd.DataFrame
    curve: pd.DataFrame
    pairs: pd.DataFrame
    swaps: pd.DataFrame
    by_user: pd.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    words: tuple[str, ...] = ()

    def as_report(self, title: str = "Sampled metrics") -> Report:
        """Return a report with tables, figures and sentences."""
        largest = int(self.settings["largest_number_of_negatives"])
        parts: list[ReportPart] = [ReportText("In short", tuple(self.sentences()))]
        parts.append(ReportTable("values", self._values_table()))
        parts.append(
            ReportFigure.drawn(
                "negatives",
                lambda: draw_negatives(self.curve, self.values),
                "Expected value against the number of sampled negatives, with a band of 1.96 "
                f"standard deviations over samples. At the right end ({largest:,}) all candidates "
                "are ranked. Dashed: the number audited.",
            )
        )
        data = {"values": self.values, "curve": self.curve, "corrections": self.corrections}
        if len(self.pairs):
            parts.append(ReportTable("pairs", self._pairs_table()))
            parts.append(
                ReportFigure.drawn(
                    "swaps",
                    lambda: draw_swaps(self.swaps, self.values),
                    "Probability that an evaluation by samples puts two systems in the other order "
                    "than full ranking. Dotted: .05. Dashed: the number audited."
                    + self._pairs_left_out(),
                )
            )
            data |= {"pairs": self.pairs, "swaps": self.swaps}
        if len(self.cutoffs):
            parts.append(ReportTable("cutoffs", self._cutoffs_table()))
            data["cutoffs"] = self.cutoffs
        parts.append(ReportTable("corrections", self._corrections_table()))
        data |= {"per_user": self.by_user}
        return Report(
            title, tuple(parts), data, self.notes, self.settings, self.reading, self.words
        )

    def sentences(self) -> list[str]:
        """Return a few sentences that summarise the findings."""
        sampled, largest = self.settings["sampled"], self.settings["largest_number_of_negatives"]
        told = [
            f"Each of {self.settings['relevant_items']:,} relevant test items is ranked among "
            f"{sampled:,} sampled non-relevant items, or all of up to {largest:,}. All means "
            "and standard deviations are exact sums over the samples that could be drawn."
        ]
        if not len(self.pairs):
            return told
        reversed_ = self.pairs[self.pairs["swap_probability"] > 0.5]
        seldom = self.pairs[self.pairs["swap_probability"] < 0.05]
        told.append(
            f"With {sampled:,} negatives, {len(seldom)} of {len(self.pairs)} pairs (a pair under "
            "each metric counts by itself) change places with a probability below .05, and "
            f"{len(reversed_)} with one above .5: those are in the wrong order on average, which "
            "more users or repeated samples do not mend."
        )
        needed = self.pairs["enough"].max()
        if np.isfinite(needed):
            told.append(
                f"For all pairs that differ, {int(needed):,} negatives would be enough, "
                f"{fixed(100 * needed / largest, 0)} % of the candidates."
            )
        return told

    def _pairs_left_out(self) -> str:
        """Return how many pairs the figure shows, if it does not show all."""
        pairs = len(self.pairs[["first", "second"]].drop_duplicates())
        return "" if pairs <= MOST_PAIRS else f" The first {MOST_PAIRS} of {pairs:,} pairs."

    def _values_table(self) -> Table:
        sampled = self.settings["sampled"]
        rows = tuple(
            (
                row.metric,
                row.system,
                fixed(row.full, DECIMALS),
                fixed(row.expected, DECIMALS),
                fixed(row.sd, DECIMALS),
                fixed(row.expected / row.full, 1) if row.full > 0 else NOTHING,
            )
            for row in self.values.itertuples()
        )
        heads = ("Full ranking", f"{sampled:,} sampled", "SD over samples", "Sampled / full")
        return Table(
            "Sampled and full values",
            _columns(("Metric", "System"), heads),
            rows,
            caption=(
                "The value under full ranking (1R AN), and the exact expectation and standard "
                f"deviation of the sampled one (1R NN) over all samples of {sampled:,}."
            ),
        )

    def _pairs_table(self) -> Table:
        rows = tuple(
            (
                row.metric,
                row.first,
                row.second,
                fixed(row.full_difference, DECIMALS, signed=True),
                p_value(row.full_p),
                fixed(row.expected_difference, DECIMALS, signed=True),
                fixed(row.sd, DECIMALS),
                _probability(row.swap_probability),
                NOTHING if np.isnan(row.enough) else f"{int(row.enough):,}",
            )
            for row in self.pairs.itertuples()
        )
        heads = ("Full", "p (full)", "Sampled", "SD", "Pr(other order)", "Enough")
        return Table(
            "Pairs of systems",
            _columns(("Metric", "First", "Second"), heads),
            rows,
            caption=(
                "Differences under full ranking (averages over relevant items), with the p-value "
                "of a t-test over users (of the averages of their items), and with "
                f"{self.settings['sampled']:,} sampled negatives. Enough: the smallest number of "
                "negatives for which, and for all larger ones that were tried, two systems are in "
                "the other order with a probability below .05, to within 2 %."
            ),
            notes=(
                "Systems that do not differ significantly under full ranking have no order that an "
                "evaluation could be asked to keep.",
                "Samples are drawn for each relevant item and each system by itself. Systems that "
                "share their samples differ less by chance: probabilities below .5 are then lower, "
                "and those above are higher.",
            ),
        )

    def _cutoffs_table(self) -> Table:
        rows = tuple(
            (
                row.metric,
                row.system,
                str(row.cutoff),
                f"{row.full_cutoff:,}",
                f"{fixed(100 * row.share, 1)} %",
            )
            for row in self.cutoffs.itertuples()
        )
        heads = ("Among samples", "Under full ranking", "Of the candidates")
        return Table(
            "Cut-offs of the same value",
            _columns(("Metric", "System"), heads),
            rows,
            caption=(
                "The cut-off under full ranking at which a system has the value that it is "
                f"expected to have among {self.settings['sampled']:,} sampled negatives: how deep "
                "in its lists the sampled metric looks."
            ),
            notes=(
                "If systems of a metric have the same one, their sampled values are in the order "
                "of full ones at that cut-off (Li et al., 2020).",
            ),
        )

    def _corrections_table(self) -> Table:
        rows = []
        for (metric, system), own in self.corrections.groupby(["metric", "system"], sort=False):
            cells = [str(metric), str(system), fixed(float(own["full"].iloc[0]), DECIMALS)]
            for estimator in ESTIMATORS:
                (row,) = own[own["estimator"] == estimator].itertuples()
                spread = "" if np.isnan(row.sd) else f" ± {_spread(row.sd)}"
                cells.append(fixed(row.expected, DECIMALS) + spread)
            rows.append(tuple(cells))
        return Table(
            "Corrected values",
            _columns(("Metric", "System"), ("Full ranking", *ESTIMATORS)),
            tuple(rows),
            caption=(
                "Expectation of corrected sampled metrics, ± their standard deviation over samples "
                f"of {self.settings['sampled']:,}: at the unbiased estimate of the rank, by "
                "constrained least squares (CLS), by the trade-off of bias and variance with a "
                "weight of .1 (BV; Krichene and Rendle, 2020), and by the most likely distribution "
                "of ranks (MLE; Jin et al., 2021)."
            ),
            notes=(
                "The corrections take the average number of candidates for that of all users. MLE "
                "is that of the expected distribution of sampled ranks, as of very many users.",
                "CLS is nearly unbiased at the price of its variance, which makes it useless where "
                "its standard deviation is many times the value; BV gives up some of the one for "
                "the other.",
            ),
        )


def _columns(names: Sequence[str], numbers: Sequence[str]) -> tuple[Column, ...]:
    return (*map(Column, names), *(Column(head, "right") for head in numbers))


def _spread(value: float) -> str:
    return fixed(value, DECIMALS) if value < 10 else f"{value:.1e}"


def _probability(value: float) -> str:
    if np.isnan(value):
        return NOTHING
    return "< .001" if value < 0.001 else "> .999" if value > 0.999 else fixed(value, 3)


MOST_COLUMNS = 3
"""Maximum number of panels in a row."""

MOST_PAIRS = 15
"""Maximum number of pairs of systems with a curve."""

_HEIGHT = 2.2
_LETTER, _HANDLE, _LINE = 0.07, 0.45, 0.17
"""Sizes in inches: a letter of the legend, the space around its labels, and a line."""


def draw_negatives(curve: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the expected values over the number of negatives, one panel per metric.

    If there are more systems than styles, the best by the first metric have colours and the others
    are grey.
    """
    first = values[values["metric"] == values["metric"].iloc[0]]
    best = first.sort_values("full", ascending=False, kind="stable")["system"].tolist()
    styles = styles_of_many(best)

    def draw(axes: Axes, metric: str) -> None:
        own = curve[curve["metric"] == metric]
        # Draw the grey curves first, so that they are below the others.
        for system in sorted(best, key=lambda name: styles[name].colour != NO_WINNER):
            rows = own[own["system"] == system]
            is_named = styles[system].colour != NO_WINNER
            line(
                axes,
                rows["negatives"],
                rows["expected"],
                styles[system],
                legend_name(system) if is_named else None,
                error=1.96 * rows["sd"].to_numpy() if is_named else None,
            )
        axes.set_ylabel(metric)
        axes.set_ylim(bottom=0)

    named = [legend_name(name) for name in best if styles[name].colour != NO_WINNER]
    return _panels(values, draw, named)


def draw_swaps(swaps: pd.DataFrame, values: pd.DataFrame) -> Figure:
    """Draw the probability of swapped systems over the number of negatives."""
    pairs = list(dict.fromkeys(zip(swaps["first"], swaps["second"], strict=True)))
    pairs = pairs[:MOST_PAIRS]
    names = [f"{legend_name(first)}, {legend_name(second)}" for first, second in pairs]
    styles = series_styles([str(number) for number in range(len(names))])

    def draw(axes: Axes, metric: str) -> None:
        own = swaps[swaps["metric"] == metric]
        for (first, second), name, style in zip(pairs, names, styles.values(), strict=True):
            rows = own[(own["first"] == first) & (own["second"] == second)]
            line(axes, rows["negatives"], rows["swap_probability"], style, name)
        axes.axhline(0.05, color=INK, linewidth=0.6, linestyle=":")
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel(f"Pr(other order), {metric}")

    return _panels(values, draw, names)


def _panels(
    values: pd.DataFrame, draw: Callable[[Axes, str], None], labels: Sequence[str]
) -> Figure:
    metrics = list(dict.fromkeys(values["metric"]))
    columns = min(MOST_COLUMNS, len(metrics))
    rows = -(-len(metrics) // columns)
    width = SINGLE_COLUMN if columns == 1 else DOUBLE_COLUMN
    # The longest label decides how many rows the legend has.
    in_a_row = max(1, int(width / (_LETTER * max(map(len, labels)) + _HANDLE)))
    figure = new_figure(width, _HEIGHT * rows + 0.25 + _LINE * -(-len(labels) // in_a_row))
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, metric in zip(panels, metrics, strict=False):
        draw(axes, metric)
        axes.axvline(values["negatives"].iloc[0], color=INK, linewidth=0.6, linestyle="--")
        logarithmic_x(axes)
        axes.set_xlabel("Sampled negatives")
    for axes in panels[len(metrics) :]:
        axes.remove()
    number_axes(panels[: len(metrics)])
    legend_below(figure)
    return figure
