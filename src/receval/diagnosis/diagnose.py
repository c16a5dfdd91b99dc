# SPDX-License-Identifier: MIT
"""Diagnose ratings in one call, and report the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from receval.checked_arguments import checked_arguments
from receval.data.moments import span_in_words
from receval.data.notes_on_ratings import doubts_on_scales
from receval.data.ratings import Ratings
from receval.data.reading import ReadingReport, are_as_written, readings_of
from receval.data.relevance import RelevanceRule, negative_ratings_notes, relevance_in_words
from receval.data.shared_identifiers import Meeting, doubts_on
from receval.diagnosis.baselines import (
    BaselineLists,
    experiment_designs,
    fitting_baselines,
    popularity_or_sparsity,
    precision_of_designs,
    ranked_baselines,
    untrained_baselines,
)
from receval.diagnosis.compared_splits import (
    COMPARED_SPLITS,
    ComparedSplits,
    cold_start,
    compared_splits,
    future_training,
)
from receval.diagnosis.metric_sensitivity import (
    TOLD_PERCENT,
    metric_sensitivity,
    metrics_for,
    values_of_tested_users,
)
from receval.diagnosis.recommendation import Advice, data_findings, recommendation, split_findings
from receval.diagnosis.size_and_skew import popularity_curve, size_and_skew, time_span
from receval.diagnosis.tables_and_figures import (
    designs_table,
    draw_designs,
    draw_metrics,
    draw_popularity,
    judgments_table,
    lead_table,
    metrics_table,
    size_table,
    splits_table,
)
from receval.diagnosis.unbiased_judgments import (
    agreement_of_judgments,
    chosen_ratings,
    disagreeing_item_pairs,
    drawn_judgments,
    liked_and_disliked,
    notes_on_relevance,
    shared_pairs_notes,
    unbiased_ratings,
    with_unbiased,
)
from receval.evaluation.fitted_systems import notes_on_clicks
from receval.evaluation.report import Report, ReportFigure, ReportPart, ReportTable, ReportText
from receval.metrics.evaluation import evaluate, evaluated_lists, mean
from receval.metrics.registry import parse
from receval.notes import NOTES, Note
from receval.protocols.protocol import parse_protocol
from receval.seeds import generator
from receval.splits.split_ratings import select_ratings, split
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b


@dataclass(frozen=True)
class Diagnosis:
    """What ratings allow to be measured, and how to design an experiment on them.

    The tables are described by the functions of :mod:`receval.diagnosis` that make them. ``future``
    is None without timestamps, and ``judgments``, ``agreement`` and ``disagreeing_pairs``
    (:func:`.disagreeing_item_pairs`) are None if liked and disliked items cannot be told apart.
    ``per_user`` has the values of users by system, under AR AI-AN on the recommended split. Notes
    say what was left out and why; the settings are what is needed to repeat the call. ``reading``
    tells how the ratings were read, and ``words`` which of them are relevant.
    """

    size: pd.DataFrame
    time: pd.DataFrame
    popularity: pd.DataFrame
    cold: pd.DataFrame
    future: pd.DataFrame | None
    designs: pd.DataFrame
    shares: pd.DataFrame
    metrics: pd.DataFrame
    levels: pd.DataFrame
    judgments: pd.DataFrame | None
    agreement: pd.DataFrame | None
    disagreeing_pairs: float | None
    per_user: pd.DataFrame
    advice: tuple[Advice, ...]
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    reading: tuple[ReadingReport, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def recommendation(self) -> pd.DataFrame:
        """The experimental section: ``subject``, ``sentence``, ``reason``."""
        rows = [(own.subject, own.sentence, own.reason) for own in self.advice]
        return pd.DataFrame(rows, columns=["subject", "sentence", "reason"])

    def __str__(self) -> str:
        return "\n".join(
            f"{own.subject}: {own.sentence} (Why: {own.reason})" for own in self.advice
        )

    def report(self, title: str = "Diagnosis") -> Report:
        """Return the whole diagnosis as a report, with the recommendations first.

        Parameters
        ----------
        title : str
            The heading of the report.
        """
        section = " ".join(own.sentence for own in self.advice)
        reasons = tuple(f"{own.subject}. {own.reason}" for own in self.advice)
        systems = self.per_user["system"].nunique()
        parts: list[ReportPart] = [
            ReportText("Recommended experimental section", (section,)),
            ReportText("Reasons, measured on these ratings", reasons),
            ReportTable("size", size_table(self.size, self.time)),
            ReportFigure.drawn(
                "popularity",
                lambda: draw_popularity(self.popularity),
                "Ratings of the items by their rank",
            ),
            ReportTable("splits", splits_table(self.cold, self.future)),
            ReportTable("designs", designs_table(self.designs)),
            ReportFigure.drawn(
                "designs",
                lambda: draw_designs(self.designs),
                "P@10 of Random and of the most popular items by design, with Pop's multiple of "
                "Random",
            ),
        ]
        if len(self.shares):
            parts.append(ReportTable("shares", lead_table(self.shares)))
        parts.append(ReportTable("metrics", metrics_table(self.metrics, systems)))
        if self.metrics["tau"].notna().any():
            parts.append(
                ReportFigure.drawn(
                    "metrics",
                    lambda: draw_metrics(self.metrics, TOLD_PERCENT),
                    "Robustness to missing judgments (above is better) against discriminative "
                    "power (left is better)",
                )
            )
        if self.agreement is not None:
            parts.append(
                ReportTable("judgments", judgments_table(self.agreement, self.disagreeing_pairs))
            )
        return Report(
            title, tuple(parts), self._data(), self.notes, self.settings, self.reading, self.words
        )

    def _data(self) -> dict[str, pd.DataFrame]:
        tables = {own.name: getattr(self, own.name) for own in fields(self)}
        return {
            "recommendation": self.recommendation,
            **{name: own for name, own in tables.items() if isinstance(own, pd.DataFrame)},
        }


Tell = Callable[[str, int, int], None]
"""Called with the name of the current step, its number from 0, and the total."""


# Users are sampled with all of their ratings, so that any dataset takes about a minute.

MOST_RATINGS = 1_500_000
"""The most ratings of the users for whom systems are trained and measured."""

MOST_SCORES = 200_000_000
"""The most pairs of these users with items, all of which a system scores."""

FEWEST_USERS = 500
"""At least this many users are sampled if they exist, whatever the number of items."""


def sampled_users(ratings: Ratings, seed: int) -> Ratings:
    """Return the ratings of some users drawn at random, or all of them if they are not too many.

    Users keep all of their ratings, so that profiles are as long as in the data, while items have
    fewer ratings. Users are taken in random order up to :data:`MOST_RATINGS` ratings and
    :data:`MOST_SCORES` pairs with items, but at least :data:`FEWEST_USERS` of them. The same object
    is returned if no user is left out; otherwise the remaining users and items get new codes, and
    keep their identifiers.
    """
    n_users, n_items = ratings.n_users, ratings.n_items
    if len(ratings) <= MOST_RATINGS and n_users * n_items <= MOST_SCORES:
        return ratings
    order = generator(seed, "diagnosis", "users").permutation(n_users)
    cumulated = np.cumsum(np.bincount(ratings.users, minlength=n_users)[order])
    by_ratings = int(np.searchsorted(cumulated, MOST_RATINGS, side="right"))
    size = max(FEWEST_USERS, min(by_ratings, MOST_SCORES // n_items))
    if size >= n_users:
        return ratings
    return ratings.select(np.isin(ratings.users, order[:size])).compacted()


@checked_arguments
def diagnose(
    ratings: Ratings,
    *,
    relevant: float | Literal["auto"] = "auto",
    unbiased: Ratings | None = None,
    selection: Mapping[str, Any] | None = None,
    seed: int = 1,
    tell: Tell | None = None,
) -> Diagnosis:
    """Find out what can be measured with ratings, and how to design an experiment on them.

    Size, skew, splits, timestamps and cold users and items are measured on all ratings. With very
    many ratings, systems are trained on a sample of users (the limits are in
    :mod:`receval.diagnosis.diagnose`), and a note says so.

    Parameters
    ----------
    ratings : Ratings
        From :func:`receval.data.ratings_table.read_ratings`; the order of their rows does
        not matter.
    relevant : float or "auto"
        The lowest rating of a relevant item
        (:func:`receval.data.relevance.relevance_threshold`).
    unbiased : Ratings, optional
        Judgments of randomly drawn items; by default the rows of the ratings that users did not
        choose, according to ``known``.
    selection : mapping, optional
        Which ratings are used, such as ``{"min_user_ratings": 5, "min_item_ratings": 5}``, as for
        :func:`receval.splits.split_ratings.split`; by default all. Unbiased judgments are kept.
    seed : int
        The seed of all random choices.
    tell : callable, optional
        Called before each step, with its name, its number from 0, and the total.

    Returns
    -------
    Diagnosis

    Raises
    ------
    ValueError
        No rating reaches the threshold, nothing can be held out, or unbiased judgments are of
        other users or items, or all irrelevant.

    Examples
    --------
    >>> import numpy as np
    >>> from receval.data.ratings_table import read_ratings
    >>> users, items = np.nonzero(np.random.default_rng(1).random((40, 25)) < 0.5)
    >>> found = diagnose(read_ratings({"user": users, "item": items}))
    >>> found.advice[0].subject, found.advice[0].sentence[:50]
    ('Split', "A random fifth of each user's ratings is used for ")
    """
    ratings = ratings.in_order_of_identifiers()
    unbiased = None if unbiased is None else unbiased.in_order_of_identifiers()
    chosen = chosen_ratings(ratings).compacted()
    doubts: list[Note] = []
    if selection is not None:
        chosen, told = select_ratings(chosen, selection, seed)
        doubts.append(told)
    of_selection = [Advice("Selection", str(own), NOTES[own.code].reason) for own in doubts]
    if (np.bincount(chosen.users) < 2).all():
        raise ValueError(
            "Every user has only one rating, so none can be held out for a test while others are "
            "in train. Recommendations cannot be measured on these data."
        )
    reading = [*readings_of(ratings)]
    if unbiased is not None:
        is_said = are_as_written(ratings, unbiased)
        meetings = []
        for what in ("user", "item"):
            own, known = (getattr(table, f"{what}_ids") for table in (unbiased, ratings))
            meetings.append(Meeting(what, "unbiased judgments", "ratings", own, known, is_said))
            doubts += doubts_on(meetings[-1])
        scales = ("the ratings", chosen.values), ("the unbiased judgments", unbiased.values)
        doubts += [*doubts_on_scales(*scales), *shared_pairs_notes(chosen, unbiased)]
        meet = " and ".join(own.in_words for own in meetings)
        reading += [replace(own, meeting=meet) for own in readings_of(unbiased)]
    drawn = drawn_judgments(ratings, unbiased)
    relevance = RelevanceRule.of(
        chosen.values,
        relevant,
        at_hand=[ratings.values],
        reading=getattr(ratings, "reading", None),
    )
    threshold = relevance.threshold
    if unbiased is not None:
        doubts += notes_on_relevance(unbiased.values, threshold, chosen.values)
    sample = sampled_users(chosen, seed)
    found = None if drawn is None else unbiased_ratings(sample, drawn)
    steps = _Steps(tell, fitting_baselines(sample.n_users, sample.n_items))
    steps.begin("sizes")
    tables: dict[str, Any] = {
        "size": size_and_skew(chosen, threshold),
        "time": time_span(chosen),
        "popularity": popularity_curve(chosen),
    }
    steps.begin("splits")
    splits = compared_splits(chosen, seed)
    has_future = _has_order(chosen) and bool(splits.made)
    tables["cold"] = cold_start(splits.made)
    tables["future"] = future_training(splits.made) if has_future else None
    of_splits = split_findings(chosen, tables["cold"], tables["future"])
    kind, parameters = COMPARED_SPLITS[of_splits.recommended_split]
    data = split(sample, kind, seed=seed, **parameters)
    fold = with_unbiased(next(data.folds()), found[0] if found is not None else None)
    if not (fold.test.values >= threshold).any():
        raise ValueError(
            f"None of the {len(fold.test):,} test ratings reaches {threshold:g}, the lowest "
            "relevant rating. Set a lower one (relevant=..., in a command: --relevant ...), or "
            "give more ratings."
        )
    steps.begin("Random and Pop by protocol")
    designs, notes = experiment_designs(sample, data, threshold, seed)
    tables["designs"] = precision_of_designs(designs, seed)
    tables["shares"] = popularity_or_sparsity(tables["designs"])
    protocols = [
        parse_protocol("AR AI-AN").with_threshold(threshold),
        next(own.protocol for own in designs if own.name == "1R TI-NN"),
    ]
    baselines = ranked_baselines(data, fold, protocols, threshold, seed, steps.begin)
    steps.begin("metrics")
    has_disliked = bool((fold.test.values < threshold).any())
    labels = metrics_for(sample.n_items, has_disliked)
    values = values_of_tested_users(baselines.lists[0], labels)
    tables["metrics"], tables["levels"] = metric_sensitivity(baselines, labels, values, seed)
    steps.begin("judgments")
    judgments = liked_and_disliked(baselines) if has_disliked or baselines.unbiased else None
    tables["judgments"] = judgments
    tables["agreement"] = None if judgments is None else agreement_of_judgments(judgments)
    findings = data_findings(
        chosen,
        threshold,
        of_splits,
        tables,
        unbiased_judgments=0 if fold.unbiased is None else len(fold.unbiased),
        differences=values[0],
        sampled_agreement=_agreement_of_protocols(baselines, labels[0]),
    )
    return Diagnosis(
        **tables,
        disagreeing_pairs=disagreeing_item_pairs(sample, threshold, seed) if has_disliked else None,
        per_user=_per_user(baselines, labels, values, sample),
        advice=(*of_selection, *recommendation(findings)),
        notes=(
            *_notes(chosen, sample, drawn, found, splits),
            *doubts,
            *relevance.notes,
            *negative_ratings_notes(ratings.values),
            *notes_on_clicks(untrained_baselines(baselines.systems, seed), ratings.values),
            *notes,
        ),
        reading=tuple(reading),
        words=(relevance_in_words(ratings.values, threshold, "ratings"),),
        settings={
            "relevant": threshold,
            "seed": seed,
            **({} if selection is None else {"selection": dict(selection)}),
            "split": data.description,
            "users_of_systems": sample.n_users,
            "ratings_of_systems": len(sample),
            "systems": list(baselines.systems),
        },
    )


def _has_order(ratings: Ratings) -> bool:
    """Tell whether timestamps order any of the ratings."""
    times = ratings.timestamps
    return times is not None and bool((times != times[0]).any())


class _Steps:
    """Reports the steps of a diagnosis, whose number depends on the systems."""

    def __init__(self, tell: Tell | None, systems: list[str]) -> None:
        self._tell = tell
        before, after = ("sizes", "splits", "Random and Pop by protocol"), ("metrics", "judgments")
        self._names = [*before, *systems, *after]

    def begin(self, name: str) -> None:
        if self._tell is not None:
            self._tell(name, self._names.index(name), len(self._names))


def _agreement_of_protocols(baselines: BaselineLists, label: str) -> float:
    """Return Kendall's tau between the orders of systems with all and with sampled candidates."""
    metric = parse(label)
    everything, sampled = (
        np.array([[mean(evaluate([metric], own), own)[0] for own in lists]])
        for lists in baselines.lists
    )
    return float(kendall_tau_b(everything, sampled, TOLERANCE_OF_MEANS)[0, 0])


