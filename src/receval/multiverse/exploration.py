# SPDX-License-Identifier: MIT
"""Compare pairs of systems under every combination of decisions: the multiverse.

Universes that cannot tell any systems apart, as no order matters or users are too few, are found
first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from receval.metrics.lists import JudgedLists
from receval.multiverse.comparisons import PairOfSystems, UserValues
from receval.multiverse.decisions import BOOTSTRAP_SAMPLES, DECISION_NAMES, Configuration
from receval.multiverse.verdicts import CANNOT_TELL, VERDICTS
from receval.notes import Note
from receval.statistics.bootstrap import poisson_resamples
from receval.statistics.pairs import LEVEL
from receval.storage.messages import how_many

Pair = tuple[str, str]

KINDS = {"random": "random-ratio", "user": "user-ratio"}
"""The kind of split in ``splits.yaml`` for each kind of the decision A2."""


class Universes(ABC):
    """The lists of systems under the decisions A1, A2 and B2.

    All other decisions are applied to the judged lists.
    """

    @abstractmethod
    def lists(self, configuration: Configuration, system: str) -> JudgedLists:
        """Return the full lists of a system under a configuration's decisions A1, A2 and B2."""

    @abstractmethod
    def has_train(self, configuration: Configuration) -> NDArray[np.bool_]:
        """Return which users have training ratings under the decisions A1 and A2."""


def explore(
    configurations: Iterable[Configuration],
    universes: Universes,
    pairs: Sequence[Pair],
    generator: np.random.Generator,
    *,
    is_exact: bool = False,
) -> pd.DataFrame:
    """Compare pairs of different systems under given configurations, which may be in any order.

    Everything is computed from the judged ranks under the few combinations of A1, A2 and B2: for
    each, a system's lists are read once, and measured once by each metric. The generator makes the
    bootstrap samples, which are the same for all configurations. If `is_exact`, Wilcoxon's test is
    exact with few differences (:data:`receval.statistics.paired_tests.MOST_RANKED`).

    There is one row per pair and configuration: the systems (``first``, ``second``), the decisions
    in short words, both values (``value``, ``other_value``), for RBP both residuals (``residual``,
    ``other_residual``), the ``difference`` of values, the standardised difference (``effect``),
    ``p``, ``rejected`` (share of bootstrap samples), ``signed_one_minus_p`` and the ``verdict``
    (first, tie or second), as in :class:`receval.multiverse.comparisons.Comparison`.

    A ValueError is raised if a pair names one system twice, there is nothing to compare, or the
    universes lack the data of a configuration.

    Examples
    --------
    Five users have one relevant item each. System A ranks it first for four of them, B for none.
    The differences 1, 1, 1, 1 and 0 have t = 4, which is significant:

    >>> from receval.metrics.lists import JudgedLists
    >>> from receval.protocols.judged_ranks import JudgedRanks
    >>> from receval.splits.split import Judgments
    >>> judgments = Judgments.from_pairs(range(5), range(5), [5] * 5, n_users=5)
    >>> ranks = np.array([[1, 1, 1, 1, 2], [2, 2, 2, 2, 2]], dtype=np.int32)
    >>> class OneSplit(Universes):
    ...     def lists(self, configuration, system):
    ...         of_system = ranks["AB".index(system)]
    ...         judged_ranks = JudgedRanks(of_system, lengths=ranks[1], candidates=ranks[1])
    ...         return JudgedLists.of(judgments, judged_ranks, 4, configuration.protocol)
    ...
    ...     def has_train(self, configuration):
    ...         return np.ones(5, dtype=bool)
    >>> first_ranks = Configuration(metric={"name": "P", "depth": 1})
    >>> found = explore([first_ranks], OneSplit(), [("A", "B")], np.random.default_rng(1))
    >>> found[["value", "other_value", "p_value", "verdict"]].round(3).to_numpy().tolist()
    [[0.8, 0.0, 0.016, 'first']]
    """
    for first, second in pairs:
        if first == second:
            raise ValueError(f"{first} cannot be compared with itself: name two systems.")
    wanted = list(configurations)
    if not wanted or not pairs:
        raise ValueError("There is nothing to compare: give configurations and pairs of systems.")
    systems = list(dict.fromkeys(name for pair in pairs for name in pair))
    resamples: NDArray[np.float64] | None = None
    tables: list[pd.DataFrame] = []
    # Grouped by split before policy, since universes may keep only one split at a time.
    of_splits = grouped(wanted, "selection", "split")
    for of_ranks in (ranks for split in of_splits for ranks in grouped(split, "non_computable")):
        lists = {system: universes.lists(of_ranks[0], system) for system in systems}
        has_train = universes.has_train(of_ranks[0])
        if resamples is None and any(c.test == "bootstrap" for c in wanted):
            resamples = poisson_resamples(len(has_train), BOOTSTRAP_SAMPLES, generator)
        for of_lists in grouped(of_ranks, "lists"):
            labels = list(dict.fromkeys(label for c in of_lists for label in _labels(c)))
            measured = {
                system: UserValues.of(lists[system], labels, of_lists[0].lists)
                for system in systems
            }
            rows: list[dict[str, Any]] = []
            for of_users in grouped(of_lists, "users", "coverage"):
                any_list = lists[systems[0]].full
                tested = grouped(of_users, "aggregation", "test")
                by_pair: list[list[list[dict[str, Any]]]] = []
                # One pair at a time, because a pair stores its users' differences under every
                # aggregation.
                for pair in pairs:
                    with _where(pair, of_users[0]):
                        compared = PairOfSystems(
                            measured[pair[0]],
                            measured[pair[1]],
                            any_list.n_judged,
                            any_list.n_relevant,
                            has_train if of_users[0].users == "trained" else None,
                            of_users[0].coverage,
                            resamples,
                            is_exact=is_exact,
                        )
                    by_pair.append([_rows(each, labels, pair, compared) for each in tested])
                # Ordered by aggregation and test, then by pair.
                rows += chain.from_iterable(chain.from_iterable(zip(*by_pair, strict=True)))
            tables.append(pd.DataFrame(rows))
    return pd.concat(tables, ignore_index=True)


