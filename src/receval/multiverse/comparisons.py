# SPDX-License-Identifier: MIT
"""Compare two systems under one configuration: both values, their difference and significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from receval.metrics.averages import MEAN_DECIMALS, AdjustedGeometric, Arithmetic, Median, Weighted
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.multiverse.decisions import (
    GEOMETRIC_EPSILON,
    Aggregation,
    CoverageTreatment,
    ListForm,
    SignificanceTest,
)
from receval.multiverse.verdicts import MOST_SAMPLES, TIE
from receval.statistics.bootstrap import rejected_shares
from receval.statistics.paired_tests import (
    MOST_RANKED,
    sign_test,
    t_test,
    wilcoxon_statistics,
    wilcoxon_test,
)
from receval.statistics.pairs import LEVEL

AVERAGE_BY_AGGREGATION = {
    "mean": Arithmetic(),
    "median": Median(),
    "test-weighted": Weighted(by="test"),
    "positive-weighted": Weighted(by="positive"),
    "geometric": AdjustedGeometric(epsilon=GEOMETRIC_EPSILON),
}
"""The function in :mod:`receval.metrics.averages` for each aggregation (C3)."""


@dataclass(frozen=True)
class UserValues:
    """Values of one system for every user, one row per metric, on one form of its lists.

    ``covered`` are the users with a list that is not empty.
    """

    values: NDArray[np.float64]
    covered: NDArray[np.bool_]

    @classmethod
    def of(cls, lists: JudgedLists, labels: Sequence[str], form: ListForm) -> UserValues:
        """Measure the lists of a system for every user.

        The metrics are either all on full or all on condensed lists; the form is that of the lists
        that must not be empty for a user to be covered.
        """
        values = evaluate([parse(label) for label in labels], lists)
        return cls(values, lists.listed(form == "condensed") > 0)


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison of two systems, with one entry per metric.

    ``first`` and ``second`` are the aggregated values of the systems. ``effect`` is the
    standardised difference: the difference of the aggregated (transformed) values over the standard
    deviation of the users' differences; 0 if these are all equal up to rounding. ``p`` is NaN for
    the bootstrap, which has none, and ``rejected``, the share of bootstrap samples that reject, for
    other tests. ``signed_one_minus_p`` is 1 - p, or the share of samples that reject, with the sign
    of the system that is ahead; 0 if the test and the values have different directions.

    The verdict is 1 if the first system wins significantly, -1 if the second does, otherwise 0. It
    is also 0 if a significant test and the values have different directions: in a sign test, the
    system with the lower mean may win for more users.
    """

    first: NDArray[np.float64]
    second: NDArray[np.float64]
    effect: NDArray[np.float64]
    p: NDArray[np.float64]
    rejected: NDArray[np.float64]
    signed_one_minus_p: NDArray[np.float64]
    verdict: NDArray[np.int64]

    @property
    def difference(self) -> NDArray[np.float64]:
        """The value of the first system minus that of the second."""
        return self.first - self.second


