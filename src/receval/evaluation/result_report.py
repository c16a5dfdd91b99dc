# SPDX-License-Identifier: MIT
"""The page and the figures of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

from matplotlib.figure import Figure

from receval.checked_arguments import checked_arguments
from receval.evaluation.comparison import (
    ComparisonChoices,
    ComparisonOptions,
)
from receval.evaluation.formatting import (
    draw_intervals,
    intervals_caption,
)
from receval.evaluation.groups import GroupedResult
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.evaluation.result_lists import ResultLists, file_name
from receval.evaluation.result_over_users import ResultOverUsers
from receval.evaluation.result_tables import ResultTables
from receval.evaluation.summed_values import SummedValues
from receval.evaluation.tradeoffs import (
    draw_tradeoffs,
    tradeoff_metrics,
    tradeoffs_caption,
)
from receval.evaluation.tuning_record import trials_table, tuning_parts
from receval.figures.finish import rendered_pdf, rendered_svg
from receval.figures.style import figure_style
from receval.storage.files import write_atomically


def _write_figure(target: Path, draw: Callable[[], Figure], title: str) -> None:
    """Write a figure as SVG or PDF by the path's extension; others are refused."""
    if target.suffix not in (".svg", ".pdf"):
        raise ValueError(f"{target} ends in neither .svg nor .pdf. Choose one of these extensions.")
    with figure_style():
        figure = draw()
    rendered = rendered_svg if target.suffix == ".svg" else rendered_pdf
    write_atomically(target, rendered(figure, title=title))


class ResultReport(ResultLists, ResultOverUsers, ResultTables):
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
        chosen = ComparisonChoices(**comparison)
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
        if has_users and len(self.systems) > 1 and not self.of_all_users.issuperset(self.metrics):
            over = self.distribution()
            parts.append(ReportFigure.drawn("distribution", over.draw, over.caption))
            data["distribution"] = over.table()
        notes, reading = list(self.notes), list(self.reading)
        for own in grouped:
            name = file_name(f"{'items' if own.are_of_items else 'users'}-by-{own.name}")
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
        self,
        path: str | Path,
        accuracy: str | None = None,
        *,
        against: Sequence[str] | None = None,
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
