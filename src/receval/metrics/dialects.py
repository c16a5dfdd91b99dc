# SPDX-License-Identifier: MIT
"""Dialects: a tool's metric names, evaluated users and definition of relevance.

``dialects.toml`` beside this module has the metrics of each tool.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.metrics.evaluation import EvaluatedUsers
from receval.metrics.labels import first_default
from receval.metrics.metric import BaseMetric, Metric
from receval.metrics.registry import parse, parse_any
from receval.storage.messages import quoted

Relevant = float | Literal["any", "positive"]
DialectTies = Literal["listed", "trec"]

_CUTOFFS = {"needed": "@k", "optional": "[@k]", "none": ""}
_RELEVANT = {"any": "every test rating", "positive": "test ratings above 0"}


@dataclass(frozen=True)
class ToolMetric:
    """One metric of a tool.

    Attributes
    ----------
    name : str
        The tool's name, followed by options that differ from its defaults: ``NDCG gain=rating``.
    label : str
        The label of receval's metric, without a cut-off.
    cutoff : {"needed", "optional", "none"}
        Whether the tool's metric has a cut-off.
    aliases : tuple of str
        Other names of the metric.
    users : str, optional
        The evaluated users of this metric, if they differ from those of other metrics.
    note : str
        Remaining differences, in a sentence.
    """

    name: str
    label: str
    cutoff: Literal["needed", "optional", "none"] = "needed"
    aliases: tuple[str, ...] = ()
    users: EvaluatedUsers | None = None
    note: str = ""

    @property
    def form(self) -> str:
        """The name with ``k`` as its cut-off, such as ``ndcg@k``."""
        name, space, options = self.name.partition(" ")
        return f"{name}{_CUTOFFS[self.cutoff]}{space}{options}"


# Parsing of metric names as tools and their users write them.

_FORM = re.compile(
    r"\s*(?P<name>rbp\.\d+|[A-Za-z][\w -]*?)"
    r"(?:[@_.:](?P<before>\d+))?"
    r"(?:\((?P<inside>[^@]*)\))?"
    r"(?:@(?P<after>\d+))?"
    r"(?P<options>(?:\s+\S+=\S+)*)\s*"
)


@dataclass(frozen=True)
class ToolName:
    """The parts of a name such as ``NDCG@5 gain=rating``.

    The ``plain`` name has lower-case letters and digits only, such as ``ndcg``; ``condensed`` tells
    whether only judged items count (``judged_only=True``); options such as ``gain=rating`` are in
    lower case.
    """

    plain: str
    cutoff: int | None
    depth: int | None
    condensed: bool
    options: frozenset[str]

    @classmethod
    @cache
    def of(cls, text: str) -> ToolName:
        """Read a name in any of the forms ``P_5``, ``P@5``, ``P.5``, ``P(5)``, ``P(rel=1)@5``.

        Examples
        --------
        >>> name = ToolName.of("NDCG@5 gain=rating")
        >>> name.plain, name.cutoff, sorted(name.options)
        ('ndcg', 5, ['gain=rating'])
        >>> ToolName.of("map_cut_10").plain, ToolName.of("NDCG(5)").cutoff
        ('mapcut', 5)
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise ValueError(
                f"{quoted(text)} is not the name of a metric. Write a name such as ndcg@10, with "
                "any options after it: NDCG@10 gain=rating."
            )
        # Options in brackets may contain brackets: weight=LogRankWeight(offset=1).
        inside = re.split(r",\s*(?![^()]*\))", match["inside"]) if match["inside"] else []
        options = [part.strip() for part in inside] + match["options"].split()
        numbers = [part for part in options if re.fullmatch(r"(?:[kn]=)?\d+", part)]
        cutoffs = [match["before"], match["after"], *(part.split("=")[-1] for part in numbers)]
        given = [int(cutoff) for cutoff in cutoffs if cutoff]
        depths = [part for part in options if re.fullmatch(r"depth=\d+", part)]
        if len(given) > 1 or len(depths) > 1 or 0 in given:
            raise ValueError(
                f"{quoted(text)} must have either no cut-off or one cut-off of at least 1."
            )
        others = {_plain_option(part) for part in options if part not in (*numbers, *depths)}
        return cls(
            plain_tool_name(match["name"]),
            given[0] if given else None,
            int(depths[0].partition("=")[2]) if depths else None,
            "judged_only=true" in others,
            frozenset(others - {"judged_only=true"}),
        )

    def means(self, names: Iterable[str]) -> bool:
        """Whether it is one of some names, each followed by a space and its options."""
        known = map(ToolName.of, names)
        return any((one.plain, one.options) == (self.plain, self.options) for one in known)


