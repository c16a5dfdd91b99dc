"""Many metrics at many cut-offs in one pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from receval.metrics.lists import NO_CUTOFF, JudgedLists
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
    """
    for metric in metrics:
        if lists.one_relevant and (metric.needs_all_judgments or metric.condensed):
            raise ValueError(
                f"{metric.label} needs all judgments of a list, but under 1R a list is known by "
                "its relevant item alone: measure it under AR."
            )
    families: dict[Metric, list[int]] = {}
    for index, metric in enumerate(metrics):
        families.setdefault(metric.at(None), []).append(index)
    values = np.empty((len(metrics), lists.full.n_lists))
    for family, indices in families.items():
        wanted = [metrics[index].cutoff or NO_CUTOFF for index in indices]
        cutoffs = tuple(sorted(set(wanted)))
        view = lists.view(family.condensed, family.depth)
        rows = family.per_list(view, cutoffs)
        values[indices] = rows[[cutoffs.index(cutoff) for cutoff in wanted]]
    return values
