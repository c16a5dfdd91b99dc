# SPDX-License-Identifier: MIT
"""How the systems of an evaluation were tuned, whether it is fair, and what a report says of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval.evaluation.formatting import DECIMALS, with_direction
from receval.evaluation.report import ReportFigure, ReportPart, ReportTable
from receval.figures.printed_numbers import fixed
from receval.figures.style import SINGLE_COLUMN, legend_name, new_figure, styles_of_many
from receval.figures.tables import Column, Table
from receval.notes import Note
from receval.recommenders.adapters.scores import GivenScores
from receval.recommenders.base import Recommender
from receval.statistics.expected_maximum import expected_maximum
from receval.storage.messages import enumerated, how_many

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from receval.splits.split_ratings import SplitRatings

MOST_TRIALS = 200
"""The most trials that a report lists; its file ``trials.csv`` has all."""

_DIGITS = 4
"""The digits of real parameters in the tables of reports; their files have all."""


@dataclass(frozen=True)
class TuningRecord:
    """How one system was tuned: all its trials, and what they were measured by.

    Attributes
    ----------
    metric, protocol : str
        By which the trials were compared.
    validation : str
        The kind of split that made the validation part, and its parameters.
    split : str
        A digest of the split whose training ratings were used
        (:func:`receval.evaluation.tuning_record.digest_of_split`).
    settings : tuple of mapping
        The parameters of each trial, by name.
    values : tuple of float
        The value of each trial on the validation part; NaN if it failed.
    failures : tuple of str
        Why a trial failed, in a sentence; empty if it did not.
    users : int
        The number of validation users over whom values are averaged.
    less_is_better : bool
        Whether lower values are better.
    is_exhausted : bool
        Whether all settings of the grid were tried, so that there are no further ones.
    seed : int
        The seed of the validation part and of random settings.

    Examples
    --------
    >>> record = TuningRecord(
    ...     "nDCG@10", "AR AI-AN", "user-ratio", "", ({"k": 5}, {"k": 9}), (0.2, 0.3), ("", ""), 40
    ... )
    >>> record.trials, record.best, record.parameters
    (2, 1, {'k': 9})
    """

    metric: str
    protocol: str
    validation: str
    split: str
    settings: tuple[Mapping[str, Any], ...]
    values: tuple[float, ...]
    failures: tuple[str, ...]
    users: int
    less_is_better: bool = False
    is_exhausted: bool = False
    seed: int = 1

    @property
    def trials(self) -> int:
        """The number of trials, including those that failed."""
        return len(self.values)

    @property
    def failed(self) -> int:
        """The number of trials that failed."""
        return sum(map(math.isnan, self.values))

    @property
    def goodness(self) -> list[float]:
        """The values of the trials that did not fail, with the sign by which more is better."""
        sign = -1.0 if self.less_is_better else 1.0
        return [sign * value for value in self.values if not math.isnan(value)]

    @property
    def best(self) -> int:
        """The position of the best trial, from 0; of equal ones, the first."""
        if self.failed == self.trials:
            raise ValueError(f"All trials failed, so none is the best. {self.failures[0]}")
        choose = np.nanargmin if self.less_is_better else np.nanargmax
        return int(choose(np.array(self.values)))

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the best trial."""
        return dict(self.settings[self.best])

    def as_dict(self) -> dict[str, Any]:
        """Return what the settings of a result say of the tuning, for JSON."""
        return {
            "metric": self.metric,
            "protocol": self.protocol,
            "validation": self.validation,
            "trials": self.trials,
            "failed": self.failed,
            "value": self.values[self.best],
            "parameters": settings_in_words(self.parameters),
            "seed": self.seed,
        }


def settings_in_words(settings: Mapping[str, Any], digits: int | None = None) -> str:
    """Return parameters with their values in one line, real numbers perhaps to some digits.

    Examples
    --------
    >>> settings_in_words({"neighbours": 20, "threshold": None, "l1": 0.123456}, digits=3)
    'neighbours=20, threshold=None, l1=0.123'
    """
    return ", ".join(
        f"{name}={value:.{digits}g}"
        if digits is not None and isinstance(value, float)
        else f"{name}={value}"
        for name, value in settings.items()
    )


# The trials as tables and as a figure.


def trials_table(
    records: Mapping[str, TuningRecord], seconds: Mapping[str, Sequence[float]] | None = None
) -> pd.DataFrame:
    """Return all trials, one row each.

    Returns
    -------
    DataFrame
        The columns ``system``, ``trial`` (from 1), ``parameters``, ``value`` (NaN if the trial
        failed), ``seconds`` if these are given, and ``failure`` (empty if it did not fail).
    """
    frames = []
    for name, own in records.items():
        columns: dict[str, Any] = {
            "system": name,
            "trial": range(1, own.trials + 1),
            "parameters": [settings_in_words(each) for each in own.settings],
            "value": own.values,
        }
        if seconds is not None:
            columns["seconds"] = list(seconds[name])
        frames.append(pd.DataFrame({**columns, "failure": list(own.failures)}))
    return pd.concat(frames, ignore_index=True)


