# SPDX-License-Identifier: MIT
"""The page, the tables, the figures and the paragraph on methods of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import pandas as pd

from receval.checked_arguments import checked_arguments
from receval.evaluation.comparison import ComparisonOptions
from receval.evaluation.formatting import (
    DECIMALS,
    MOST_COLUMNS,
    MOST_NAMED,
    MOST_PANELS,
    averages_table,
    axis_label,
    best_first,
    draw_intervals,
    intervals_caption,
    pairs_table,
    renamed,
)
from receval.evaluation.groups import GroupedResult
from receval.evaluation.methods import methods_paragraph
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.evaluation.result_lists import ResultLists, file_name
from receval.evaluation.result_over_users import ResultOverUsers
from receval.evaluation.summed_values import SummedValues
from receval.evaluation.tuning_record import trials_table, tuning_parts
from receval.figures.style import (
    DOUBLE_COLUMN,
    MOST_COLOURED,
    NO_WINNER,
    figure_style,
    legend_name,
    new_figure,
    series_styles,
)
from receval.figures.tables import Table, to_latex, to_markdown, without_marks_in_names
from receval.storage.files import write_atomically
from receval.storage.messages import enumerated, quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PrintedTable = Literal["averages", "pairs"]


def _write_figure(target: Path, draw: Callable[[], Figure], title: str) -> None:
    """Write a figure as SVG or PDF by the path's extension; others are refused."""
    from receval.figures.finish import rendered_pdf, rendered_svg

    if target.suffix not in (".svg", ".pdf"):
        raise ValueError(f"{target} ends in neither .svg nor .pdf. Choose one of these extensions.")
    with figure_style():
        figure = draw()
    rendered = rendered_svg if target.suffix == ".svg" else rendered_pdf
    write_atomically(target, rendered(figure, title=title))