@contextmanager
def _where(pair: Pair, configuration: Configuration) -> Iterator[None]:
    """Add the systems and the universe to the message of an error."""
    try:
        yield
    except ValueError as error:
        raise ValueError(
            f"{pair[0]} and {pair[1]} cannot be compared in the universe {configuration.name}: "
            f"{error}"
        ) from error


def _labels(configuration: Configuration) -> list[str]:
    """Return the labels of the metric and, for RBP, of its residual."""
    residual = configuration.residual_label
    return [configuration.metric_label, *([residual] if residual else [])]


def grouped(configurations: Iterable[Configuration], *decisions: str) -> list[list[Configuration]]:
    """Group configurations that agree in some decisions, in order of appearance."""
    groups: dict[tuple[Any, ...], list[Configuration]] = {}
    for configuration in configurations:
        key = tuple(getattr(configuration, decision) for decision in decisions)
        groups.setdefault(key, []).append(configuration)
    return list(groups.values())


def _rows(
    configurations: Sequence[Configuration],
    labels: Sequence[str],
    pair: Pair,
    compared: PairOfSystems,
) -> list[dict[str, Any]]:
    """Return the rows of configurations that differ only in their metric."""
    one = configurations[0]
    # Not all metrics allow all aggregations: tau has no geometric mean.
    of_values = sorted({labels.index(each.metric_label) for each in configurations})
    of_residuals = [labels.index(c.residual_label) for c in configurations if c.residual_label]
    with _where(pair, one):
        comparison = compared.compared(one.aggregation, one.test, of_values)
    residuals = np.transpose(compared.aggregated(one.aggregation, of_residuals)).tolist()
    by_label = {labels[place]: own for place, own in zip(of_residuals, residuals, strict=True)}
    rows = []
    for each in configurations:
        index = of_values.index(labels.index(each.metric_label))
        residual, other_residual = by_label.get(each.residual_label or "", (np.nan, np.nan))
        rows.append(
            {
                "first": pair[0],
                "second": pair[1],
                **each.levels,
                "value": comparison.first[index],
                "other_value": comparison.second[index],
                "residual": residual,
                "other_residual": other_residual,
                "difference": comparison.difference[index],
                "effect": comparison.effect[index],
                "p_value": comparison.p[index],
                "rejected": comparison.rejected[index],
                "signed_one_minus_p": comparison.signed_one_minus_p[index],
                "verdict": VERDICTS[int(comparison.verdict[index])],
            }
        )
    return rows


REASONS = {
    "no order": "every order has the same value for every user, because all test items of "
    "condensed lists are relevant, or because no list is longer than the cut-off, so only the "
    "choice of items with a score is measured",
    "few users": "too few users can have different values for the test to reach the level .05, "
    "however much they differ",
}
"""Explanations of the values of the column ``reason``."""

_WITHOUT_GAIN = 1.0
"""The rating whose exponential gain is that of unjudged items."""


