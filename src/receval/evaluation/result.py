# SPDX-License-Identifier: MIT
"""The result of an evaluation: tables of averages, of pairs and of values per user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.data.reading import ReadingReport
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.formatting import (
    DECIMALS,
    averages_table,
    best_first,
    draw_intervals,
    intervals_caption,
    pairs_table,
    with_direction,
)
from receval.evaluation.pair_tests import letters_of_systems, pair_table, tested_in_words
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.evaluation.saved_results import SAVED, loaded_result_fields, save_result
from receval.figures.finish import rendered_pdf, rendered_svg
from receval.figures.style import figure_style
from receval.figures.tables import Table, to_latex, to_markdown, without_marks_in_names
from receval.notes import Note
from receval.seeds import seed_sequence
from receval.storage.files import write_atomically

PERMUTATIONS = 10_000
"""The default number of samples of the permutation test."""


@dataclass(frozen=True)
class EvaluationResult:
    """Values of systems by protocol, metric and user.

    Attributes
    ----------
    systems, metrics : tuple of str
    values : mapping of str to ValuesByUser
        Values by the name of the protocol.
    user_ids : ndarray of str, shape (n_users,)
        Identifiers by code.
    settings : mapping
        What is needed to repeat the call.
    notes : tuple of Note
        What may mislead, and how the numbers were computed.
    words : tuple of str
        Sentences on what was measured.
    reading : tuple of ReadingReport
        Reports of how files and tables were read.
    less_is_better : frozenset of str
        Metrics for which lower values are better.

    Examples
    --------
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("aab"), "item": list("xyx"), "rating": [1, 1, 1]}
    >>> mine = {"a": {"x": 2.0, "z": 1.0}, "b": {"z": 3.0}}
    >>> theirs = {"a": {"z": 2.0, "x": 1.0}, "b": {"x": 3.0}}
    >>> runs = {"mine": mine, "theirs": theirs}
    >>> result = evaluate_runs(test, runs, metrics="RR", depth="whole")
    >>> result.summary()[["system", "mean"]].to_dict("list")
    {'system': ['mine', 'theirs'], 'mean': [0.5, 0.75]}
    >>> result.per_user().query("system == 'theirs'")["RR"].tolist()
    [0.5, 1.0]
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Mapping[str, ValuesByUser]
    user_ids: NDArray[np.str_]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    words: tuple[str, ...] = ()
    reading: tuple[ReadingReport, ...] = ()
    less_is_better: frozenset[str] = frozenset()
    _compared: dict[tuple[int, int], pd.DataFrame] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def summary(self) -> pd.DataFrame:
        """Return the averages, one row per protocol, metric and system.

        Returns
        -------
        DataFrame
            ``mean`` with its 95 % interval from ``low`` to ``high`` over users, and ``users``, the
            number of users averaged.
        """
        frames = [
            pd.DataFrame(
                {
                    "protocol": protocol,
                    "metric": metric,
                    "system": list(self.systems),
                    "mean": means,
                    "low": means - half,
                    "high": means + half,
                    "users": values.n_users,
                }
            )
            for protocol, values in self.values.items()
            for metric, means, half in zip(
                self.metrics, values.means, values.half_intervals, strict=True
            )
        ]
        return pd.concat(frames, ignore_index=True)

    @checked_arguments
    def compare(self, *, samples: int = PERMUTATIONS, seed: int = 1) -> pd.DataFrame:
        """Compare every pair of systems, one row per protocol, metric and pair.

        Parameters
        ----------
        samples : int
            The number of samples of the permutation test.
        seed : int
            The seed of its random signs.

        Returns
        -------
        DataFrame
            As :func:`receval.evaluation.pair_tests.pair_table`, with the column ``protocol``.

        Raises
        ------
        ValueError
            There are fewer than two systems.
        """
        if len(self.systems) < 2:
            raise ValueError(
                f"There is {' '.join(['only', *self.systems]) if self.systems else 'no system'}, "
                "but a comparison needs two."
            )
        # Cached, because every table and page needs the pairs, and their tests are slow.
        if (samples, seed) not in self._compared:
            frames = []
            for protocol, values in self.values.items():
                signs = seed_sequence(seed, "permutation", protocol)
                table = pair_table(values, self.metrics, self.systems, signs, samples)
                table.insert(0, "protocol", protocol)
                frames.append(table)
            self._compared[samples, seed] = pd.concat(frames, ignore_index=True)
        return self._compared[samples, seed].copy()

    @checked_arguments
    def groups(self, *, samples: int = PERMUTATIONS, seed: int = 1) -> pd.DataFrame:
        """Return letters for systems: those that share a letter do not differ significantly.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``metric``, ``system``, ``mean``, ``letters`` (with too many
            groups, ``ahead`` in brackets) and ``ahead``, the number of systems that are
            significantly better; the best system first.
        """
        pairs = self.compare(samples=samples, seed=seed)
        frames = []
        for protocol, values in self.values.items():
            for metric, means in zip(self.metrics, values.means, strict=True):
                own = pairs[(pairs["protocol"] == protocol) & (pairs["metric"] == metric)]
                letters, ahead = letters_of_systems(
                    own, means, self.systems, is_less_better=metric in self.less_is_better
                )
                table = pd.DataFrame(
                    {
                        "protocol": protocol,
                        "metric": metric,
                        "system": list(self.systems),
                        "mean": means,
                        "letters": letters,
                        "ahead": ahead,
                    }
                )
                frames.append(best_first(table, self.less_is_better))
        return pd.concat(frames, ignore_index=True)

    def per_user(self) -> pd.DataFrame:
        """Return the values of users, one row per protocol, system and user.

        Returns
        -------
        DataFrame
            The columns ``protocol``, ``system``, ``user``, ``lists`` (their number; under P1R their
            weight) and one for each metric: the mean over the user's lists.
        """
        frames = []
        for protocol, values in self.values.items():
            per_user = values.per_user
            ids = self.user_ids[values.users]
            for number, system in enumerate(self.systems):
                columns: dict[str, Any] = {
                    "protocol": protocol,
                    "system": system,
                    "user": ids,
                    "lists": values.weights,
                }
                columns |= {m: per_user[index, number] for index, m in enumerate(self.metrics)}
                frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    @checked_arguments
    def tables(self, *, samples: int = PERMUTATIONS, decimals: int = DECIMALS) -> tuple[Table, ...]:
        """Return the tables for papers: averages and, with several systems, all pairs."""
        users = {name: values.n_users for name, values in self.values.items()}
        less = self.less_is_better
        if len(self.systems) < 2:
            return (averages_table(self.summary(), users, decimals, less),)
        pairs = self.compare(samples=samples)
        method = tested_in_words(pairs, samples)
        groups = self.groups(samples=samples)
        return (
            averages_table(groups, users, decimals, less, method),
            pairs_table(pairs, decimals, less, method),
        )

    @checked_arguments
    def to_latex(
        self, path: str | Path, *, samples: int = PERMUTATIONS, decimals: int = DECIMALS
    ) -> None:
        """Write the table of averages as LaTeX (booktabs)."""
        table, *_ = self.tables(samples=samples, decimals=decimals)
        write_atomically(Path(path), to_latex(without_marks_in_names(table)))

    @checked_arguments
    def to_markdown(
        self, path: str | Path, *, samples: int = PERMUTATIONS, decimals: int = DECIMALS
    ) -> None:
        """Write the table of averages as Markdown."""
        table, *_ = self.tables(samples=samples, decimals=decimals)
        write_atomically(Path(path), to_markdown(without_marks_in_names(table)))

    @checked_arguments
    def as_report(self, title: str = "Evaluation", *, samples: int = PERMUTATIONS) -> Report:
        """Return the whole result as a report: tables, the figure and the data."""
        printed = zip(("averages", "pairs"), self.tables(samples=samples), strict=False)
        averages, *pairs = (ReportTable(name, table) for name, table in printed)
        summary = self.summary()
        figure = ReportFigure.drawn(
            "averages",
            lambda: draw_intervals(summary, self.less_is_better),
            intervals_caption(summary),
        )
        data = {"averages": summary, "per_user": self.per_user()}
        settings = self.settings
        if len(self.systems) > 1:
            data |= {"pairs": self.compare(samples=samples), "groups": self.groups(samples=samples)}
            settings = {**settings, "samples": samples}
        words = [ReportText("What was measured", self.words)] if self.words else []
        parts: tuple[ReportPart, ...] = (averages, figure, *pairs, *words)
        return Report(title, parts, data, self.notes, settings, self.reading, self.words[:1])

    @checked_arguments
    def report(
        self, path: str | Path, *, title: str = "Evaluation", samples: int = PERMUTATIONS
    ) -> None:
        """Write the whole result as one self-contained HTML page."""
        write_atomically(Path(path), self.as_report(title, samples=samples).page())

    @checked_arguments
    def plot(self, path: str | Path) -> None:
        """Write a figure of the averages with intervals, as SVG or PDF by the path's extension.

        Raises
        ------
        ValueError
            The path has another extension.
        """
        target = Path(path)
        if target.suffix not in (".svg", ".pdf"):
            raise ValueError(
                f"{target} ends in neither .svg nor .pdf. Choose one of these extensions."
            )
        with figure_style():
            figure = draw_intervals(self.summary(), self.less_is_better)
        rendered = rendered_svg if target.suffix == ".svg" else rendered_pdf
        write_atomically(target, rendered(figure, title="Averages with their 95 % intervals"))

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write the result into a folder, for :func:`load_result`.

        Equal results give equal bytes. An earlier saved result in the folder is replaced. If the
        command can repeat the call, the folder also has a ``settings.json`` for ``receval evaluate
        --settings`` (:func:`receval.evaluation.repeated_calls.command_settings` says when).

        Parameters
        ----------
        folder : path
            Made if it is missing.

        Raises
        ------
        ValueError
            The folder has files that are not those of a saved result.
        """
        save_result({name: getattr(self, name) for name in SAVED}, Path(folder))

    def __str__(self) -> str:
        table = self.summary().pivot_table(
            index=["protocol", "system"], columns="metric", values="mean", sort=False
        )
        shown = table[list(self.metrics)].round(4)
        return str(shown.rename(columns=lambda name: with_direction(name, self.less_is_better)))


@checked_arguments
def load_result(folder: str | Path) -> EvaluationResult:
    """Load a result that :meth:`EvaluationResult.save` wrote.

    Parameters
    ----------
    folder : path

    Returns
    -------
    EvaluationResult
        With the same values, tables, notes and settings. In the settings, sequences are lists.

    Raises
    ------
    ValueError
        The folder has no saved result, another major version of receval wrote it, or a file is
        damaged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from receval.evaluation.runs import evaluate_runs
    >>> test = {"user": list("aab"), "item": list("xyx"), "rating": [1, 1, 1]}
    >>> mine = {"a": {"x": 2.0, "z": 1.0}, "b": {"z": 3.0}}
    >>> with TemporaryDirectory() as folder:
    ...     evaluate_runs(test, {"mine": mine}, metrics="RR", depth="whole").save(folder)
    ...     load_result(folder).summary()["mean"].tolist()
    [0.5]
    """
    return EvaluationResult(**loaded_result_fields(Path(folder)))