def plain_tool_name(name: str) -> str:
    """Return a name in lower case, without punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _plain_option(option: str) -> str:
    return re.sub(r"['\"\s]", "", option).lower()


# Definitions of metrics in words, for descriptions of dialects.

USERS_IN_WORDS = {
    "tested": "users with a test rating",
    "relevant": "users with a relevant test rating",
    "covered": "users with a test rating and a list",
    "relevant-covered": "users with a relevant test rating and a list",
    "all": "all users",
}
"""Descriptions of the ``evaluated_users`` of :func:`receval.metrics.evaluation.evaluated_lists`."""

_DIVISORS = {
    "cutoff": "k, also where the list is shorter",
    "filled": "the number of items in the list, at most k",
    "relevant": "the number of relevant items",
    "reachable": "the number of relevant items, at most k",
    "listed": "the number of relevant items, at most as many as the list has within k",
    "hits": "the number of hits",
}
_GAINS = {
    "rating": "the rating, be it relevant or not",
    "binary": "1 for a relevant item",
    "exp": "2^r - 1 of the rating r",
    "exp-normalised": "(2^(r - 1) - 1) / (2^(m - 1) - 1) of the rating r, m being the highest",
    "exp-relevant": "2^r - 1 of a relevant rating r",
    "exp-steps": "2^(r - t + 1) - 1 of a relevant rating r, t being the threshold",
    "exp-steps-from-0": "2^(r + 1) - 1 of a relevant rating r",
    "relevant": "the rating of a relevant item",
    "steps": "r - t + 1 of a relevant rating r, t being the threshold",
    "cm100k": "max(r - 2, 0) of a rating r below 5, and r from 5 on, whatever the threshold",
}
_DISCOUNTS = {
    "log": "log2(rank + 1)",
    "log-after-2": "log2(max(rank, 2)), so that ranks 1 and 2 weigh the same",
    "reciprocal": "the rank itself",
}
_IDEALS = {
    "cut": "the best k test items",
    "all": "all test items",
    "filled": "as many of the best test items as the list has within k",
    "listed": "the list's own judged items",
    "ranks": "a relevant item at every rank, even if the user has fewer",
}
_WEIGHTS = {
    "judged": "as many as they have test ratings",
    "relevant": "as many as they have relevant items",
    "equal": "the same",
}


def metric_in_words(metric: Metric) -> str:
    """Return the definition of a metric of some dialect at a cut-off k in words.

    Examples
    --------
    >>> from receval.metrics.registry import parse
    >>> metric_in_words(parse("P(denominator=filled)"))
    'hits / the number of items in the list, at most k'
    """
    own = vars(metric)
    if metric.name in ("P", "Recall"):
        return f"hits / {_DIVISORS[own['denominator']]}"
    if metric.name == "AP":
        where = "the ranks of the hits" if own["terms"] == "hits" else "every rank, hit or not"
        return f"sum of the precisions at {where} / {_DIVISORS[own['denominator']]}"
    if metric.name in ("nDCG", "DCG"):
        ideal = f"; ideal list: {_IDEALS[own['ideal']]}" if "ideal" in own else ", not normalised"
        return f"gain {_GAINS[own['gain']]}; discount {_DISCOUNTS[own['discount']]}{ideal}"
    if metric.name == "AverageRecall":
        where = "all ranks up to k" if own["terms"] == "ranks" else "the ranks of relevant items"
        return f"mean of the recalls at {where}"
    if metric.name == "PartialAUC":
        which = "relevant items" if own["relevant"] == "all" else "the first k relevant items"
        return f"share of the pairs of {which} and of the first k others that are in order"
    if metric.name == "PercentileRank":
        divisor = "one less than the candidates" if own["denominator"] == "others" else "candidates"
        of_users = "" if own["weight"] == "relevant" else " of a user, and then over users"
        return (
            f"mean of (rank - 1) / {divisor} over all relevant items{of_users}; 1 if not within k"
        )
    if metric.name == "Hit":
        return "number of hits" if own["form"] == "count" else "1 if there is a hit, else 0"
    if metric.name == "RBP":
        over = ", over that of the best list" * (own["denominator"] == "best")
        phi = f"{own['phi']:g}"
        return f"gain {_GAINS[own['gain']]}; weight (1 - {phi}) {phi}^(rank - 1){over}"
    if metric.name in ("AUC", "GAUC"):
        limited = " within k" * (own["denominator"] == "reachable")
        others = " and one more" * (own["others"] == "one-more")
        average = f"; users weigh {_WEIGHTS[own['weight']]}" if metric.name == "GAUC" else ""
        return (
            f"share of the pairs of a relevant item{limited} and another listed one{others} that "
            f"are in order{average}"
        )
    return metric.definition


@dataclass(frozen=True)
class Dialect:
    """The metrics of a tool, defined as metrics of receval.

    Attributes
    ----------
    name, tool, version : str
        Name of the dialect, name of the tool, and the version it was taken from.
    sources : tuple of str
        Source files of the tool with the definitions.
    entries : tuple of ToolMetric
    refused : mapping of str to str
        Metrics of the tool that are not available, and why.
    of_lists : mapping of str to str
        Metrics of whole lists of the tool, and which metrics of receval they are, in words.
    of_ratings : mapping of str to str
        Likewise for metrics of predicted ratings or of the scores of all test ratings.
    relevant : float, "any" or "positive"
        Which test ratings are relevant: those at or above a value, all, or those above 0.
    users : str
        The evaluated users (:func:`receval.metrics.evaluation.evaluated_lists`).
    ties : {"listed", "trec"}
        Whether equal scores keep the order of the list, or are ordered as in trec_eval.
    ties_in_words : str
        Description of how the tool treats equal scores.
    is_single : bool
        Whether the tool compares scores in single precision, which makes more of them equal.
    caveats : tuple of str
        Behaviour of the tool that is not imitated, such as rounding, in sentences.
    threshold_option : str
        The tool's name for the relevance threshold; empty if it has none.
    negative_is_unjudged : bool
        Whether an item with a rating below 0 counts as unjudged.

    Examples
    --------
    >>> from receval.metrics.dialects import dialect
    >>> dialect("recbole").metric("map@10").label
    'AP(denominator=reachable)@10'
    >>> dialect("elliot").metric("MAP@10").label
    'AP(denominator=cutoff,terms=ranks)@10'
    """

    name: str
    tool: str
    version: str
    sources: tuple[str, ...]
    entries: tuple[ToolMetric, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    of_lists: Mapping[str, str] = field(default_factory=dict)
    of_ratings: Mapping[str, str] = field(default_factory=dict)
    relevant: Relevant = "any"
    users: EvaluatedUsers = "tested"
    ties: DialectTies = "listed"
    ties_in_words: str = "in the order of the list"
    is_single: bool = False
    caveats: tuple[str, ...] = ()
    threshold_option: str = ""
    negative_is_unjudged: bool = False

    def metric(self, name: str) -> Metric:
        """Return the metric of receval that equals one of the tool's.

        The name is the tool's, such as ``ndcg@10``, with options after a space or in brackets:
        ``NDCG@10 gain=rating``. Case and punctuation do not matter. All metrics accept
        ``depth=100``, which cuts lists before anything else, and ``judged_only=True``, which
        condenses them. If the tool has no such metric, or receval does not have it, a ValueError
        says why.

        Examples
        --------
        >>> from receval.metrics.dialects import dialect
        >>> dialect("lenskit").metric("NDCG@5 gain=rating").label
        'nDCG(discount=log-after-2)@5'
        """
        asked = ToolName.of(name)
        metric = parse(self._entry(asked, name).label)
        return replace(metric, cutoff=asked.cutoff, depth=asked.depth, condensed=asked.condensed)

    def entry(self, name: str) -> ToolMetric:
        """Return the entry of one of the tool's metrics; raises as :meth:`metric` does."""
        return self._entry(ToolName.of(name), name)

    def users_of(self, name: str) -> EvaluatedUsers:
        """Return the evaluated users of a metric; raises as :meth:`metric` does."""
        return self.entry(name).users or self.users

    def metrics(self) -> dict[str, str]:
        """Return receval's labels by the tool's names, both with ``@k`` as cut-off.

        Examples
        --------
        >>> from receval.metrics.dialects import dialect
        >>> dialect("recbole").metrics()["ndcg@k"]
        'nDCG(gain=binary)@k'
        """
        return {entry.form: f"{entry.label}{_CUTOFFS[entry.cutoff]}" for entry in self.entries}

    def threshold(self, values: NDArray) -> float:
        """Return the relevance threshold of the tool.

        If only ratings above 0 are relevant, and there are none, a ValueError says so.
        """
        if isinstance(self.relevant, float):
            return self.relevant
        counted = values if self.relevant == "any" else values[values > 0]
        if not len(counted):
            raise ValueError(
                f"No test rating is relevant to {self.tool}, which counts {self.relevant_in_words} "
                "as relevant."
            )
        return float(np.min(counted))

    @property
    def relevant_in_words(self) -> str:
        """Description of which test ratings are relevant."""
        if isinstance(self.relevant, float):
            return f"test ratings of at least {self.relevant:g}"
        return _RELEVANT[self.relevant]

    @property
    def users_in_words(self) -> str:
        """Description of the evaluated users."""
        return USERS_IN_WORDS[self.users]

    def describe(self) -> str:
        """Return all definitions of the dialect in words.

        Examples
        --------
        >>> from receval.metrics.dialects import dialect
        >>> print(dialect("recbole").describe().splitlines()[0])
        RecBole 1.2.1 (recbole)
        """
        lines = [
            f"{self.tool} {self.version} ({self.name})",
            f"  relevant: {self.relevant_in_words}",
            f"  averaged: {self.users_in_words}",
            f"  equal scores: {self.ties_in_words}",
        ]
        if self.negative_is_unjudged:
            lines.append("  ratings below 0: not judged")
        lines += [f"  not imitated: {caveat}" for caveat in self.caveats]
        for entry in self.entries:
            lines.append(f"{entry.form}: {metric_in_words(parse(entry.label))}")
            if entry.users is not None:
                lines.append(f"  averaged: {USERS_IN_WORDS[entry.users]}")
            if entry.note:
                lines.append(f"  {entry.note}")
        others = {**self.of_lists, **self.of_ratings}
        lines += [f"{name}: in receval {told}" for name, told in others.items()]
        lines += [f"{name}: not under this name: {why}" for name, why in self.refused.items()]
        lines.append(f"Read in: {', '.join(self.sources)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()

    def _entry(self, asked: ToolName, text: str) -> ToolMetric:
        found = [entry for entry in self.entries if asked.means((entry.name, *entry.aliases))]
        if not found:
            raise ValueError(self._unknown(asked, text))
        for entry in found:
            if entry.cutoff == "optional" or (entry.cutoff == "needed") == bool(asked.cutoff):
                return entry
        own = found[0].name
        if asked.cutoff:
            raise ValueError(f"{own} of {self.tool} has no cut-off. Write {own}.")
        raise ValueError(
            f"{own} of {self.tool} needs a cut-off. Write {own.partition(' ')[0]}@10, for example."
        )

    def names_otherwise(self, name: str, metric: str) -> bool:
        """Tell whether the tool calls another metric than one of receval by its name."""
        asked = ToolName.of(name).plain
        others = {**self.of_lists, **self.of_ratings}
        told = {plain_tool_name(own): said for own, said in others.items()}
        known = {*told, *map(plain_tool_name, self.refused)}
        known |= {ToolName.of(entry.name).plain for entry in self.entries}
        return asked in known and told.get(asked) != metric

    def own_label(self, metric: BaseMetric) -> str:
        """Return the label of a metric of receval, with brackets where the tool has its name.

        Examples
        --------
        >>> from receval.metrics.dialects import dialect
        >>> dialect("elliot").own_label(parse_any("MSE"))
        'MSE(over=ratings)'
        """
        name, at, cutoff = metric.label.partition("@")
        if "(" in name or not self.names_otherwise(metric.label, name):
            return metric.label
        return f"{name}({first_default(metric)}){at}{cutoff}"

    def _unknown(self, asked: ToolName, text: str) -> str:
        for what, cutoff, names in (
            ("whole lists", "@10", self.of_lists),
            ("predicted ratings", "", self.of_ratings),
        ):
            for name, told in names.items():
                if asked.plain == plain_tool_name(name):
                    label = _first_label(told).replace("...", "genre")
                    own = self.own_label(parse_any(f"{label}{cutoff}"))
                    return (
                        f"{name} of {self.tool} is a metric of {what}, whose names are receval's "
                        f"in every dialect: it is {told}. Write {own}, for example; parameters in "
                        "brackets say that a metric is receval's."
                    )
        for name, why in self.refused.items():
            if asked.plain == plain_tool_name(name):
                return f"{self.tool} has {name}, but receval has no metric of this name: {why}."
        for entry in self.entries:
            if asked.plain == ToolName.of(entry.name).plain:
                return (
                    f"{self.tool} has {entry.form}, but receval cannot compute it with "
                    f"{' '.join(sorted(asked.options)) or 'no option'}. The available metrics are "
                    f"{', '.join(one.form for one in self.entries)}."
                )
        by_plain = {
            plain_tool_name(entry.name.partition(" ")[0]): entry.form for entry in self.entries
        }
        near = get_close_matches(asked.plain, list(by_plain), n=3, cutoff=0.5)
        mean = f"did you mean {' or '.join(by_plain[one] for one in near)}? There are" * bool(near)
        forms = ", ".join(entry.form for entry in self.entries)
        return f"{self.tool} has no metric {quoted(text)}; {mean or 'there are'} {forms}."


def _first_label(told: str) -> str:
    """Return the label with which words on a metric of receval begin, or the first in them.

    Examples
    --------
    >>> _first_label("1 minus Gini(denominator=others)"), _first_label("ARP, times two")
    ('Gini(denominator=others)', 'ARP')
    """
    found = re.search(r"[A-Z]\w+(?:\([^)]*\))?", told)
    assert found is not None, told
    return found[0]


def _entry(name: str, described: str | dict[str, Any]) -> ToolMetric:
    """Return a metric of a tool from its label alone, or from a table of fields."""
    if isinstance(described, str):
        return ToolMetric(name, described)
    aliases = tuple(described.pop("aliases", ()))
    return ToolMetric(name, aliases=aliases, **described)


def _dialects() -> dict[str, Dialect]:
    """Return all dialects by name, read from ``dialects.toml`` beside this module."""
    tools = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for tool in tools.values():
        tool["entries"] = tuple(_entry(*metric) for metric in tool.pop("metrics").items())
        tool["refused"] = {name: why for why, *names in tool.get("refused", ()) for name in names}
        tool |= {field: tuple(tool.get(field, ())) for field in ("sources", "caveats")}
    return {name: Dialect(name=name, **tool) for name, tool in tools.items()}


DIALECTS = _dialects()
"""Dialects by name, in the order of messages and pages."""

_OTHER_NAMES = {
    "pytreceval": "trec_eval",
    "lenskit2025": "lenskit",
    "librec2": "librec-2.0",
    "librec": "librec-2.0",
    "librec3": "librec-3.0",
    "microsoft": "recommenders",
}


@checked_arguments
def dialect(name: str | Dialect) -> Dialect:
    """Return a dialect by its name.

    Parameters
    ----------
    name : str or Dialect
        Such as ``recbole``; case and punctuation do not matter. A dialect is returned unchanged.

    Raises
    ------
    ValueError
        There is no such dialect; the message suggests similar names.

    Examples
    --------
    >>> dialect("RecBole").metric("ndcg@10").label
    'nDCG(gain=binary)@10'
    >>> dialect("elliott")
    Traceback (most recent call last):
    ValueError: There is no dialect 'elliott'; did you mean elliot? There are recbole, elliot, ...
    """
    if isinstance(name, Dialect):
        return name
    by_plain = {plain_tool_name(own): own for own in DIALECTS} | _OTHER_NAMES
    own = by_plain.get(plain_tool_name(name))
    if own is None:
        near = get_close_matches(plain_tool_name(name), list(by_plain), n=3, cutoff=0.6)
        likely = dict.fromkeys(by_plain[one] for one in near)
        mean = f"did you mean {' or '.join(likely)}? There are" if likely else "there are"
        raise ValueError(f"There is no dialect {quoted(name)}; {mean} {', '.join(DIALECTS)}.")
    return DIALECTS[own]