def users_whose_order_counts(
    lists: Sequence[JudgedLists], configuration: Configuration
) -> NDArray[np.bool_]:
    """Return the users for whom another order of the same candidates could change the value.

    For condensed lists with a binary gain, these are users with a relevant and a non-relevant test
    item; with grades, and for RBO and tau, users with two different ratings. In full lists,
    unjudged items have no gain. For P, the list must also be longer than the cut-off.
    """
    judged = lists[0].full.judged
    n_judged, n_relevant = judged.n_judged, judged.n_relevant
    is_condensed = configuration.lists == "condensed"
    # Systems may score only some candidates, so the longest list is used.
    lengths = np.max([own.full.lengths for own in lists], axis=0)
    sizes = n_judged if is_condensed else np.maximum(lengths, n_judged)
    metric = configuration.metric
    if metric.name in ("RBO", "tau") or metric.gain == "g2":
        lowest, highest = (np.zeros(len(n_judged)) for _ in range(2))
        rows = np.flatnonzero(n_judged > 0)
        starts = judged.starts[rows]
        # No gain is below that of unjudged items.
        values = np.maximum(judged.values, _WITHOUT_GAIN) if metric.gain == "g2" else judged.values
        if len(rows):
            lowest[rows] = np.minimum.reduceat(values, starts)
            highest[rows] = np.maximum.reduceat(values, starts)
        if not is_condensed:
            has_unjudged = sizes > n_judged
            lowest = np.where(has_unjudged, np.minimum(lowest, _WITHOUT_GAIN), lowest)
            highest = np.where(has_unjudged, np.maximum(highest, _WITHOUT_GAIN), highest)
        counts: NDArray[np.bool_] = (n_judged > 0) & (lowest < highest)
        if metric.name == "nDCG":
            # It is 0 if the ideal list has no gain.
            counts &= highest > _WITHOUT_GAIN
    else:
        counts = (n_relevant > 0) & (n_relevant < sizes)
    if metric.name == "P":
        # Without a cut-off the whole list counts.
        counts &= sizes > (metric.depth or np.inf)
    return counts


def fewest_users(n_users: int, configuration: Configuration) -> int:
    r"""Return the number of users whose values must differ for a test to reach the level .05.

    The p-value of the sign test and of Wilcoxon's is at least :math:`2 \cdot 2^{-k}` with k
    differences other than 0. The t statistic of k equal differences among n users is :math:`\sqrt{k
    (n - 1) / (n - k)}`, and less with unequal ones. The bootstrap repeats these tests.
    """
    is_by_sign = configuration.test in ("sign", "wilcoxon")
    if is_by_sign or (configuration.test == "bootstrap" and configuration.aggregation == "median"):
        return int(np.floor(1 - np.log2(LEVEL))) + 1
    critical = float(stdtrit(n_users - 1, 1 - LEVEL / 2)) ** 2
    least = int(np.floor(critical * n_users / (n_users - 1 + critical))) + 1
    return min(least, n_users)


def with_universes_that_cannot_tell(
    found: pd.DataFrame,
    configurations: Sequence[Configuration],
    universes: Universes,
    pairs: Sequence[Pair],
) -> pd.DataFrame:
    """Set the verdict :data:`CANNOT_TELL` where universes of one split cannot tell systems apart.

    The column ``reason`` is added: a key of :data:`REASONS` or empty.
    """
    systems = list(dict.fromkeys(name for pair in pairs for name in pair))
    lists: dict[str, dict[str, JudgedLists]] = {}
    known: dict[tuple[object, ...], tuple[int, int]] = {}
    reasons: dict[tuple[str, ...], str] = {}
    for each in configurations:
        if each.non_computable not in lists:
            lists[each.non_computable] = {name: universes.lists(each, name) for name in systems}
        own = lists[each.non_computable]
        for pair in pairs:
            key = (pair, each.non_computable, each.lists, each.metric, each.users, each.coverage)
            if key not in known:
                both = [own[name] for name in pair]
                compared = both[0].full.n_judged > 0
                if each.users == "trained":
                    compared = compared & universes.has_train(each)
                if each.coverage == "reduced":
                    for one in both:
                        compared = compared & (one.listed(each.lists == "condensed") > 0)
                counts = compared & users_whose_order_counts(both, each)
                known[key] = int(compared.sum()), int(counts.sum())
            n_users, n_counting = known[key]
            if not n_counting:
                reason = "no order"
            else:
                reason = "few users" if n_counting < fewest_users(n_users, each) else ""
            reasons[*pair, *each.levels.values()] = reason
    keys = found[["first", "second", *DECISION_NAMES]].itertuples(index=False, name=None)
    column = [reasons[tuple(map(str, key))] for key in keys]
    is_untold = np.array([bool(reason) for reason in column])
    return found.assign(verdict=found["verdict"].mask(is_untold, CANNOT_TELL), reason=column)


def counts_of_reasons(universes: pd.DataFrame) -> dict[str, int]:
    """Return the number of universes that cannot tell systems apart, by reason."""
    counts = universes["reason"].value_counts() if "reason" in universes else {}
    return {reason: int(counts.get(reason, 0)) for reason in REASONS}


def notes_on_universes(universes: pd.DataFrame) -> tuple[Note, ...]:
    """Return notes on universes that are not counted, and why; empty if all are counted."""
    total, counts = len(universes), counts_of_reasons(universes)
    return tuple(
        Note(
            "cannot-tell",
            f"{count:,} of {how_many(total, 'comparison')} cannot tell and are not counted in any "
            f"share: {REASONS[reason]}.",
        )
        for reason, count in counts.items()
        if count
    )
