"""Many metrics at many cut-offs in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from receval.metrics.list_view import NO_CUTOFF, ListView
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric


def evaluate(metrics: Sequence[Metric], lists: JudgedLists) -> NDArray[np.float64]:
    """Compute metrics for every list.

    Metrics that differ in their cut-off alone are computed together, and all share the lists'
    condensed and cut forms.

    Parameters
    ----------
    metrics : sequence of Metric
    lists : JudgedLists

    Returns
    -------
    ndarray of float64, shape (n_metrics, n_lists)
        In the order of ``metrics``. Under AR the columns are the users of the dataset, under 1R
        the relevant judgments.

    Raises
    ------
    ValueError
        A metric counts judged non-relevant items, or condenses lists, and the lists are those of
        1R.

    Examples
    --------
    Item 3 is relevant to both users. It is second in the list of user 0, behind an item that this
    user does not like, and fourth in that of user 1:

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
    for metric in metrics:
        if lists.one_relevant and metric.refused_under_1r:
            raise ValueError(
                f"{metric.label} needs all judgments of a list, but under 1R a list is known by "
                "its relevant item alone: measure it under AR."
            )
    return evaluate_views(metrics, lists.view)


def evaluate_views(
    metrics: Sequence[Metric], view: Callable[[bool, int | None], ListView]
) -> NDArray[np.float64]:
    """Compute metrics for every list of the views that they ask for.

    Parameters
    ----------
    metrics : sequence of Metric
        At least one.
    view : callable
        ``view(condensed, depth)`` returns the lists in that form, always the same object.

    Returns
    -------
    ndarray of float64, shape (n_metrics, n_lists)
    """
    families: dict[Metric, list[int]] = {}
    for index, metric in enumerate(metrics):
        families.setdefault(metric.at(None), []).append(index)
    values: NDArray[np.float64] | None = None
    for family, indices in families.items():
        wanted = [metrics[index].cutoff or NO_CUTOFF for index in indices]
        cutoffs = tuple(sorted(set(wanted)))
        lists = view(family.condensed, family.depth)
        rows = family.per_list(lists, cutoffs)
        if values is None:
            values = np.empty((len(metrics), lists.n_lists))
        for index, cutoff in zip(indices, wanted, strict=True):
            values[index] = rows[cutoffs.index(cutoff)]
    if values is None:
        raise ValueError("There is no metric to compute: name at least one.")
    return values