class ResultReport(ResultLists, ResultOverUsers):
    """What a result has as a page and as figures."""

    @checked_arguments
    def as_report(
        self,
        title: str = "Evaluation",
        *,
        methods: bool = False,
        grouped: Sequence[GroupedResult] = (),
        **comparison: Unpack[ComparisonOptions],
    ) -> Report:
        """Return the whole result as a report: tables, figures and the data.

        Parameters
        ----------
        title : str
            The heading of the page.
        methods : bool
            Whether to add the paragraph of :meth:`methods`, which names versions of software, so
            that the page differs where they do.
        grouped : sequence of GroupedResult
            Results of :meth:`by_group`, which the report then has, too.
        **comparison
            As for :meth:`compare`.
        """
        chosen = self._choices(comparison)
        printed = zip(("averages", "pairs"), self.tables(**comparison), strict=False)
        averages, *pairs = (ReportTable(name, table) for name, table in printed)
        summary = self.summary()
        figure = ReportFigure.drawn(
            "averages",
            lambda: draw_intervals(summary, self.less_is_better),
            intervals_caption(summary),
        )
        tradeoffs: list[ReportPart] = []
        if self.list_metrics and len(self.list_metrics) < len(self.metrics):
            axes = tradeoff_metrics(self.metrics, self.list_metrics, None, None)
            tradeoffs.append(
                ReportFigure.drawn(
                    "tradeoffs",
                    lambda: draw_tradeoffs(summary, *axes, self.less_is_better),
                    tradeoffs_caption(summary, *axes),
                )
            )
        data = {"averages": summary}
        has_users = not any(isinstance(own, SummedValues) for own in self.values.values())
        if has_users:
            data["per_user"] = self.per_user()
        if self.top_lists:
            data["lists"] = self.lists()
        settings = self.settings
        if len(self.systems) > 1:
            data |= {"pairs": self._pairs(chosen), "groups": self.groups(**comparison)}
            settings = {**settings, "samples": chosen.samples}
            if chosen.settings:
                settings["comparison"] = chosen.settings
        words = [ReportText("What was measured", self.words)] if self.words else []
        parts: list[ReportPart] = [averages, figure, *tradeoffs, *pairs]
        if has_users and len(self.systems) > 1 and self.metrics_per_user:
            over = self.distribution()
            parts.append(ReportFigure.drawn("distribution", over.draw, over.caption))
            data["distribution"] = over.table()
        notes, reading = list(self.notes), list(self.reading)
        for own in grouped:
            kind = "listed-items" if own.are_of_lists else "items" if own.are_of_items else "users"
            name = file_name(f"{kind}-by-{own.name}")
            names = (name, f"{name}-pairs")
            parts += [ReportTable(*both) for both in zip(names, own.tables(), strict=False)]
            data[name] = own.summary()
            if len(own.groups) > 1:
                data[f"{name}-pairs"] = own.compare()
            notes += own.notes
            reading += [one for one in own.reading if one not in reading]
        if methods:
            words.append(ReportText("Methods", (self.methods(**comparison),)))
        tuning = tuning_parts(self.tuning)
        if tuning:
            data["trials"] = trials_table(self.tuning)
        parts += [*words, *tuning]
        first = self.words[:1]
        return Report(title, tuple(parts), data, tuple(notes), settings, tuple(reading), first)

    @checked_arguments
    def report(
        self,
        path: str | Path,
        *,
        title: str = "Evaluation",
        methods: bool = False,
        grouped: Sequence[GroupedResult] = (),
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        """Write the whole result as one self-contained HTML page.

        Parameters
        ----------
        path : path
            The file.
        title, methods, grouped
            As for :meth:`as_report`.
        """
        report = self.as_report(title, methods=methods, grouped=grouped, **comparison)
        write_atomically(Path(path), report.page())

    @checked_arguments
    def plot(self, path: str | Path) -> None:
        """Write a figure of the averages with intervals, as SVG or PDF by the path's extension.

        Parameters
        ----------
        path : path
            The file, which ends in ``.svg`` or ``.pdf``.

        Raises
        ------
        ValueError
            The path has another extension.
        """
        _write_figure(
            Path(path),
            lambda: draw_intervals(self.summary(), self.less_is_better),
            "Averages with their 95 % intervals",
        )

    @checked_arguments
    def plot_tradeoffs(
        self, path: str | Path, accuracy: str | None = None, *, against: Sequence[str] | None = None
    ) -> None:
        """Write a figure of accuracy against coverage, popularity or diversity, with intervals.

        Parameters
        ----------
        path : path
            SVG or PDF, by its extension.
        accuracy : str, optional
            The metric of the horizontal axes; by default the first that is not of whole lists.
        against : sequence of str, optional
            The metrics of the vertical axes, one panel each; by default all of whole lists.

        Raises
        ------
        ValueError
            The path has another extension, a metric was not measured, or there is none of one kind.
        """
        chosen = tradeoff_metrics(self.metrics, self.list_metrics, accuracy, against)
        _write_figure(
            Path(path),
            lambda: draw_tradeoffs(self.summary(), *chosen, self.less_is_better),
            tradeoffs_caption(self.summary(), *chosen),
        )

    @checked_arguments
    def plot_distribution(
        self,
        path: str | Path,
        first: str | None = None,
        second: str | None = None,
        *,
        metric: str | None = None,
        protocol: str | None = None,
    ) -> None:
        """Write a figure of :meth:`distribution`, as SVG or PDF by the path's extension.

        Parameters
        ----------
        path : path
            The file, which ends in ``.svg`` or ``.pdf``.
        first, second, metric, protocol
            As for :meth:`distribution`.

        Raises
        ------
        ValueError
            The path has another extension, or as :meth:`distribution`.
        """
        over_users = self.distribution(first, second, metric=metric, protocol=protocol)
        _write_figure(Path(path), over_users.draw, over_users.caption)

    @checked_arguments
    def tables(
        self,
        *,
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> tuple[Table, ...]:
        """Return the tables for papers: averages and, with several systems, the compared pairs.

        Parameters
        ----------
        decimals : int
            The number of decimals of averages and differences, which is less where they are 10 or
            more.
        names : mapping of str to str, optional
            Names to print instead of those of systems, metrics and protocols, such as
            ``{"nDCG(gain=exp)@10": "nDCG"}``; others keep their names.
        **comparison
            As for :meth:`compare`.
        """
        users = {name: values.n_users for name, values in self.values.items()}
        chosen = self._choices(comparison)
        tables: tuple[Table, ...]
        if len(self.systems) < 2:
            tables = (averages_table(self.summary(), users, decimals, self.less_is_better),)
        else:
            pairs = self._pairs(chosen)
            tables = (
                averages_table(
                    self.groups(**comparison),
                    users,
                    decimals,
                    self.less_is_better,
                    chosen.in_words(pairs),
                    chosen,
                ),
                pairs_table(pairs, decimals, self.less_is_better, chosen.in_words(pairs), chosen),
            )
        for name in names or {}:
            if name not in (known := (*self.metrics, *self.systems, *self.values)):
                raise ValueError(
                    f"names renames {quoted(name)}, but there are {enumerated(known)}."
                )
        return tuple(renamed(table, names or {}) for table in tables)

    @checked_arguments
    def to_latex(
        self,
        path: str | Path,
        *,
        table: PrintedTable = "averages",
        two_columns: bool = False,
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        r"""Write a table as LaTeX: the best averages in bold, letters of groups as superscripts.

        Parameters
        ----------
        path : path
            The file. Its first line names the packages that it needs.
        table : {"averages", "pairs"}
            The averages of all systems, or the compared pairs.
        two_columns : bool
            Whether the table spans both columns of a two-column paper (``table*``).
        decimals, names
            As for :meth:`tables`.
        **comparison
            As for :meth:`compare`.

        Raises
        ------
        ValueError
            There are no pairs, because there is only one system; or as for :meth:`compare`.
        """
        printed = self._printed(table, decimals, names, comparison)
        write_atomically(
            Path(path), to_latex(printed, two_columns=two_columns, names_packages=True)
        )

    @checked_arguments
    def to_markdown(
        self,
        path: str | Path,
        *,
        table: PrintedTable = "averages",
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        """Write a table as Markdown.

        Parameters
        ----------
        path : path
            The file.
        table, decimals, names
            As for :meth:`to_latex`.
        """
        printed = self._printed(table, decimals, names, comparison)
        write_atomically(Path(path), to_markdown(printed))

    def _printed(
        self,
        name: PrintedTable,
        decimals: int,
        names: Mapping[str, str] | None,
        comparison: ComparisonOptions,
    ) -> Table:
        """Return the table of this name, with names that are no formulas."""
        tables = self.tables(decimals=decimals, names=names, **comparison)
        found = dict(zip(("averages", "pairs"), tables, strict=False))
        if name not in found:
            raise ValueError(
                f"There is only {self.systems[0]}, so there are no pairs. Choose "
                "table='averages', or evaluate at least two systems."
            )
        return without_marks_in_names(found[name])

    @checked_arguments
    def methods(self, **comparison: Unpack[ComparisonOptions]) -> str:
        """Describe the experiment in a paragraph for a paper.

        It has the split, users who are left out and why, relevance and candidates, metrics,
        systems with their parameters and how they were tuned, intervals, test, correction and
        effect size, and the software with its versions.

        Parameters
        ----------
        **comparison
            As for :meth:`compare`.
        """
        chosen = self._choices(comparison)
        pairs = self._pairs(chosen) if len(self.systems) > 1 else None
        return methods_paragraph(
            self.settings,
            self.words,
            self.notes,
            self.values,
            pairs,
            chosen,
            self.metrics,
            self.systems,
            self.of_all_users,
        )


_WIDTH, _HEIGHT = 2.3, 2.1
"""The size of a panel, in inches."""


def tradeoff_metrics(
    metrics: Sequence[str],
    of_lists: Collection[str],
    accuracy: str | None,
    against: Sequence[str] | None,
) -> tuple[str, tuple[str, ...]]:
    """Return the metric of accuracy, and those that it is drawn against.

    By default these are the first metric that is not of whole lists, and all that are. Unknown ones
    are refused, and results that lack one of the two kinds.

    Examples
    --------
    >>> tradeoff_metrics(["nDCG@10", "Gini@10"], {"Gini@10"}, None, None)
    ('nDCG@10', ('Gini@10',))
    """
    for name in [*([] if accuracy is None else [accuracy]), *(against or ())]:
        if name not in metrics:
            raise ValueError(
                f"{name} was not measured. The metrics of the result are {enumerated(metrics)}."
            )
    across = accuracy or next((name for name in metrics if name not in of_lists), None)
    up = tuple(against or (name for name in metrics if name in of_lists and name != across))
    if across is None or not up:
        raise ValueError(
            "The figure shows a metric of accuracy against metrics of whole lists, such as "
            f"nDCG@10 against Gini@10, but the result has only {enumerated(metrics)}. Measure "
            "more metrics, or name those to draw with against=."
        )
    return across, up


_LONGEST_LABEL = 24
"""Longer labels of vertical axes have two lines."""


def draw_tradeoffs(
    summary: pd.DataFrame,
    accuracy: str,
    against: Sequence[str],
    less_is_better: Collection[str] = (),
) -> Figure:
    """Draw averages of systems under pairs of metrics, with their 95 % intervals as crosses.

    There is a panel for each protocol and metric, at most :data:`MOST_PANELS`. With more than
    :data:`MOST_NAMED` systems, the most accurate have colours, and the others are grey.
    """
    from receval.figures.finish import legend_below, number_axes

    panels = [
        (protocol, name) for protocol in dict.fromkeys(summary["protocol"]) for name in against
    ]
    several = len(panels) > len(against)
    shown = panels[:MOST_PANELS]
    means = summary.set_index(["protocol", "metric", "system"])
    is_first = (summary["protocol"] == shown[0][0]) & (summary["metric"] == accuracy)
    systems = list(best_first(summary[is_first], less_is_better)["system"])
    named = systems if len(systems) <= MOST_NAMED else systems[:MOST_COLOURED]
    styles = series_styles([str(name) for name in named])
    columns = min(MOST_COLUMNS, len(shown))
    rows = -(-len(shown) // columns)
    figure = new_figure(min(DOUBLE_COLUMN, _WIDTH * columns + 0.3), _HEIGHT * rows + 0.5)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (protocol, name) in zip(grid, shown, strict=False):
        # The named ones last, above the others.
        for system in [*(own for own in systems if own not in named), *named]:
            left, x, right = means.loc[(protocol, accuracy, system), ["low", "mean", "high"]]
            bottom, y, top = means.loc[(protocol, name, system), ["low", "mean", "high"]]
            style = styles.get(str(system))
            colour = NO_WINNER if style is None else style.colour
            label = None if style is None else legend_name(str(system), list(styles))
            axes.plot([left, right], [y, y], color=colour, linewidth=0.9)
            axes.plot([x, x], [bottom, top], color=colour, linewidth=0.9)
            axes.plot(
                x, y, marker="." if style is None else style.marker, color=colour, markersize=4,
                linestyle="none", label=label,
            )  # fmt: skip
        axes.set_xlabel(axis_label(accuracy, less_is_better))
        label = axis_label(name, less_is_better)
        label = f"{label} ({protocol})" if several else label
        # A label with parameters is longer than the axis, unless they have a line of their own.
        is_long = len(label) > _LONGEST_LABEL
        axes.set_ylabel(label.replace("(", "\n(", 1) if is_long else label)
        axes.grid(linewidth=0.4, color="#E4E4E4")
        axes.set_axisbelow(True)
    for axes in grid[len(shown) :]:
        axes.remove()
    number_axes(grid[: len(shown)])
    legend_below(figure)
    return figure


def tradeoffs_caption(summary: pd.DataFrame, accuracy: str, against: Sequence[str]) -> str:
    """Return what the figure shows, and what it leaves out."""
    told = (
        f"Averages under {accuracy} against {enumerated(list(against))}; crosses are their 95 % "
        "intervals over users, one metric at a time"
    )
    n_panels = summary["protocol"].nunique() * len(against)
    if n_panels > MOST_PANELS:
        told += f"; the first {MOST_PANELS} of {n_panels} metrics and protocols"
    if summary["system"].nunique() > MOST_NAMED:
        told += f"; the {MOST_COLOURED} most accurate systems have colours"
    return told
