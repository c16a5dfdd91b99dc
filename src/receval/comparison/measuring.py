# SPDX-License-Identifier: MIT
"""What systems and runs are measured by, settled once, and the results of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.comparison.by_user import ValuesByUserCollector
from receval.comparison.measured_in_words import measured_in_words
from receval.comparison.named import named_metrics, named_protocols
from receval.comparison.relevance import relevance_in_words, relevance_threshold
from receval.comparison.result import EvaluationResult
from receval.dialects.dialect import Dialect
from receval.dialects.registry import dialect as dialect_of
from receval.interchange.reading import ReadingReport
from receval.metrics.evaluation import EvaluatedUsers, evaluate
from receval.metrics.judged_items import JudgedItems
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.notes import Note
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.storage.messages import enumerated

DEFAULT_METRICS = ("P@10", "Recall@10", "nDCG@10")
ChosenUsers = EvaluatedUsers | Literal["auto"]


@dataclass(frozen=True)
class Measuring:
    """Metrics and protocols by the names that results show, and their rules.

    Attributes
    ----------
    metrics : dict of str to Metric
        By our labels, or by the names of the dialect.
    protocols : dict of str to Protocol
        With their relevance threshold.
    threshold : float
        From which rating on test items are relevant.
    users : str
        Who is averaged.
    dialect : Dialect or None
    relevance : str
        What is relevant, in a sentence.
    lowest : float
        Of all test ratings.
    negative_is_unjudged : bool
        Whether test ratings below 0 count as not judged: in the dialect's tool, and without a
        dialect where they are grades of TREC's judgments.
    """

    metrics: dict[str, Metric]
    protocols: dict[str, Protocol]
    threshold: float
    users: EvaluatedUsers
    dialect: Dialect | None = None
    relevance: str = ""
    lowest: float = 0.0
    negative_is_unjudged: bool = False

    @classmethod
    def of(
        cls,
        values: NDArray,
        *,
        protocols: str | Protocol | Sequence[str | Protocol],
        metrics: str | Metric | Sequence[str | Metric] | None,
        relevant: float | Literal["auto"],
        users: ChosenUsers,
        dialect: str | Dialect | None = None,
        are_grades: bool = False,
        are_counts: bool = False,
    ) -> Measuring:
        """Settle what callers say, for test ratings of some values.

        Raises
        ------
        ValueError
            A name is unknown; no test rating is relevant; or a dialect averages other users for
            one metric than for another.
        """
        chosen_protocols = named_protocols(protocols)
        if dialect is None:
            spoken = None
            chosen = named_metrics(DEFAULT_METRICS if metrics is None else metrics)
        else:
            spoken = dialect_of(dialect)
            chosen = _in_dialect(spoken, metrics)
            users = _users_of(spoken, list(chosen)) if users == "auto" else users
            relevant = spoken.threshold(values) if relevant == "auto" and len(values) else relevant
        threshold = relevance_threshold(
            values, relevant, are_grades=are_grades, are_counts=are_counts
        )
        complete = {
            name: protocol.with_threshold(threshold) for name, protocol in chosen_protocols.items()
        }
        return cls(
            chosen,
            complete,
            threshold,
            "tested" if users == "auto" else users,
            spoken,
            relevance_in_words(values, threshold),
            float(values.min()),
            are_grades if spoken is None else spoken.negative_is_unjudged,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """What results say of it."""
        settings: dict[str, Any] = {
            "protocols": list(self.protocols),
            "metrics": list(self.metrics),
            "relevant": self.threshold,
            "users": self.users,
        }
        if self.dialect is not None:
            settings["dialect"] = self.dialect.name
            settings["labels"] = [metric.label for metric in self.metrics.values()]
        return settings

    @property
    def words(self) -> tuple[str, ...]:
        """What was measured, in sentences."""
        return measured_in_words(self.protocols, self.metrics, self.relevance, self.users)

    @property
    def notes(self) -> list[Note]:
        """What is done with negative ratings, and what the dialect's tool does otherwise."""
        graded = [name for name, own in self.metrics.items() if hasattr(own, "gain")]
        negative = []
        if self.lowest < 0:
            text = f"There are test ratings below 0, the lowest of {self.lowest:g}"
            if self.negative_is_unjudged:
                text += ": they count as not judged, as in trec_eval."
            elif graded:
                text += f": their gains in {enumerated(graded)} are those of 0, as in trec_eval."
            if text.endswith("."):
                negative = [Note("negative-ratings", text)]
        if self.dialect is None:
            return negative
        own = [self.dialect.entry(name).note for name in self.metrics]
        caveats = [f"{text[0].upper()}{text[1:]}." for text in self.dialect.caveats]
        told = [*caveats, *dict.fromkeys(note for note in own if note)]
        return [*negative, *(Note("dialect", text) for text in told)]


