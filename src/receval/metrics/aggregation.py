"""One value for all users, or for all lists under 1R: who is averaged is part of the result."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from receval.metrics.averages import Arithmetic, Average
from receval.metrics.lists import JudgedLists

EvaluatedUsers = Literal["all", "tested", "relevant", "covered"]


def evaluated_lists(lists: JudgedLists, evaluated_users: EvaluatedUsers) -> NDArray[np.bool_]:
    r"""Return which lists enter an average.

    Parameters
    ----------
    lists : JudgedLists
    evaluated_users : {"all", "tested", "relevant", "covered"}
        - ``all``: every user of the dataset (bellogin2017's :math:`avg_{u \in U}`)
        - ``tested``: users with a test rating (trec_eval's topics); the full average of
          canamares2020
        - ``relevant``: users with a relevant test rating
        - ``covered``: users with a test rating and a list that is not empty; the reduced average
          of canamares2020

        Under 1R the lists of relevant judgments are averaged, so the first three agree.

    Returns
    -------
    ndarray of bool, shape (n_lists,)
    """
    view = lists.full
    if evaluated_users == "all":
        return np.ones(view.n_lists, dtype=bool)
    if evaluated_users == "tested":
        return view.n_judged > 0
    if evaluated_users == "relevant":
        return view.n_relevant > 0
    if evaluated_users == "covered":
        return (view.n_judged > 0) & (view.lengths > 0)
    raise ValueError(
        f"There is no set of users {evaluated_users!r} to average; "
        "there are all, tested, relevant and covered."
    )


def aggregate(
    values: NDArray[np.float64],
    lists: JudgedLists,
    average: Average,
    evaluated_users: EvaluatedUsers = "tested",
) -> NDArray[np.float64]:
    r"""Average per-list values.

    Under P1R each popularity percentile is averaged first, then the :math:`m` averages, of which
    percentiles without a list have none (bellogin2017, section 6.1).

    Parameters
    ----------
    values : ndarray of float64, shape (n_metrics, n_lists)
        What :func:`receval.metrics.evaluation.evaluate` returns.
    lists : JudgedLists
    average : Average
        From :mod:`receval.metrics.averages`.
    evaluated_users : {"all", "tested", "relevant", "covered"}
        See :func:`evaluated_lists`.

    Returns
    -------
    ndarray of float64, shape (n_metrics,)

    Raises
    ------
    ValueError
        No list is left to average.
    """
    chosen = evaluated_lists(lists, evaluated_users)
    if not chosen.any():
        why = "all lists are empty" if lists.full.n_judged.any() else "nothing is judged"
        raise ValueError(f"No list is left to average over {evaluated_users} users: {why}.")
    view = lists.full
    if lists.percentiles is None:
        return average.of(values[:, chosen], view.n_judged[chosen], view.n_relevant[chosen])
    by_percentile = []
    for percentile in np.unique(lists.percentiles[chosen]):
        own = chosen & (lists.percentiles == percentile)
        by_percentile.append(average.of(values[:, own], view.n_judged[own], view.n_relevant[own]))
    averaged_twice: NDArray[np.float64] = np.mean(by_percentile, axis=0)
    return averaged_twice


def mean(
    values: NDArray[np.float64], lists: JudgedLists, evaluated_users: EvaluatedUsers = "tested"
) -> NDArray[np.float64]:
    """Average per-list values arithmetically; see :func:`aggregate`.

    Examples
    --------
    Of three users the last has no test rating, and is averaged only where all are:

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
