# SPDX-License-Identifier: MIT
"""Resolve metrics, protocols and relevance once, measure systems by them, and collect results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, Literal

from numpy.typing import NDArray

from receval.data.relevance import RelevanceRule
from receval.data.run import Run
from receval.metrics.aliases import any_metric, metric_of_alias
from receval.metrics.dialects import USERS_IN_WORDS, Dialect, metric_in_words
from receval.metrics.dialects import dialect as dialect_of
from receval.metrics.evaluation import EvaluatedUsers
from receval.metrics.labels import printed_parameters
from receval.metrics.metric import BaseMetric, Metric
from receval.metrics.own_metrics import metric_of_function
from receval.metrics.rating_errors import RatingMetric
from receval.metrics.whole_lists.list_metric import ListMetric
from receval.notes import Note
from receval.protocols.kept_lists import (
    names_of_part_lists,
    refuse_other_orders,
    refuse_protocols_without_lists,
)
from receval.protocols.protocol import Protocol, parse_protocol
from receval.storage.messages import enumerated, quoted

GivenMetric = str | BaseMetric | Callable[..., float]
"""A metric, its name, or a function of the list of a user."""


def named_protocols(given: str | Protocol | Sequence[str | Protocol]) -> dict[str, Protocol]:
    """Return protocols by their names in results."""
    listed = [given] if isinstance(given, str | Protocol) else given
    found: dict[str, Protocol] = {}
    for one in listed:
        protocol = parse_protocol(one) if isinstance(one, str) else one
        name = protocol.name
        if protocol.sampled is not None:
            name += f" sampled={protocol.sampled}"
        found[name if name not in found else protocol.key] = protocol
    if not found:
        raise ValueError("There is no protocol: name at least one, such as 'AR AI-AN'.")
    return found


def named_metrics(given: GivenMetric | Sequence[GivenMetric]) -> dict[str, BaseMetric]:
    """Return metrics of any kind by their labels; those of functions are made here."""
    listed = [given] if isinstance(given, str | BaseMetric) or callable(given) else given
    found = [
        any_metric(one) if isinstance(one, str | BaseMetric) else metric_of_function(one)
        for one in listed
    ]
    if not found:
        raise ValueError("There is no metric: name at least one, such as 'nDCG@10'.")
    named = {metric.label: metric for metric in found}
    for metric in found:
        if metric != named[metric.label]:
            raise ValueError(
                f"Two different metrics are called {metric.label}. Give one of the functions "
                "another name: rv.metric_of(function, name='Other')."
            )
    return named


def named_metrics_of_ranks(given: str | Metric | Sequence[str | Metric]) -> dict[str, Metric]:
    """Return metrics by their labels, and refuse those of whole lists."""
    # The given metric, as a function's cannot be read from its label.
    return {label: metric_of_alias(own) for label, own in named_metrics(given).items()}


def checked_length(
    lists: int | None, protocols: Mapping[str, Protocol]
) -> tuple[int | None, list[Note]]:
    """Return the length of the lists to keep, if they can be had, and a note on other lists."""
    if lists is None:
        return None, []
    if lists < 1:
        raise ValueError(
            f"lists is {lists}, but it is the number of items to keep of each list: at least 1."
        )
    refuse_other_orders(protocols, f"lists={lists}")
    if not (parts := names_of_part_lists(protocols)):
        return lists, []
    text = (
        f"The kept lists under {enumerated(parts)} are what systems recommend from all of its "
        "candidates, with all relevant items and without sampling. It measures other lists."
    )
    return lists, [Note("lists-of-all-candidates", text)]


_USUAL_HIGHEST = 10
"""Ratings up to this value are assumed to be on a scale."""

DEFAULT_METRICS = ("P@10", "Recall@10", "nDCG@10")
ChosenUsers = EvaluatedUsers | Literal["auto"]


# Sentences on what was measured, for readers who know neither our names nor our defaults.

_CANDIDATES = {
    "AI": "all items",
    "TI": "all items with a test rating",
    "train": "all items with a training rating",
    "rated": "all items with a training or a test rating",
}


def description(
    protocols: Mapping[str, Protocol], metrics: Mapping[str, BaseMetric], relevance: str, users: str
) -> tuple[str, ...]:
    """Describe protocols and metrics, what is relevant, and which users are averaged."""
    defined = {name: _describe_metric(own) for name, own in metrics.items()}
    for name, own in metrics.items():
        parameters = printed_parameters(own, leave_out=("cutoff",)).strip("()")
        if parameters and list(defined.values()).count(defined[name]) > 1:
            defined[name] += f", with {parameters}"
    return (
        relevance,
        *(f"{name}: {_describe_protocol(own)}." for name, own in protocols.items()),
        *(f"{name}: {words}." for name, words in defined.items()),
        f"Averages are over {USERS_IN_WORDS[users]}.",
    )


def _describe_metric(metric: BaseMetric) -> str:
    """Return the definition of a metric, and which part of a list it considers."""
    definition = metric.definition
    if isinstance(metric, RatingMetric):
        return definition + _OVER_IN_WORDS[getattr(metric, "over", None)]
    if not isinstance(metric, Metric):
        return f"{definition} ({', '.join([f'k = {metric.cutoff}', *_defaults_in_words(metric)])})"
    definition = metric_in_words(metric)
    if metric.cutoff is None:
        definition = definition.replace(" within k", "")
    else:
        definition += f" (k = {metric.cutoff})"
    if metric.depth is not None:
        definition += f", of the first {metric.depth} items"
    if metric.condensed:
        definition += ", on lists without unjudged items"
    return definition


_OVER_IN_WORDS = {
    "ratings": ", over all test ratings",
    "users": ", of each user, and then the mean over users",
    None: "",
}


def _defaults_in_words(metric: BaseMetric) -> list[str]:
    """Return the parameters that the label of a metric leaves out.

    Examples
    --------
    >>> _defaults_in_words(any_metric("ILD(feature=genre)@10"))
    ['distance = jaccard']
    """
    return [
        f"{own.name} = {own.default}"
        for own in fields(metric)
        if own.name != "cutoff"
        and isinstance(own.default, str | float)
        and getattr(metric, own.name) == own.default
        and own.default != ""
    ]


def _describe_protocol(protocol: Protocol) -> str:
    candidates = f"{_CANDIDATES[protocol.candidates]}, except the user's training items"
    if protocol.head_removed is not None:
        candidates += f" and the {100 * protocol.head_removed:g} % most popular items"
    if protocol.sampled is None:
        others = "those that are not relevant"
    else:
        drawn = "" if protocol.sampled_by == "uniform" else " in proportion to their popularity"
        others = f"{protocol.sampled:,} of the others, drawn{drawn or ' at random'}"
    if protocol.relevant == "1R":
        within = "" if protocol.percentiles is None else " of about the same popularity"
        return (
            f"each relevant test item has a list of its own, among {others}{within}; "
            f"candidates are {candidates}"
        )
    if protocol.sampled is None:
        return f"each user has one list of the candidates, which are {candidates}"
    return (
        f"each user has one list of all relevant test items and {others}; candidates are "
        f"{candidates}"
    )


@dataclass(frozen=True)
class Measuring:
    """Metrics and protocols by their names in results, with the rules for relevance and users.

    Metrics have our labels, or the names of the dialect; protocols have their relevance threshold.
    ``lowest`` and ``highest`` are of the test ratings. Those below 0 count as not judged as in the
    tool of the dialect or, without a dialect, if they are TREC grades.
    """

    metrics: dict[str, BaseMetric]
    protocols: dict[str, Protocol]
    relevance: RelevanceRule
    users: EvaluatedUsers
    dialect: Dialect | None = None
    lowest: float = 0.0
    highest: float = 0.0
    negative_is_unjudged: bool = False

    @classmethod
    def of(
        cls,
        values: NDArray,
        relevance_of: Callable[[float | Literal["auto"]], RelevanceRule],
        *,
        protocols: str | Protocol | Sequence[str | Protocol],
        metrics: GivenMetric | Sequence[GivenMetric] | None,
        relevant: float | Literal["auto"],
        users: ChosenUsers,
        dialect: str | Dialect | None = None,
        are_grades: bool = False,
    ) -> Measuring:
        """Resolve the arguments of a caller, for given test ratings.

        ``relevance_of`` is called with the threshold after the dialect has been applied.
        """
        chosen_protocols = named_protocols(protocols)
        chosen: Mapping[str, BaseMetric]
        if dialect is None:
            spoken = None
            chosen = named_metrics(DEFAULT_METRICS if metrics is None else metrics)
        else:
            spoken = dialect_of(dialect)
            chosen = _in_dialect(spoken, metrics)
            if users == "auto":
                own = [name for name, one in chosen.items() if isinstance(one, Metric)]
                users = _users_of(spoken, own) if own else spoken.users
            relevant = spoken.threshold(values) if relevant == "auto" and len(values) else relevant
        for name, metric in chosen.items():
            if isinstance(metric, ListMetric):
                refuse_protocols_without_lists(chosen_protocols, name)
            if isinstance(metric, RatingMetric):
                _refuse_without_ratings(name, chosen_protocols, users)
        relevance = relevance_of(relevant)
        complete = {
            name: protocol.with_threshold(relevance.threshold)
            for name, protocol in chosen_protocols.items()
        }
        return cls(
            dict(chosen),
            complete,
            relevance,
            "tested" if users == "auto" else users,
            spoken,
            float(values.min()),
            float(values.max()),
            are_grades if spoken is None else spoken.negative_is_unjudged,
        )

    @property
    def of_ranks(self) -> dict[str, Metric]:
        """The metrics of judged ranks."""
        return {name: own for name, own in self.metrics.items() if isinstance(own, Metric)}

    @property
    def of_lists(self) -> dict[str, ListMetric]:
        """The metrics of whole lists."""
        return {name: own for name, own in self.metrics.items() if isinstance(own, ListMetric)}

    @property
    def of_ratings(self) -> dict[str, RatingMetric]:
        """The metrics of predicted ratings."""
        return {name: own for name, own in self.metrics.items() if isinstance(own, RatingMetric)}

    @property
    def longest_list(self) -> int:
        """The largest cut-off of the metrics of whole lists; 0 without any."""
        return max((own.cutoff or 0 for own in self.of_lists.values()), default=0)

    @property
    def threshold(self) -> float:
        """The lowest rating of a relevant test item."""
        return self.relevance.threshold

    @property
    def settings(self) -> dict[str, Any]:
        """The settings to record in results."""
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
        """Sentences on what was measured."""
        relevance = self.relevance.words
        graded = [name for name, own in self.metrics.items() if _takes_ratings(own)]
        # Gains from stars are obvious to readers; gains from plays are not.
        if graded and self.highest > _USUAL_HIGHEST:
            uses = "uses" if len(graded) == 1 else "use"
            relevance += (
                f" {enumerated(graded)} {uses} ratings as gains, even for items that are not "
                "relevant."
            )
        return description(self.protocols, self.metrics, relevance, self.users)

    @property
    def notes(self) -> list[Note]:
        """Notes on how negative ratings are treated, and how the dialect's tool differs."""
        graded = [name for name, own in self.metrics.items() if hasattr(own, "gain")]
        negative = list(self.relevance.notes)
        if self.lowest < 0:
            text = f"Some test ratings are below 0 (the lowest is {self.lowest:g})"
            if self.negative_is_unjudged:
                text += ": they count as unjudged, as in trec_eval."
            elif graded and self.dialect is None:
                text += f": in {enumerated(graded)} they have the gain of 0, as in trec_eval."
            if text.endswith("."):
                negative.append(Note("negative-ratings", text))
        if self.dialect is None:
            return negative
        own: dict[str, list[str]] = {}
        for name in self.of_ranks:
            own.setdefault(self.dialect.entry(name).note, []).append(name)
        caveats = [f"{text[0].upper()}{text[1:]}." for text in self.dialect.caveats]
        told = [*caveats, *(f"{enumerated(of)}: {note}" for note, of in own.items() if note)]
        return [*negative, *(Note("dialect", text) for text in told)]


