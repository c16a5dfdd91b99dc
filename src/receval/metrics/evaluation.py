# SPDX-License-Identifier: MIT
"""Compute many metrics at many cut-offs in one pass, and average them over users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.averages import Arithmetic, Average
from receval.metrics.lists import NO_CUTOFF, JudgedItems, JudgedLists, ListView, view_of
from receval.metrics.metric import Metric, WeightedMean
from receval.storage.kernel_cache import njit
from receval.storage.messages import quoted


def evaluate(metrics: Sequence[Metric], lists: JudgedLists) -> NDArray[np.float64]:
    """Compute metrics for every list.

    Metrics that differ only in their cut-off are computed together, and all metrics share the
    condensed and cut lists.

    Returns
    -------
    ndarray of float64, shape (n_metrics, n_lists)
        Rows in the order of ``metrics``. The columns are the users of the dataset under AR, and the
        relevant judgments under 1R.

    Raises
    ------
    ValueError
        The lists are those of 1R, and a metric counts judged non-relevant items or condenses lists.

    Examples
    --------
    Item 3 is relevant to both users. It has rank 2 in the list of user 0, below an item that is not
    relevant, and rank 4 in the list of user 1:

    >>> from receval.metrics.registry import parse
    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.protocols.protocol import Protocol
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs([0, 0, 1], [3, 7, 3], [5, 1, 4], n_users=2)
    >>> ranks = JudgedRanks(
    ...     ranks=np.array([2, 1, 4], dtype=np.int32),
    ...     lengths=np.array([10, 10], dtype=np.int32),
    ...     candidates=np.array([10, 10], dtype=np.int32),
    ... )
    >>> lists = JudgedLists.of(judgments, ranks, threshold=4, protocol=Protocol())
    >>> evaluate([parse("RR"), parse("P@2"), parse("antiP@2")], lists).tolist()
    [[0.5, 0.25], [0.5, 0.0], [0.5, 0.0]]
    """
    values, weights = values_and_weights(metrics, lists)
    for index, of_metric in weights.items():
        values[index] = WeightedMean(values[index], of_metric).contributions
    return values


def values_and_weights(
    metrics: Sequence[Metric], lists: JudgedLists
) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]]]:
    """Compute metrics as :func:`evaluate`, but those that are weighted means without weights.

    The weights of these are returned by their places among the metrics.
    """
    for metric in metrics:
        if lists.one_relevant and metric.refused_under_1r:
            raise ValueError(
                f"{metric.label} needs all judgments of a list, but under 1R only the relevant "
                "item of a list is known. Measure it under AR."
            )
    _check(metrics, lists.full.judged)
    values = np.empty((len(metrics), lists.full.n_lists))
    # In blocks, because intermediate results of all judged items may exceed the memory.
    weights: dict[int, NDArray[np.float64]] = {}
    for rows in lists.full.judged.blocks_of_rows():
        view = cache(partial(view_of, lists.full.of_rows(rows)))
        _evaluate_into(values[:, rows], metrics, view)
        for index, metric in enumerate(metrics):
            own = metric.weights(view(metric.condensed, metric.depth))
            if own is not None:
                weights.setdefault(index, np.empty(lists.full.n_lists))[rows] = own
    return values, weights


def evaluate_views(
    metrics: Sequence[Metric], view: Callable[[bool, int | None], ListView]
) -> NDArray[np.float64]:
    """Compute metrics for every list, given a function that returns lists in each form.

    ``view(condensed, depth)`` returns the lists in that form, the same object for equal arguments.
    Shape (n_metrics, n_lists). Metrics with weights are refused, because the lists may be of
    several systems.
    """
    for metric in metrics:
        if metric.weights(view(metric.condensed, metric.depth)) is not None:
            raise ValueError(
                f"{metric.label} is a weighted mean over all lists of one system, so it has no "
                "value of a list alone. Choose AUC, for example."
            )
    _check(metrics, view(False, None).judged)
    values = np.empty((len(metrics), view(False, None).n_lists))
    _evaluate_into(values, metrics, view)
    return values


def _check(metrics: Sequence[Metric], judged: JudgedItems) -> None:
    if not metrics:
        raise ValueError("There is no metric to compute: name at least one.")
    for metric in metrics:
        metric.check_judged(judged)


@lru_cache(maxsize=1024)
def _at(metric: Metric, cutoff: int | None) -> Metric:
    return metric.at(cutoff)


def _evaluate_into(
    values: NDArray[np.float64],
    metrics: Sequence[Metric],
    view: Callable[[bool, int | None], ListView],
) -> None:
    families: dict[Metric, list[int]] = {}
    for index, metric in enumerate(metrics):
        families.setdefault(_at(metric, None), []).append(index)
    for family, indices in families.items():
        wanted = [metrics[index].cutoff or NO_CUTOFF for index in indices]
        cutoffs = tuple(sorted(set(wanted)))
        lists = view(family.condensed, family.depth)
        # Most judged items are far below the cut-offs.
        if not family.condensed and _at(family, cutoffs[-1]).reach in cutoffs[-1:]:
            lists = lists.within(cutoffs[-1])
        rows = family.per_list(lists, cutoffs)
        for index, cutoff in zip(indices, wanted, strict=True):
            values[index] = rows[cutoffs.index(cutoff)]


EvaluatedUsers = Literal["all", "tested", "relevant", "covered", "relevant-covered"]


def evaluated_lists(lists: JudgedLists, evaluated_users: EvaluatedUsers) -> NDArray[np.bool_]:
    r"""Return which lists are averaged.

    Parameters
    ----------
    evaluated_users : {"all", "tested", "relevant", "covered", "relevant-covered"}
        - ``all``: every user of the dataset (:math:`avg_{u \in U}` of Bellogín et al. 2017)
        - ``tested``: users with a test rating (trec_eval's topics); the full average of
          Cañamares et al. (2020)
        - ``relevant``: users with a relevant test rating
        - ``covered``: users with a test rating and a list that is not empty; the reduced average
          of Cañamares et al. (2020)
        - ``relevant-covered``: users with a relevant test rating and a list that is not empty

        Under 1R every list has a relevant judgment, so the first three are equal.
    """
    view = lists.full
    if evaluated_users == "all":
        return np.ones(view.n_lists, dtype=bool)
    if evaluated_users == "tested":
        return lists.is_tested
    if evaluated_users == "relevant":
        return view.n_relevant > 0
    if evaluated_users == "covered":
        return lists.is_tested & (view.lengths > 0)
    if evaluated_users == "relevant-covered":
        return (view.n_relevant > 0) & (view.lengths > 0)
    raise ValueError(
        f"There is no set of users {quoted(evaluated_users)} to average. The sets are all, tested, "
        "relevant, covered and relevant-covered."
    )


def aggregate(
    values: NDArray[np.float64],
    lists: JudgedLists,
    average: Average,
    evaluated_users: EvaluatedUsers = "tested",
) -> NDArray[np.float64]:
    """Average per-list values, shape (n_metrics, n_lists), as :func:`evaluate` returns them.

    Under P1R, each popularity percentile is averaged first, and then the averages of all
    percentiles with a list (Bellogín et al. 2017, section 6.1). Without a list to average, a
    ValueError says why there is none.
    """
    chosen = evaluated_lists(lists, evaluated_users)
    if not chosen.any():
        why = "all lists are empty" if lists.full.n_judged.any() else "nothing is judged"
        raise ValueError(f"No list is left to average over {evaluated_users} users: {why}.")
    if lists.percentiles is None:
        return _average_of(values, lists, average, chosen)
    by_percentile = [
        _average_of(values, lists, average, chosen & (lists.percentiles == percentile))
        for percentile in np.unique(lists.percentiles[chosen])
    ]
    return np.mean(by_percentile, axis=0)


def _average_of(
    values: NDArray[np.float64], lists: JudgedLists, average: Average, chosen: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Average the values of some lists, at least one."""
    if type(average) is Arithmetic and len(values) > 1:
        return _sums_in_order(values, np.flatnonzero(chosen)) / np.count_nonzero(chosen)
    view = lists.full
    return average.of(values[:, chosen], view.n_judged[chosen], view.n_relevant[chosen])


@njit(cache=True)
def _sums_in_order(values: NDArray[np.float64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum some columns one after the other, as numpy adds up a copy of them, but without one."""
    sums = np.zeros(len(values))
    for row in range(len(values)):
        for column in columns:
            sums[row] += values[row, column]
    return sums


def mean(
    values: NDArray[np.float64], lists: JudgedLists, evaluated_users: EvaluatedUsers = "tested"
) -> NDArray[np.float64]:
    """Average per-list values arithmetically; see :func:`aggregate`.

    Examples
    --------
    The last of three users has no test rating, and is included only with "all":

    >>> from receval.metrics.evaluation import evaluate
    >>> from receval.metrics.registry import parse
    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.protocols.protocol import Protocol
    >>> from receval.splits.split import Judgments
    >>> ranks = JudgedRanks(
    ...     ranks=np.array([1, 2], dtype=np.int32),
    ...     lengths=np.array([10, 10, 0], dtype=np.int32),
    ...     candidates=np.array([10, 10, 0], dtype=np.int32),
    ... )
    >>> judgments = Judgments.from_pairs([0, 1], [3, 3], [5, 4], n_users=3)
    >>> lists = JudgedLists.of(judgments, ranks, threshold=4, protocol=Protocol())
    >>> values = evaluate([parse("RR")], lists)
    >>> mean(values, lists).tolist(), mean(values, lists, "all").tolist()
    ([0.75], [0.5])
    """
    return aggregate(values, lists, Arithmetic(), evaluated_users)
