# SPDX-License-Identifier: MIT
"""Metrics from plain functions, of the list of a user or of the ranks of its judged items."""

from __future__ import annotations

import inspect
import io
import pickle
import re
from abc import ABC
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from receval.checked_arguments import checked_arguments
from receval.metrics.lists import NO_CUTOFF, ListView
from receval.metrics.metric import BaseMetric, Metric
from receval.metrics.registry import ALL_METRICS
from receval.metrics.whole_lists.list_metric import ListMetric, RecommendedLists
from receval.storage.messages import quoted, shortened

DEFAULT_LENGTH = 10
"""How many items of a list a function gets by default."""

_ARGUMENTS = {
    "list": ("items", "ratings", "scores"),
    "judged": ("ranks", "ratings", "relevant", "length"),
}


class _Functions(pickle.Pickler):
    """Writes a function as its code and what it is bound to, where pickle writes its name."""

    def reducer_override(self, one: Any) -> Any:
        if not isinstance(one, FunctionType):
            return NotImplemented
        bound = [cell.cell_contents for cell in one.__closure__ or ()]
        parts = (_told(one.__code__), bound, one.__defaults__, one.__kwdefaults__)
        # They are written as items of a list, so that a function may be bound to itself.
        return list, (), None, iter(parts)


def _told(code: CodeType) -> str:
    """Return what a function does. Its source may be missing, or that of others on its line."""
    constants = [
        # The order of a set depends on the process.
        sorted(map(repr, own))
        if isinstance(own, frozenset)
        else _told(own)
        if isinstance(own, CodeType)
        else own
        for own in code.co_consts
    ]
    return repr((code.co_code, code.co_names, constants))


def digest_of_value(value: object) -> str:
    """Return a digest that tells an object from others, also from those that are printed alike."""
    told = io.BytesIO()
    try:
        _Functions(told, protocol=4).dump(value)
    except Exception:
        # What cannot be written is told by its address, which no other process has.
        told.write(object.__repr__(value).encode())
    return sha256(told.getvalue()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(BaseMetric, ABC):
    """What metrics of functions have in common, made by :func:`metric_of_function`."""

    function: Callable[..., float] = field(hash=False)
    called: str
    lower_is_better: bool = False

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name that was given, or that of the function."""
        return self.called

    @property
    def less_is_better(self) -> bool:  # type: ignore[override]
        """Whether lower values are better."""
        return self.lower_is_better

    @property
    def label(self) -> str:
        """The name with the cut-off."""
        return self.called + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def definition(self) -> str:
        """The first line of the function's docstring."""
        lines = (inspect.getdoc(self.function) or "").strip().splitlines()
        return lines[0].rstrip(".") if lines else f"the function {self.called}"

    @property
    def text(self) -> str:
        """A digest of the function's code and of what it is bound to, to tell it from others."""
        return digest_of_value(self.function)

    def _value(self, arguments: tuple[object, ...], n_arguments: int) -> float:
        """Call the function with its first arguments, and check what it returns."""
        try:
            value = self.function(*arguments[:n_arguments])
        except Exception as error:
            raise ValueError(
                f"The function of the metric {self.called} ended in {type(error).__name__}: "
                f"{error}. It must return a number for every list, also for one without a hit."
            ) from error
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not np.isfinite(number):
            raise ValueError(
                f"{self.called} returned {shortened(repr(value), 60)} for a user. It must return a "
                "finite number for every list."
            )
        return number


@dataclass(frozen=True, kw_only=True)
class FunctionOfLists(FunctionMetric, ListMetric):
    """A function of the first items of the list of each user."""

    def _per_user(self, recommended: RecommendedLists) -> NDArray[np.float64]:
        taken = _number_of_arguments(self.function, "list", self.called)
        test, lists = recommended.fold.test, recommended.lists
        ids = recommended.item_ids
        values = np.zeros(len(lists))
        for row, (user, length) in enumerate(zip(lists.users, lists.lengths, strict=True)):
            if not length:
                continue
            judged = slice(test.indptr[user], test.indptr[user + 1])
            codes: tuple[NDArray[Any], ...] = lists.items[row, :length], test.items[judged]
            items, rated = codes if ids is None else (ids[own] for own in codes)
            ratings = dict(zip(rated.tolist(), test.values[judged].tolist(), strict=True))
            values[row] = self._value((items, ratings, lists.scores[row, :length]), taken)
        return values


@dataclass(frozen=True, kw_only=True)
class FunctionOfRanks(FunctionMetric, Metric):
    """A function of the ranks of the judged items of each list."""

    def per_list(self, lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
        taken = _number_of_arguments(self.function, "judged", self.called)
        values = np.zeros((len(cutoffs), lists.n_lists))
        for row, (ranks, ratings, relevant) in enumerate(_judged_of_each(lists)):
            if not len(ranks):
                continue
            for index, cutoff in enumerate(cutoffs):
                length = int(min(lists.lengths[row], cutoff))
                own = ranks if cutoff == NO_CUTOFF else np.where(ranks > cutoff, 0, ranks)
                values[index, row] = self._value((own, ratings, relevant, length), taken)
        return values


def _judged_of_each(
    lists: ListView,
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_]]]:
    """Yield ranks, ratings and relevance of the judged items of each list, the best rated first."""
    judged = lists.judged
    for place, row in enumerate(lists.rows):
        own = slice(int(judged.starts[row]), int(judged.starts[row + 1]))
        ranked = slice(int(lists.starts[place]), int(lists.starts[place + 1]))
        ranks = np.zeros(own.stop - own.start, dtype=np.int32)
        ranks[lists.indices[ranked] - own.start] = lists.ranks[ranked]
        yield ranks, judged.values[own], judged.relevant[own]