def _takes_ratings(metric: BaseMetric) -> bool:
    """Tell whether a metric uses the ratings of items, including those below the threshold."""
    return getattr(metric, "gain", "binary") in ("rating", "exp", "exp-normalised")


def _refuse_without_ratings(name: str, protocols: Mapping[str, Protocol], users: str) -> None:
    """Refuse protocols and users for which there is not one set of test ratings per user."""
    other = [own for own, protocol in protocols.items() if protocol.relevant != "AR"]
    if other or users == "all":
        said = enumerated(other) if other else "users='all'"
        raise ValueError(
            f"{name} is computed from the test ratings of each user, which {said} does not have. "
            "Choose a protocol with all relevant items, such as 'AR AI-AN', and tested users."
        )


def check_rating_scores(
    systems: Mapping[str, Any],
    runs: Mapping[str, Sequence[Run]],
    rating_scores: str | Sequence[str],
    metrics: Mapping[str, RatingMetric],
) -> list[str]:
    """Return the names; refuse unknown ones, and metrics whose scores are ranks or no ratings."""
    rating_scores = [rating_scores] if isinstance(rating_scores, str) else list(rating_scores)
    for name in rating_scores:
        if name not in systems and name not in runs:
            there = enumerated([*systems, *runs])
            raise ValueError(f"rating_scores names {quoted(name)}, but there are {there}.")
    for name, folds in runs.items():
        if any(own.scores_are_ranks for own in folds) and (metrics or name in rating_scores):
            raise ValueError(
                f"{quoted(name)} has ranks or lists in order and no scores, but "
                f"{next(iter(metrics), 'rating_scores')} needs scores. Give a "
                "run with scores, ordered by them, or leave it out."
            )
    metric = next((name for name, own in metrics.items() if own.needs_ratings), None)
    for name in [*systems, *runs] if metric else []:
        says = getattr(systems.get(name), "predicts_ratings", False)
        if name not in rating_scores and not says:
            what = "run" if name in runs else "system"
            raise ValueError(
                f"{metric} compares scores with ratings, but those of {quoted(name)} may only "
                f"order items. If they are ratings, set rating_scores=[{name!r}] (in a command: "
                f"--rating-scores {name}); otherwise leave the metric or the {what} out."
            )
    return rating_scores