def expected_best(records: Mapping[str, TuningRecord], *, replacement: bool = True) -> pd.DataFrame:
    """Return the best value to expect by number of trials; failed trials are left out.

    Returns
    -------
    DataFrame
        The columns ``system``, ``trials`` (from 1), ``expected`` (the mean of the best value) and
        ``deviation`` (:func:`receval.statistics.expected_maximum.expected_maximum`).
    """
    columns = ["system", "trials", "expected", "deviation"]
    frames = []
    for name, own in records.items():
        if not own.goodness:
            continue
        means, deviations = expected_maximum(own.goodness, replacement=replacement)
        sign = -1.0 if own.less_is_better else 1.0
        rows = (name, range(1, len(means) + 1), sign * means, deviations)
        frames.append(pd.DataFrame(dict(zip(columns, rows, strict=True))))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def tuning_parts(
    records: Mapping[str, TuningRecord],
    seconds: Mapping[str, Sequence[float]] | None = None,
    decimals: int = DECIMALS,
) -> tuple[ReportPart, ...]:
    """Return the section of a report: the best trials, the figure, and all trials."""
    if not records:
        return ()
    parts: list[ReportPart] = [ReportTable("tuning", _best_table(records, seconds, decimals))]
    if any(len(own.goodness) > 1 for own in records.values()):
        caption = (
            "The best value on the validation part to expect from a number of trials, with its "
            "standard deviation (Dodge et al. 2019; trials drawn with replacement from those that "
            "were made)."
        )
        if not all(own.is_exhausted for own in records.values()):
            caption += " A curve that still rises says that more trials would help"
            all_tried = [name for name, own in records.items() if own.is_exhausted]
            caption += (
                f", but for {enumerated(all_tried)}: all of the grid was tried."
                if all_tried
                else "."
            )
        draw = partial(draw_expected_best, records)
        parts.append(ReportFigure.drawn("tuning", draw, caption))
    return (*parts, ReportTable("trials", _all_trials(records, seconds, decimals)))


_LEGEND_ROW = 0.15