@checked_arguments
def metric_of_function(
    function: Any,
    *,
    name: str | None = None,
    cutoff: int | None = None,
    less_is_better: bool = False,
    level: Literal["list", "judged"] = "list",
) -> ListMetric | Metric:
    """Make a metric of a function that is called for each user.

    Its average has the intervals and tests of other metrics. A function that is given to
    ``metrics`` itself is a metric of the first 10 items of lists, under its own name. A function of
    all lists at once, or one that is faster, is a class derived from
    :class:`receval.metrics.whole_lists.list_metric.ListMetric` or
    :class:`receval.metrics.metric.Metric`.

    Parameters
    ----------
    function : callable
        It returns a finite number. At the level ``list`` it is called with ``items``, an array of
        the identifiers of the first items, the best first; ``ratings``, a dict of the user's test
        ratings by identifier; and ``scores`` of the items. At the level ``judged`` it is called
        with ``ranks`` of the user's test items, from 1, and 0 for those that are not in the list or
        below the cut-off; their ``ratings``, in descending order; whether they are ``relevant``;
        and the ``length`` of the list. It may take fewer: only the first ones.
    name : str, optional
        Letters, digits and underscores; by default the name of the function.
    cutoff : int, optional
        The last rank that counts; by default 10 at the level ``list``, and none at the level
        ``judged``.
    less_is_better : bool
        Whether lower values are better.
    level : {"list", "judged"}
        What the function gets. ``judged`` is for any protocol, ``list`` for those with one list of
        all candidates per user. Users with an empty list, or without test items at the level
        ``judged``, have the value 0.

    Returns
    -------
    ListMetric or Metric

    Raises
    ------
    ValueError
        The function has no name that can be printed, or that of a metric of the library; or it
        takes other numbers of arguments.

    Examples
    --------
    >>> def first_is_hit(items, ratings):
    ...     return float(items[0] in ratings)
    >>> metric_of_function(first_is_hit, cutoff=1).label
    'first_is_hit@1'
    >>> metric_of_function(lambda ranks: ranks.max(), name="Last", level="judged").label
    'Last'
    """
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            f"{shortened(repr(function), 60)} is not a function. Give one that returns a number "
            "for the list of a user, or a metric or its name."
        )
    called = name if name is not None else str(getattr(function, "__name__", ""))
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", called):
        raise ValueError(
            f"{quoted(called)} cannot be the name of a metric. Give a name of letters, digits and "
            "underscores: rv.metric_of(function, name='Length')."
        )
    if called in ALL_METRICS:
        raise ValueError(
            f"{called} is a metric of the library. Give the function another name: "
            f"rv.metric_of(function, name='My{called}')."
        )
    _number_of_arguments(function, level, called)
    settings = {"function": function, "called": called, "lower_is_better": less_is_better}
    if level == "judged":
        return FunctionOfRanks(**settings, cutoff=cutoff)
    return FunctionOfLists(**settings, cutoff=DEFAULT_LENGTH if cutoff is None else cutoff)


def _number_of_arguments(function: Callable[..., float], level: str, called: str) -> int:
    """Return how many of the arguments of a level a function takes."""
    given = _ARGUMENTS[level]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1  # A function of C whose arguments are not known, such as len.
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    own = [one for one in parameters if one.kind in positional]
    needed = [one for one in own if one.default is inspect.Parameter.empty]
    if any(one.kind == inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return len(given)
    if not own or len(needed) > len(given):
        raise ValueError(
            f"{called} takes {len(needed)} arguments, but a function at the level {level!r} gets "
            f"at most {len(given)}: {', '.join(given)}."
        )
    # Arguments with a default keep it, unless there is no other.
    return max(1, len(needed))