class Measurements:
    """Collects the values of systems, list by list, and makes a result of them.

    Parameters
    ----------
    measuring : Measuring
    systems : sequence of str
    user_ids : ndarray of str, shape (n_users,)
    """

    def __init__(
        self, measuring: Measuring, systems: Iterable[str], user_ids: NDArray[np.str_]
    ) -> None:
        self._measuring = measuring
        self._systems = tuple(systems)
        self._user_ids = user_ids
        self._collectors = {
            name: ValuesByUserCollector(
                len(measuring.metrics), len(user_ids), self._systems, measuring.users
            )
            for name in measuring.protocols
        }

    def add(self, system: str, protocol: str, judged: JudgedItems, ranks: JudgedRanks) -> None:
        """Measure the lists of a system on one fold under a protocol, by its name.

        Raises
        ------
        ValueError
            A metric cannot be computed under the protocol, or no list is left to average.
        """
        judged = replace(judged, negative_is_unjudged=self._measuring.negative_is_unjudged)
        lists = JudgedLists.measured_by(judged, ranks, self._measuring.protocols[protocol])
        values = evaluate(list(self._measuring.metrics.values()), lists)
        self._collectors[protocol].add(system, lists, values)

    def result(
        self,
        settings: Mapping[str, Any],
        notes: Iterable[Note] = (),
        reading: Iterable[ReadingReport] = (),
    ) -> EvaluationResult:
        """Return the result.

        Parameters
        ----------
        settings : mapping
            Those of the call, those of the measuring among them.
        notes : iterable of Note
            Beside those of the dialect.
        reading : iterable of ReadingReport
            How what was measured was read.

        Raises
        ------
        ValueError
            Systems were averaged over different users.
        """
        return EvaluationResult(
            systems=self._systems,
            metrics=tuple(self._measuring.metrics),
            values={name: collector.values() for name, collector in self._collectors.items()},
            user_ids=self._user_ids,
            settings=dict(settings),
            notes=(*notes, *self._measuring.notes),
            words=self._measuring.words,
            reading=tuple(reading),
        )


def _in_dialect(
    spoken: Dialect, metrics: str | Metric | Sequence[str | Metric] | None
) -> dict[str, Metric]:
    """Return metrics by the names of a tool."""
    if metrics is None:
        raise ValueError(
            f"Say which metrics of {spoken.tool} are wanted; it has {', '.join(spoken.metrics())}."
        )
    names = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    if not names:
        raise ValueError(f"There is no metric: name at least one of {', '.join(spoken.metrics())}.")
    found: dict[str, Metric] = {}
    for name in names:
        if isinstance(name, Metric):
            raise ValueError(
                f"{name.label} is a metric of ours, and the dialect is that of {spoken.tool}: give "
                "its names, or no dialect."
            )
        found[name] = spoken.metric(name)
    return found


def _users_of(spoken: Dialect, names: Sequence[str]) -> EvaluatedUsers:
    """Return whom a tool averages for all of some metrics."""
    averaged: dict[EvaluatedUsers, str] = {}
    for name in names:
        averaged.setdefault(spoken.users_of(name), name)
    if len(averaged) > 1:
        (first, one), (second, other), *_ = averaged.items()
        raise ValueError(
            f"{spoken.tool} averages {first} users for {one} and {second} users for {other}: "
            "evaluate them in two calls, or say users."
        )
    return next(iter(averaged))
