# SPDX-License-Identifier: MIT
r"""Compute exact expected metrics on sampled candidates from the ranks among all candidates.

If K of a user's M non-relevant candidates are ranked above a relevant item, then :math:`H \sim
Hypergeometric(M, K, s)` of them are above it in a sample :math:`N_u` of size s. So the ranks under
AR with all candidates (AN) determine a system's expected values under sampled candidates (NN),
without any sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.metrics.evaluation import evaluate_views
from receval.metrics.lists import DatasetMetadata, JudgedItems, JudgedLists, ListView, view_of
from receval.metrics.metric import Metric
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold
from receval.storage.kernel_cache import njit
from receval.theory.precision import TargetDensities

# The sums of single metrics end at smaller probabilities than the default of the moments.
_NEGLIGIBLE = 1e-25


@dataclass(frozen=True)
class SamplingOdds:
    """The numbers that determine the distribution of each relevant item's rank among samples.

    Users and values are those of the relevant test ratings, in the order of the fold's test
    ratings, like 1R lists. `above` is the number K of non-relevant candidates above each, and
    `relevant_above` that of relevant items; -1 where it is not ranked. `pools`, of shape
    (n_users,), are the numbers M of non-relevant candidates. They include those without a score,
    which are ranked above no item; `all_computable` says whether there are none.
    """

    users: NDArray[np.int64]
    values: NDArray[np.float32]
    above: NDArray[np.int64]
    relevant_above: NDArray[np.int64]
    pools: NDArray[np.int64]
    all_computable: bool
    threshold: float
    maximum_rating: float | None

    @classmethod
    def of(cls, fold: Fold, lists: JudgedLists, protocol: Protocol) -> Self:
        """Compute the odds from lists of all candidates, under an AR AN protocol.

        Samples are drawn from its base candidates. Lists of another protocol or fold are refused,
        and so are protocols whose order of ties depends on the whole list.
        """
        if protocol.relevant != "AR" or protocol.sampled is not None:
            raise ValueError(
                "The odds of sampled candidates are computed from ranks among all candidates, but "
                f"the lists are those of {protocol.name}. Give those of AR with sampled=None."
            )
        if protocol.ties == "librec":
            raise ValueError(
                "LibRec's order of ties depends on the whole list, so it does not determine the "
                "order in a sample. Rank with the ties random or index."
            )
        view = lists.full
        before = view.relevant_above
        judged = view.judged
        other_fold = (
            "A relevant item has more candidates above it than its user has, so the lists are not "
            f"those of this fold under {protocol.name}."
        )
        if judged.positions.max(initial=-1) >= len(fold.test):
            raise ValueError(other_fold)
        relevant_above = np.full(len(fold.test), -1, dtype=np.int64)
        above = np.full(len(fold.test), -1, dtype=np.int64)
        found = judged.positions[view.indices]
        relevant_above[found] = before
        above[found] = view.ranks - 1 - before
        rows = np.sort(judged.positions[judged.relevant])
        pools = TargetDensities.of(fold, protocol, judged.threshold).pools
        users = fold.test.users[rows].astype(np.int64)
        if np.any(above[rows] > pools[users]):
            raise ValueError(other_fold)
        return cls(
            users=users,
            values=fold.test.values[rows],
            above=above[rows],
            relevant_above=relevant_above[rows],
            pools=pools,
            all_computable=lists.computable_share == 1,
            threshold=judged.threshold,
            maximum_rating=judged.maximum_rating,
        )

    @classmethod
    def of_all_folds(cls, folds: Sequence[SamplingOdds]) -> Self:
        """Join the odds of all folds, with separate users for each fold.

        The codes of users in fold n are shifted by n times the number of users.
        """
        first = np.cumsum([0, *(len(own.pools) for own in folds)])
        return cls(
            users=np.concatenate([own.users + n for own, n in zip(folds, first[:-1], strict=True)]),
            values=np.concatenate([own.values for own in folds]),
            above=np.concatenate([own.above for own in folds]),
            relevant_above=np.concatenate([own.relevant_above for own in folds]),
            pools=np.concatenate([own.pools for own in folds]),
            all_computable=all(own.all_computable for own in folds),
            threshold=folds[0].threshold,
            maximum_rating=folds[0].maximum_rating,
        )


def expected_under_one_relevant(
    odds: SamplingOdds, metric: Metric, sampled: int
) -> NDArray[np.float64]:
    r"""Return the expected value of a metric for every list under 1R NN.

    .. math:: E[M(T_u^r)] = \sum_{h} Pr[H = h]\, M(\text{one relevant item at rank } h + 1)

    This holds for any metric that can be measured under 1R, since its value depends only on the
    rank of the one relevant item and the length of the list. If some scores cannot be computed, the
    length is random, and metrics that depend on it are refused. A user with fewer candidates than
    `sampled`, :math:`s = |N_u|`, gets all of them.

    The values, of shape (n_lists,), are in the order of those that
    :func:`receval.metrics.evaluation.evaluate` returns for 1R lists. The metric's value is their
    plain average.

    Examples
    --------
    The relevant item is second of five candidates. With probability one half, the item above it is
    not among two samples of the four others, and the relevant item is first:

    >>> from receval.metrics.precision_and_recall import Precision
    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.data.ratings import summed_matrix
    >>> from receval.splits.split import Judgments
    >>> test = Judgments.from_pairs([0], [3], [5], n_users=1)
    >>> fold = Fold(summed_matrix([0], [0], [4], shape=(1, 6)), test)
    >>> two, five = np.array([2], dtype=np.int32), np.array([5], dtype=np.int32)
    >>> protocol = Protocol("AR", "AI")
    >>> lists = JudgedLists.of(test, JudgedRanks(two, five, five), 4, protocol)
    >>> odds = SamplingOdds.of(fold, lists, protocol)
    >>> expected_under_one_relevant(odds, Precision(cutoff=1), sampled=2).round(12).tolist()
    [0.5]
    """
    if metric.refused_under_1r:
        raise ValueError(
            f"{metric.label} needs all judgments of a list, but under 1R only the relevant item of "
            "a list is known. Measure it under AR."
        )
    refuse_weights_of_items(odds, metric)
    sizes = np.minimum(sampled, odds.pools)[odds.users]
    ratings, rating_of = np.unique(odds.values, return_inverse=True)
    kinds, row_of = np.unique(sizes * len(ratings) + rating_of, return_inverse=True)
    width = int(sizes.max(initial=0)) + 1
    table = np.empty((len(kinds), width + 1))
    for row, kind in enumerate(kinds):
        size, index = divmod(int(kind), len(ratings))
        value = float(ratings[index])
        table[row] = values_of_one_item(odds, metric, value, _lengths(size, width))
        if not odds.all_computable:
            shorter = values_of_one_item(odds, metric, value, _lengths(0, width))
            ranks = slice(0, size + 2)
            if not np.array_equal(table[row, ranks], shorter[ranks]):
                raise ValueError(
                    f"{metric.label} depends on the length of lists, which is random if some "
                    "scores cannot be computed. Give the metric a cut-off."
                )
    return expected_of_ranks(odds, table[:, :, None], sampled, row_of, _NEGLIGIBLE)[:, 0]


def _lengths(size: int, width: int) -> NDArray[np.int64]:
    """Return the lengths of lists of a sample, without and with the relevant item."""
    return np.where(np.arange(width + 1) > 0, size + 1, size)


def refuse_weights_of_items(odds: SamplingOdds, metric: Metric) -> None:
    """Refuse a metric whose value depends on which item is the relevant one."""
    alone, among_others = (
        values_of_one_item(odds, metric, odds.threshold, np.ones(2, dtype=np.int64), popularity)
        for popularity in ((1,), (1, 9))
    )
    if not np.array_equal(alone, among_others):
        raise ValueError(
            f"{metric.label} depends on which item is relevant, and not only on its rank. Measure "
            "it with rv.evaluate or rv.evaluate_runs, or choose Recall."
        )


def values_of_one_item(
    odds: SamplingOdds,
    metric: Metric,
    rating: float,
    lengths: NDArray[np.int64],
    popularity: tuple[int, ...] = (1,),
) -> NDArray[np.float64]:
    """Return a metric's values if the relevant item is not ranked, or at rank 1, 2, ... of a list.

    A list is as long as is said for its rank, or longer if the rank is beyond that length. The
    relevant item is the first of those whose popularity is given.
    """
    ranks = np.arange(len(lengths))
    judged = JudgedItems(
        starts=np.arange(len(ranks) + 1, dtype=np.int64),
        values=np.full(len(ranks), rating, dtype=np.float32),
        relevant=np.ones(len(ranks), dtype=bool),
        positions=ranks,
        threshold=odds.threshold,
        metadata=DatasetMetadata(odds.maximum_rating, np.array(popularity, dtype=np.int64)),
        items=np.zeros(len(ranks), dtype=np.int32),
    )
    full = ListView.of(judged, ranks, np.maximum(lengths, ranks))
    (values,) = evaluate_views([metric], lambda condensed, depth: view_of(full, condensed, depth))
    return values


def expected_precision_among_samples(
    odds: SamplingOdds, cutoff: int, sampled: int
) -> NDArray[np.float64]:
    r"""Return the expected P@n of every user under AR NN, with s samples.

    .. math:: E[P^u@n] = \frac1n \sum_{i \in PR_{test}(u)} Pr[1 + r_i + H_i \le n]

    with :math:`r_i` the number of relevant items above i, which are in every target set. A user
    with fewer candidates than s gets all of them.
    """
    # Row r is 1 where an item below r relevant and h non-relevant items is among the first n.
    table = np.zeros((cutoff + 1, sampled + 2))
    for relevant_above in range(cutoff):
        table[relevant_above, 1 : 1 + cutoff - relevant_above] = 1
    row_of = np.clip(odds.relevant_above, 0, cutoff)
    hits = expected_of_ranks(odds, table[:, :, None], sampled, row_of, _NEGLIGIBLE)[:, 0]
    return np.bincount(odds.users, weights=hits, minlength=len(odds.pools)) / cutoff


def expected_of_ranks(
    odds: SamplingOdds,
    tables: NDArray[np.float64],
    sampled: int,
    rows: NDArray[np.integer] | None = None,
    negligible: float = 1e-20,
) -> NDArray[np.float64]:
    r"""Return the expected values of functions of the rank among samples, for every relevant item.

    .. math:: E[g(1 + H)] = \sum_h \Pr[H = h]\, g(1 + h), \qquad
        H \sim \mathrm{Hypergeometric}(M, K, s)

    with K of the M non-relevant candidates above the item, and a sample of size s; a user with
    fewer candidates gets all of them. (Krichene and Rendle 2020, section 4. They sample with
    replacement; this function samples without, as evaluations do.)

    The tables, of shape (n_ranks, n_functions), have values by rank; index 0 is for an item that is
    not ranked. There must be at least ``min(sampled, largest pool) + 2`` ranks. Where items have
    different tables, these have the shape (n_tables, n_ranks, n_functions), and `rows` the table of
    each item. Sums end at probabilities that are `negligible`, as a share of the largest one. The
    result has shape (n_items, n_functions).
    """
    pools = odds.pools[odds.users]
    sizes = np.minimum(sampled, pools)
    if rows is None:
        tables, rows = tables[np.newaxis], np.zeros(len(pools), dtype=np.int64)
    return _expected(odds.above, pools, sizes, rows, tables, negligible)


@njit(cache=True)
def _expected(
    above: NDArray[np.int64],
    pools: NDArray[np.int64],
    sizes: NDArray[np.int64],
    rows: NDArray[np.int64],
    tables: NDArray[np.float64],
    negligible: float,
) -> NDArray[np.float64]:
    """Compute the expectations from the mode outwards, by ratios of neighbouring probabilities.

    They are divided by their sum, which avoids the rounding errors of logarithms of factorials.
    """
    n_functions = tables.shape[2]
    expected = np.zeros((len(above), n_functions))
    for item in range(len(above)):
        table = tables[rows[item]]
        good = above[item]
        if good < 0:
            expected[item] = table[0]
            continue
        bad = pools[item] - good
        size = sizes[item]
        low, high = max(0, size - bad), min(good, size)
        mode = min(max((size + 1) * (good + 1) // (pools[item] + 2), low), high)
        total = 1.0
        for column in range(n_functions):
            expected[item, column] = table[mode + 1, column]
        weight = 1.0
        for hits in range(mode, high):
            weight *= (good - hits) * (size - hits) / ((hits + 1.0) * (bad - size + hits + 1))
            if weight < negligible:
                break
            total += weight
            for column in range(n_functions):
                expected[item, column] += weight * table[hits + 2, column]
        weight = 1.0
        for hits in range(mode, low, -1):
            weight *= hits * (bad - size + hits) / ((good - hits + 1.0) * (size - hits + 1))
            if weight < negligible:
                break
            total += weight
            for column in range(n_functions):
                expected[item, column] += weight * table[hits, column]
        for column in range(n_functions):
            expected[item, column] /= total
    return expected