def _per_user(
    baselines: BaselineLists, labels: list[str], values: np.ndarray, ratings: Ratings
) -> pd.DataFrame:
    """Return the shallow values of users, one row per system and user."""
    shallow = [
        n for n, label in enumerate(labels) if label.split("@")[1] == labels[0].split("@")[1]
    ]
    users = baselines.lists[0][0].users[evaluated_lists(baselines.lists[0][0], "tested")]
    profile = np.bincount(ratings.users, minlength=ratings.n_users)[users]
    frames = []
    for number, system in enumerate(baselines.systems):
        columns: dict[str, Any] = {
            "system": system,
            "user": ratings.user_ids[users],
            "ratings": profile,
        }
        columns |= {labels[n]: values[n, number] for n in shallow}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _notes(
    chosen: Ratings,
    sample: Ratings,
    drawn: Ratings | None,
    found: tuple[Ratings | None, int] | None,
    splits: ComparedSplits,
) -> list[Note]:
    notes = []
    if sample is not chosen:
        text = (
            f"Systems were tried on {sample.n_users:,} users drawn at random, with their "
            f"{len(sample):,} ratings, out of {chosen.n_users:,} users with {len(chosen):,} "
            "ratings. Random precision, Pop's lead, metrics and judgments refer to this sample; "
            "sizes and splits refer to all ratings."
        )
        notes.append(Note("sample-of-users", text))
    if drawn is not None and found is not None and found[1]:
        text = (
            f"Of the {len(drawn):,} unbiased judgments, {found[1]:,} were left out, because their "
            "users or items have no ratings among those that systems were tried on."
        )
        notes.append(Note("unbiased-left-out", text))
    if chosen.timestamps is not None and not _has_order(chosen):
        text = (
            f"All ratings have the same time, {span_in_words(chosen.timestamps[:1])[:10]}, so "
            "they can be neither ordered nor split by time."
        )
        notes.append(Note("tied-times", text))
    if splits.refused:
        if chosen.timestamps is None:
            text = (
                "There are no timestamps, so no split is by time, and leakage cannot be measured."
            )
            notes.append(Note("no-times", text))
        else:
            notes += [
                Note("split-impossible", f"The split '{name}' cannot be made. {reason}")
                for name, reason in splits.refused.items()
            ]
    return notes