class PairOfSystems:
    r"""Two systems measured on the same judgments, to be aggregated and tested in several ways.

    The averaged users have a test rating and, if ``has_train`` is given, a training rating. Under
    the reduced average (C4), each system is averaged over the users whom it covers, and a paired
    test compares the users whom both cover. A weighted mean is tested as the mean of :math:`x_u w_u
    / \bar w`, a geometric one as the mean of :math:`\ln(x_u + \epsilon)`. Test ratings and relevant
    ones are numbers by user.
    """

    def __init__(
        self,
        first: UserValues,
        second: UserValues,
        n_test: NDArray[np.int64],
        n_relevant: NDArray[np.int64],
        has_train: NDArray[np.bool_] | None = None,
        coverage: CoverageTreatment = "full",
        resamples: NDArray[np.float64] | None = None,
        *,
        is_exact: bool = False,
    ) -> None:
        self.is_exact = is_exact
        self.measured = (first, second)
        self.n_test = n_test
        self.n_relevant = n_relevant
        self.resamples = resamples
        base = n_test > 0
        if has_train is not None:
            base = base & has_train
        self.evaluated_users = [
            base & system.covered if coverage == "reduced" else base for system in self.measured
        ]
        self.paired = self.evaluated_users[0] & self.evaluated_users[1]
        for chosen in (*self.evaluated_users, self.paired):
            if np.count_nonzero(chosen) < 2:
                raise ValueError(
                    f"The number of users to average and compare with {coverage} coverage is "
                    f"{np.count_nonzero(chosen)}, but at least 2 are needed, with test ratings"
                    f"{'' if has_train is None else ', training ratings'}"
                    f"{' and lists of both systems' if coverage == 'reduced' else ''}. Give more "
                    "ratings, or leave out the decision that removes users."
                )
        self._summaries: dict[tuple[Aggregation, tuple[int, ...]], _Summary] = {}

    def compared(
        self, aggregation: Aggregation, test: SignificanceTest, metrics: Sequence[int] | None = None
    ) -> Comparison:
        """Compare the systems by an aggregation (C3) and a test (D).

        ``metrics`` are the rows of the metrics to compare, by default all. A ValueError is raised
        if a value is too low for the geometric mean, all weights are 0, or the bootstrap has no
        resamples.
        """
        rows = tuple(range(len(self.measured[0].values)) if metrics is None else metrics)
        if (aggregation, rows) not in self._summaries:
            self._summaries[aggregation, rows] = _Summary(self, aggregation, rows)
        summary = self._summaries[aggregation, rows]
        tested = summary.tested(test)
        wins = np.sign(np.round(summary.first - summary.second, MEAN_DECIMALS)).astype(np.int64)
        agreed = np.where(tested.direction == wins, wins, TIE)
        certainty = np.where(np.isnan(tested.p), tested.rejected, 1.0 - tested.p)
        return Comparison(
            first=summary.first,
            second=summary.second,
            effect=summary.effect,
            p=tested.p,
            rejected=tested.rejected,
            signed_one_minus_p=agreed * certainty,
            verdict=np.where(tested.significant, agreed, TIE),
        )

    def aggregated(
        self, aggregation: Aggregation, metrics: Sequence[int]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the values of both systems, shape (n_metrics,), without a test."""
        average = AVERAGE_BY_AGGREGATION[aggregation]
        first, second = (
            average.of(
                system.values[list(metrics)][:, chosen],
                self.n_test[chosen],
                self.n_relevant[chosen],
            )
            for system, chosen in zip(self.measured, self.evaluated_users, strict=True)
        )
        return first, second

    @cached_property
    def resamples_of_paired(self) -> NDArray[np.float64]:
        """The resampled sets of paired users."""
        if self.resamples is None:
            raise ValueError("The bootstrap needs resampled sets of users: give resamples.")
        return np.ascontiguousarray(self.resamples[:, self.paired])


@dataclass(frozen=True)
class _Tested:
    """P-values, or shares of samples that reject, and the direction of the test."""

    p: NDArray[np.float64]
    rejected: NDArray[np.float64]
    direction: NDArray[np.int64]

    @property
    def significant(self) -> NDArray[np.bool_]:
        return np.where(np.isnan(self.p), self.rejected > MOST_SAMPLES, self.p < LEVEL)


class _Summary:
    """A pair of systems under one aggregation."""

    def __init__(
        self, pair: PairOfSystems, aggregation: Aggregation, rows: tuple[int, ...]
    ) -> None:
        self.pair = pair
        self.aggregation = aggregation
        measured = [system.values[list(rows)] for system in pair.measured]
        if aggregation == "geometric" and (lowest := min(v.min() for v in measured)) < 0:
            raise ValueError(
                f"A value is {lowest:g}, but negative values have no geometric mean. Choose "
                "another aggregation or another metric."
            )
        self.first, self.second = pair.aggregated(aggregation, rows)
        first, second = (self._transformed(values, pair.paired) for values in measured)
        # The sign test must not count rounding errors as wins, but must tell small values apart.
        largest = np.maximum(np.abs(first), np.abs(second))
        rounding = np.abs(first - second) <= 10.0**-MEAN_DECIMALS * largest
        self.differences = np.where(rounding, 0.0, first - second)
        if aggregation == "median":
            location = self.first - self.second
        else:
            location = np.subtract(
                *(
                    self._transformed(values, chosen).mean(axis=-1)
                    for values, chosen in zip(measured, pair.evaluated_users, strict=True)
                )
            )
        deviations = self.differences.std(axis=-1, ddof=1)
        self.effect = np.zeros_like(location)
        # Rounding may give equal numbers a tiny deviation, and so an arbitrarily large effect.
        np.divide(location, deviations, out=self.effect, where=deviations > 10.0**-MEAN_DECIMALS)

    def _transformed(
        self, values: NDArray[np.float64], chosen: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return values of the chosen users, transformed so that their mean is compared."""
        if self.aggregation == "geometric":
            return AdjustedGeometric(epsilon=GEOMETRIC_EPSILON).transformed(values[:, chosen])
        if self.aggregation in ("mean", "median"):
            return values[:, chosen]
        by_test = self.aggregation == "test-weighted"
        weights = (self.pair.n_test if by_test else self.pair.n_relevant)[chosen]
        if not weights.any():
            raise ValueError(
                f"The {len(weights)} users to compare have no positive test ratings, so their "
                "weights are all 0. Choose another aggregation, or give more test ratings."
            )
        return values[:, chosen] * (weights / weights.mean())

    def tested(self, test: SignificanceTest) -> _Tested:
        """Return the result of a test, whose direction is that of what it compares."""
        # The differences and zeros, as pairs for the tests of two systems.
        pairs = np.stack([self.differences, np.zeros_like(self.differences)], axis=1)
        mean = np.sign(np.round(self.differences.mean(axis=-1), MEAN_DECIMALS)).astype(np.int64)
        wins = np.sign(np.sign(self.differences).sum(axis=-1)).astype(np.int64)
        unknown = np.full(len(self.differences), np.nan)
        if test == "bootstrap":
            resamples = self.pair.resamples_of_paired
            if self.aggregation == "median":
                shares = rejected_shares(self.differences, resamples, "sign", LEVEL)
                return _Tested(unknown, shares, wins)
            shares = rejected_shares(self.differences, resamples, "t", LEVEL)
            return _Tested(unknown, shares, mean)
        if test == "sign":
            return _Tested(sign_test(pairs)[..., 0], unknown, wins)
        if test == "wilcoxon":
            z = wilcoxon_statistics(pairs, decimals=MEAN_DECIMALS)[..., 0]
            p = 2.0 * ndtr(-np.abs(z))
            if self.pair.is_exact:
                exact = wilcoxon_test(pairs, decimals=MEAN_DECIMALS, exact_up_to=MOST_RANKED)
                p = exact[..., 0]
            return _Tested(p, unknown, np.sign(z).astype(np.int64))
        return _Tested(t_test(pairs)[..., 0], unknown, mean)