def draw_expected_best(records: Mapping[str, TuningRecord]) -> Figure:
    """Draw the expected best value by number of trials, a curve for each system.

    Call it inside :func:`receval.figures.style.figure_style`.
    """
    from matplotlib.ticker import MaxNLocator

    from receval.figures.curves import line
    from receval.figures.finish import legend_below

    table = expected_best(records)
    names = [name for name, own in records.items() if own.goodness]
    # Long names stand below one another, and there they take no space of the curves.
    longest = max(len(legend_name(name, names)) for name in names)
    columns = max(1, int(SINGLE_COLUMN / (0.35 + 0.07 * longest)))
    figure = new_figure(SINGLE_COLUMN, 2.25 + _LEGEND_ROW * -(-len(names) // columns))
    axes = figure.subplots()
    for name, style in styles_of_many(names).items():
        own = table[table["system"] == name]
        expected, deviation = own["expected"].to_numpy(), own["deviation"].to_numpy()
        # No best value lies outside the values that there are.
        values = np.array(records[name].values)
        ends = np.clip([expected - deviation, expected + deviation], np.nanmin(values), None)
        low, high = np.minimum(ends, np.nanmax(values))
        line(axes, own["trials"], expected, style, legend_name(name, names), band=(low, high))
    metrics = {own.metric: own for own in records.values()}
    (metric, first), *others = metrics.items()
    shown = with_direction(metric, {metric} if first.less_is_better else ())
    axes.set_xlabel("Trials")
    axes.set_ylabel("Expected best value" if others else f"Expected best {shown}")
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    legend_below(figure)
    return figure


def _best_table(
    records: Mapping[str, TuningRecord],
    seconds: Mapping[str, Sequence[float]] | None,
    decimals: int,
) -> Table:
    several = len({own.metric for own in records.values()}) > 1
    any_failed = any(own.failed for own in records.values())
    rows = []
    for name, own in records.items():
        has_best = own.failed < own.trials
        rows.append(
            (
                name,
                *([own.metric] if several else []),
                f"{own.trials:,}{' (all)' if own.is_exhausted else ''}",
                *([f"{own.failed:,}"] if any_failed else []),
                fixed(own.values[own.best], decimals) if has_best else "",
                *([] if seconds is None else [fixed(sum(seconds[name]), 1)]),
                settings_in_words(own.parameters, _DIGITS) if has_best else "none",
            )
        )
    first = next(iter(records.values()))
    heads = [
        Column("System"),
        *([Column("Metric")] if several else []),
        Column("Trials", "right"),
        *([Column("Failed", "right")] if any_failed else []),
        Column("Best value" if several else f"Best {first.metric}", "right"),
        *([] if seconds is None else [Column("Seconds", "right")]),
        Column("Parameters"),
    ]
    return Table("Tuning", tuple(heads), tuple(rows), caption=_caption(records))


def _caption(records: Mapping[str, TuningRecord]) -> str:
    """Return on what, by what and how often systems were tuned."""
    of = {(own.validation, own.protocol, own.users, own.seed): own for own in records.values()}
    told = []
    for own in of.values():
        told.append(
            f"Values are averages over {how_many(own.users, 'user')} under {own.protocol}, on a "
            f"validation part of the training ratings ({own.validation}, seed {own.seed}); no test "
            "rating is used."
        )
    if any(own.is_exhausted for own in records.values()):
        told.append("(all): there are no further settings in the grid.")
    return " ".join(told)


def _all_trials(
    records: Mapping[str, TuningRecord],
    seconds: Mapping[str, Sequence[float]] | None,
    decimals: int,
) -> Table:
    trials = trials_table(records, seconds)
    settings = [
        settings_in_words(each, _DIGITS) for own in records.values() for each in own.settings
    ]
    shown = trials.head(MOST_TRIALS)
    several_failures = any(shown["failure"])
    columns = [
        Column("System"),
        Column("Trial", "right"),
        Column("Parameters"),
        Column("Value", "right"),
        *([] if seconds is None else [Column("Seconds", "right")]),
        *([Column("Failure")] if several_failures else []),
    ]
    rows = []
    for row, words in zip(shown.to_dict("records"), settings, strict=False):
        value = row["value"]
        rows.append(
            (
                row["system"],
                f"{row['trial']:,}",
                words,
                "" if math.isnan(value) else fixed(value, decimals),
                *([] if seconds is None else [fixed(row["seconds"], 2)]),
                *([row["failure"]] if several_failures else []),
            )
        )
    caption = "All trials, in the order in which they were drawn."
    if len(trials) > MOST_TRIALS:
        caption = f"The first {MOST_TRIALS} of {len(trials):,} trials; trials.csv has all."
    return Table("Trials", tuple(columns), tuple(rows), caption=caption)


RECORD = "tuning"
"""The attribute in which a system that was tuned has its :class:`TuningRecord`."""


def digest_of_split(data: SplitRatings) -> str:
    """Return a digest of ratings and of which of them train and test in each fold.

    Splits sort their ratings, so it does not depend on the order of the rows that were read.
    """
    made = hashlib.blake2b(data.ratings.digest().encode(), digest_size=16)
    for codes in data.parts.codes:
        made.update(np.ascontiguousarray(codes).data)
    return made.hexdigest()


def tuning_records(systems: Mapping[str, Any]) -> dict[str, TuningRecord]:
    """Return the records of those systems that were tuned, by name."""
    found = {name: getattr(system, RECORD, None) for name, system in systems.items()}
    return {name: own for name, own in found.items() if isinstance(own, TuningRecord)}


def notes_on_tuning(
    records: Mapping[str, TuningRecord], systems: Mapping[str, Any], data: SplitRatings
) -> list[Note]:
    """Return notes on which systems were tuned, and where this makes a comparison unfair.

    There are none if no system was tuned. Systems without parameters have nothing to tune.
    """
    if not records:
        return []
    told = [f"{name} ({how_many(own.trials, 'trial')})" for name, own in records.items()]
    of = list(dict.fromkeys((own.metric, own.protocol) for own in records.values()))
    by = enumerated([f"{metric} under {protocol}" for metric, protocol in of])
    notes = [Note("tuned-systems", f"Tuned on a validation part by {by}: {enumerated(told)}.")]
    others = [name for name in systems if name not in records and _has_parameters(systems[name])]
    if others:
        text = (
            f"{enumerated(list(records))} {_were(records)} tuned, but nothing says that "
            f"{enumerated(others)} {_were(others)}. Differences between them may come from the "
            "tuning alone."
        )
        notes.append(Note("untuned-systems", text))
    most = max(own.trials for own in records.values())
    fewer = [n for n, own in records.items() if own.trials < most and not own.is_exhausted]
    if fewer:
        text = (
            f"{enumerated(fewer)} had fewer trials than the {most:,} of other systems, although "
            "there were further settings to try."
        )
        notes.append(Note("unequal-trials", text))
    here = digest_of_split(data)
    elsewhere = [name for name, own in records.items() if own.split != here]
    if elsewhere:
        text = (
            f"{enumerated(elsewhere)} {_were(elsewhere)} tuned on another split than this one, so "
            "that test ratings may have had a part in choosing the parameters."
        )
        notes.append(Note("tuned-elsewhere", text))
    return notes


def _were(names: Mapping[str, Any] | Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _has_parameters(system: Any) -> bool:
    """Tell whether a system may have been worth tuning; of a given array, nothing is known."""
    if isinstance(system, GivenScores):
        return True
    return not isinstance(system, Recommender) or bool(set(system.parameters) - {"seed"})
