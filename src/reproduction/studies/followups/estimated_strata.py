# SPDX-License-Identifier: MIT
"""Evaluation within strata of exposure, compared with judgments of random items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from receval.storage.files import real_values
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from receval.splits.split import Fold, Judgments
    from reproduction.experiments.experiment import Experiment

STRATA = 2
"""Number of strata, as in the released experiments."""

RANDOM, WHOLE, BOTH = "random-items", "whole", "strata"

STRATUM = "stratum-{}"

TITLES = {
    WHOLE: "Whole test",
    BOTH: "Two strata",
    STRATUM.format(1): "First stratum",
    STRATUM.format(2): "Second stratum",
}
"""In the order of the table."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Measure the systems on the whole test, on each of its strata, and on random items.

    Parameters of the artifact: ``names`` and ``metrics``.

    Columns: dataset; metric; judgments (``random-items``, the drawn ones; ``whole``, all test
    ratings; ``stratum-1`` and ``stratum-2``, those of less and of more exposed items; ``strata``,
    both strata, weighted by their numbers of test ratings); system; value (mean over users with a
    relevant judgment, and over folds); share (of the test ratings, mean over folds); items (how
    many have test ratings, mean over folds); tau (Kendall's tau-b of the order of the systems with
    that by random items); reversed (pairs of systems in which one is ahead in both strata, but the
    other here); pairs (of systems).
    """
    metrics = inputs.named_metrics()
    tables = [_of_experiment(experiment, metrics) for experiment in inputs.experiments.values()]
    return pd.concat(tables, ignore_index=True)


def _of_experiment(experiment: Experiment, metrics: Mapping[str, Metric]) -> pd.DataFrame:
    measured = [_of_fold(experiment, number, list(metrics.values())) for number in experiment.folds]
    tables = []
    for index, name in enumerate(metrics):
        # Means over the folds in which a value is defined.
        own = {
            judgments: np.nanmean([fold[judgments].values[index] for fold in measured], axis=0)
            for judgments in measured[0]
        }
        signs = {key: pair_signs(means, TOLERANCE_OF_MEANS) for key, means in own.items()}
        first, second = (signs[STRATUM.format(number)] for number in (1, 2))
        for judgments, means in own.items():
            reversed_pairs = (first == second) & (signs[judgments] * first < 0)
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": name,
                        "judgments": judgments,
                        "system": experiment.all_systems,
                        "value": means,
                        "share": float(np.mean([fold[judgments].share for fold in measured])),
                        "items": float(np.mean([fold[judgments].items for fold in measured])),
                        "tau": kendall_tau_b(own[RANDOM], means, TOLERANCE_OF_MEANS).item()
                        if RANDOM in own
                        else np.nan,
                        "reversed": int(reversed_pairs.sum()),
                        "pairs": len(first),
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


# Strata of test ratings by the exposure of their items, and the exponent of their popularity.
#
# The propensity of an item that :math:`n_i` users rated is :math:`n_i^\alpha` above a least number
# :math:`n_{min}` and :math:`n_i` up to it. :math:`\alpha` is the exponent of the power law that the
# larger numbers follow. The range of the propensities of the test ratings is cut into parts of
# equal *width*. As propensities are very skewed, nearly all test ratings are in the first stratum,
# and the last one has those of the few most popular items.
#
# A metric is measured in each stratum by its test ratings, averaged over the users who have a
# relevant one, then over strata, weighted by their numbers of test ratings:
#
# .. math:: \sum_s \frac{n_s}{n}\, \frac{1}{|U_s|} \sum_{u \in U_s} m_{us}
#
# This does not estimate a total.
# :class:`receval.missing_judgments.propensities.StratifiedPropensities` does, by strata with equal
# parts of the test.
#
# Source: Jadidinejad, Macdonald and Ounis (2021), "The Simpson's paradox in the offline
# evaluation of recommendation systems", TOIS 40(1), as their released code has it
# (``StratifiedEvaluation``, with two strata in its experiments). The release fits the power law
# with the package powerlaw; its two formulas are implemented here: Clauset, Shalizi and Newman
# (2009), "Power-law distributions in empirical data", SIAM Review 51(4), sections 3.1 (the
# exponent, approximately) and 3.3 (the least number).


@dataclass(frozen=True)
class PopularityPowerLaw:
    r"""The power law :math:`P(n) \propto n^{-\alpha}` of numbers of ratings above a least one.

    Alpha is above 1, and the least number that follows the law is at least 1.
    """

    alpha: float
    least: int

    @classmethod
    def fit(cls, counts: NDArray[np.integer]) -> Self:
        r"""Fit the law to the numbers of ratings of items.

        For each candidate :math:`n_{min}`,
        :math:`\alpha = 1 + m / \sum_i \ln(n_i / (n_{min} - 1/2))` over the m numbers from it on.
        The one with the best fit is taken, by the largest difference of the distribution functions.
        """
        numbers = np.sort(counts[counts > 0]).astype(np.float64)
        candidates = np.unique(numbers)[:-1]
        if len(candidates) == 0:
            raise ValueError(
                "A power law of popularity needs items with different numbers of ratings: choose "
                "fewer strata, or other data."
            )
        laws = [_law_from(numbers[numbers >= least]) for least in candidates]
        best = int(np.argmin([distance for distance, _ in laws]))
        return cls(laws[best][1], int(candidates[best]))

    def propensities(self, counts: NDArray[np.integer]) -> NDArray[np.float64]:
        r"""Return :math:`n^\alpha` for numbers above the least one, and n for others.

        Examples
        --------
        >>> PopularityPowerLaw(2.0, 3).propensities(np.array([0, 3, 4])).tolist()
        [0.0, 3.0, 16.0]
        """
        numbers = counts.astype(np.float64)
        return np.where(counts > self.least, numbers**self.alpha, numbers)


def _law_from(numbers: NDArray[np.float64]) -> tuple[float, float]:
    """Return the distance of the law from ascending numbers, and its alpha."""
    from scipy.special import zeta

    least = numbers[0]
    alpha = 1 + len(numbers) / float(np.log(numbers / (least - 0.5)).sum())
    values, first = np.unique(numbers, return_index=True)
    expected = zeta(alpha, values) / zeta(alpha, least)
    # Shares of the numbers that are at least as large as each.
    observed = 1 - first / len(numbers)
    return float(np.abs(observed - expected).max()), alpha


def strata_of_exposure(fold: Fold, strata: int = 2) -> NDArray[np.int64]:
    """Divide the test ratings of a fold into strata by the propensities of their items.

    Strata count from 0, with the least exposed items. A propensity at the border of two is in the
    lower one.
    """
    from receval.protocols.candidates import popularity

    counts = popularity(fold)
    own = PopularityPowerLaw.fit(counts).propensities(counts)[fold.test.items]
    if len(own) == 0:
        return np.zeros(0, dtype=np.int64)
    borders = np.linspace(own.min(), own.max(), strata + 1)[1:-1]
    return np.searchsorted(borders, own, side="left").astype(np.int64)


def means_in_strata(
    metrics: Sequence[Metric],
    judgments: Judgments,
    ranks: JudgedRanks,
    stratum: NDArray[np.int64],
    strata: int,
    threshold: float,
    protocol: Protocol,
) -> NDArray[np.float64]:
    """Measure one system's lists by the judgments of each stratum alone.

    The result has shape (strata, n_metrics): means over the users who have a relevant judgment in
    the stratum, and NaN if nobody has. The protocol has one list per user, and candidates that do
    not depend on which items are judged: ``AR AI-AN`` or ``AR train-AN``.
    """
    from receval.metrics.evaluation import evaluate, mean
    from receval.metrics.lists import JudgedLists
    from reproduction.simulation.complete_judgments import kept_judgments

    means = np.full((strata, len(metrics)), np.nan)
    for number in range(strata):
        own = stratum == number
        if (judgments.values[own] < threshold).all():
            continue
        within = replace(ranks, ranks=ranks.ranks[own])
        lists = JudgedLists.of(kept_judgments(judgments, own), within, threshold, protocol)
        means[number] = mean(evaluate(metrics, lists), lists, "relevant")
    return means


def mean_over_strata(means: NDArray[np.float64], stratum: NDArray[np.int64]) -> NDArray[np.float64]:
    """Average the means of strata, weighted by their numbers of judgments."""
    shares = np.bincount(stratum, minlength=len(means)) / len(stratum)
    mean_of_strata: NDArray[np.float64] = shares @ np.nan_to_num(means)
    return mean_of_strata


class _Measured(NamedTuple):
    """The systems on some judgments of a fold.

    The values have shape (n_metrics, n_systems); `share` is of the test ratings, and `items` says
    how many items have judgments.
    """

    values: NDArray[np.float64]
    share: float
    items: int


def _of_fold(
    experiment: Experiment, number: int, metrics: Sequence[Metric]
) -> dict[str, _Measured]:
    fold, protocol = experiment.fold(number), experiment.only_protocol
    stratum = strata_of_exposure(fold, STRATA)
    strata = {STRATUM.format(index + 1): stratum == index for index in range(STRATA)}

    def means(
        judgments: Judgments, part: str, parts: NDArray[np.int64], n_parts: int
    ) -> list[NDArray[np.float64]]:
        """Return the means of every system, each of shape (n_parts, n_metrics)."""
        return [
            means_in_strata(
                metrics,
                judgments,
                experiment.judged_ranks(system, protocol, number, part),
                parts,
                n_parts,
                experiment.threshold,
                protocol,
            )
            for system in experiment.all_systems
        ]

    def whole(judgments: Judgments, part: str) -> _Measured:
        found = means(judgments, part, np.zeros(len(judgments), dtype=np.int64), 1)
        return _Measured(np.concatenate(found).T, 1.0, len(np.unique(judgments.items)))

    on_test = whole(fold.test, "test")
    by_system = means(fold.test, "test", stratum, STRATA)
    both = np.stack([mean_over_strata(own, stratum) for own in by_system], axis=-1)
    found = {WHOLE: on_test, BOTH: on_test._replace(values=both)}
    for index, (name, own) in enumerate(strata.items()):
        values = np.stack([own_means[index] for own_means in by_system], axis=-1)
        n_items = len(np.unique(fold.test.items[own]))
        found[name] = _Measured(values, float(own.mean()), n_items)
    if fold.unbiased is not None:
        found[RANDOM] = whole(fold.unbiased, "unbiased")
    return found


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print tau with random items and the reversed pairs, one row per part of the test."""
    results = results.assign(tau=real_values(results["tau"]))
    metrics = list(dict.fromkeys(results["metric"]))
    found = results.drop_duplicates(["dataset", "metric", "judgments"])
    rows = []
    for dataset in dict.fromkeys(found["dataset"]):
        for judgments, title in TITLES.items():
            own = found[(found["dataset"] == dataset) & (found["judgments"] == judgments)]
            by_metric = own.set_index("metric").loc[metrics]
            reversed_pairs = by_metric["reversed"].astype(int).tolist()
            rows.append(
                (
                    display.datasets[str(dataset)],
                    title,
                    fixed(100 * float(own.iloc[0]["share"]), 1),
                    fixed(float(own.iloc[0]["items"]), 0),
                    *("–" if tau != tau else two_decimals(tau) for tau in by_metric["tau"]),
                    " ".join(map(str, reversed_pairs)) if judgments in (WHOLE, BOTH) else "–",
                )
            )
    heads = ["Share (%)", "Items", *(f"{name}, tau" for name in metrics), "Reversed"]
    return printed(display, ("Dataset", "Test ratings"), heads, rows)