def _in_dialect(
    spoken: Dialect, metrics: GivenMetric | Sequence[GivenMetric] | None
) -> dict[str, BaseMetric]:
    """Return metrics by the names of a dialect, and metrics of whole lists by their labels."""
    if metrics is None:
        raise ValueError(
            f"No metric of {spoken.tool} is named. Name at least one of "
            f"{', '.join(spoken.metrics())}."
        )
    names: list[GivenMetric] = (
        [metrics] if isinstance(metrics, str | BaseMetric) or callable(metrics) else list(metrics)
    )
    if not names:
        raise ValueError(f"There is no metric: name at least one of {', '.join(spoken.metrics())}.")
    found: dict[str, BaseMetric] = {}
    for name in names:
        of_lists = _own_list_metric(spoken, name)
        if of_lists is not None:
            found[spoken.own_label(of_lists)] = of_lists
            continue
        if not isinstance(name, str):
            own = name.label if isinstance(name, BaseMetric) else "A function"
            raise ValueError(
                f"{own} is a metric of receval, but the dialect is that of {spoken.tool}. "
                "Give names of its metrics, or leave out the dialect."
            )
        found[name] = spoken.metric(name)
    return found


def _own_list_metric(spoken: Dialect, given: GivenMetric) -> ListMetric | RatingMetric | None:
    """Return a metric of whole lists or of ratings, or that of its label.

    None is returned if the tool means another by it, which a label with brackets excludes.
    """
    if not isinstance(given, str):
        return given if isinstance(given, ListMetric | RatingMetric) else None
    with suppress(ValueError):
        own = any_metric(given)
        if not isinstance(own, ListMetric | RatingMetric):
            return None
        if given.startswith(f"{own.name}(") or given == own.label == spoken.own_label(own):
            return own
    return None


def _users_of(spoken: Dialect, names: Sequence[str]) -> EvaluatedUsers:
    """Return which users a dialect averages, for all of some metrics."""
    averaged: dict[EvaluatedUsers, str] = {}
    for name in names:
        averaged.setdefault(spoken.users_of(name), name)
    if len(averaged) > 1:
        (first, one), (second, other), *_ = averaged.items()
        raise ValueError(
            f"{spoken.tool} averages {first} users for {one} and {second} users for {other}. "
            "Evaluate these metrics in two calls, or set users."
        )
    return next(iter(averaged))
