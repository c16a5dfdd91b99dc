# SPDX-License-Identifier: MIT
"""Orders of systems among sampled candidates, compared with those among all candidates.

All artifacts on sampled candidates have their expected metrics from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric


UNIFORM, POPULARITY = "uniform", "popularity"
"""How candidates are drawn: uniformly without, or by popularity with replacement."""

SAMPLINGS = (UNIFORM, POPULARITY)

EVERY = "all"
"""Stands for the number of candidates if all are ranked."""


def by_candidates(table: pd.DataFrame, *keys: str) -> pd.DataFrame:
    """Sort rows by keys as their values first occur, then by the number of candidates."""
    sizes = table["negatives"].astype(str).replace(EVERY, "inf").astype(np.float64)
    firsts = [pd.factorize(table[key])[0] for key in reversed(keys)]
    return table.iloc[np.lexsort((sizes, *firsts))].reset_index(drop=True)


class SampledMoments:
    """Means and variances of metrics over samples, and the values among all candidates.

    The inputs have one experiment under AR with all candidates, and for samples by popularity the
    models of its systems, because judged ranks do not tell the popularity of the items above a
    relevant one.
    """

    def __init__(self, inputs: ArtifactInputs, metrics: Mapping[str, Metric]) -> None:
        from receval.sampled_metrics.sampled_candidates import SamplingOdds
        from receval.sampled_metrics.sampled_moments import AuditedMoments

        (experiment,) = inputs.experiments.values()
        protocol = experiment.only_protocol
        self.systems = experiment.all_systems
        odds: dict[str, list[SamplingOdds]] = {name: [] for name in self.systems}
        for number in experiment.folds:
            fold = experiment.fold(number)
            for name in self.systems:
                lists = experiment.lists(name, protocol, number)
                odds[name].append(SamplingOdds.of(fold, lists, protocol))
        joined = {name: SamplingOdds.of_all_folds(own) for name, own in odds.items()}
        self.uniform = AuditedMoments(joined, metrics, experiment.ratings.n_users, None)
        self._inputs = inputs
        self._experiment = experiment
        self._shares: dict[str, NDArray[np.float64]] = {}

    def at(self, sampling: str, size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return means and variances of the averages, each of shape (n_metrics, n_systems)."""
        if sampling == UNIFORM:
            return self.uniform.at(size)
        from receval.sampled_metrics.sampled_moments import moments_of_average
        from receval.sampled_metrics.weighted_candidates import expected_of_weighted_ranks

        tables = self.uniform.tables
        if len(tables) < size + 2:
            raise ValueError(
                f"{size} candidates by popularity are more than there are candidates: draw fewer."
            )
        both = np.concatenate([tables, tables**2], axis=1)
        found = [
            moments_of_average(expected_of_weighted_ranks(self.shares_of(name), both, size))
            for name in self.systems
        ]
        means, variances = (np.stack(moments, axis=1) for moments in zip(*found, strict=True))
        return means, variances

    def ties(self, number: int) -> NDArray[np.uint32]:
        """Return the numbers that break ties in a fold: the item with the smaller one ranks higher.

        The same as for the judged ranks (:mod:`reproduction.workflow.jobs.systems`).
        """

        experiment = self._experiment
        names = (experiment.dataset, experiment.split, number, "ties")
        order = generator(self._inputs.seed, *names).permutation(experiment.ratings.n_items)
        return order.astype(np.uint32)

    def shares_of(self, system: str) -> NDArray[np.float64]:
        """Return the share of the popularity above each relevant item."""
        if system not in self._shares:
            self._shares[system] = self._read_shares(system)
        return self._shares[system]

    def _read_shares(self, system: str) -> NDArray[np.float64]:
        from receval.protocols.candidates import popularity_weights
        from receval.sampled_metrics.weighted_candidates import weight_shares_above

        experiment = self._experiment
        shares, above = [], []
        for number in experiment.folds:
            fold = experiment.fold(number)
            relevant = fold.test.values >= experiment.threshold
            found = weight_shares_above(
                self._inputs.model(experiment, system, number),
                fold,
                np.flatnonzero(relevant).astype(np.int64),
                relevant,
                popularity_weights(fold, 1.0),
                self.ties(number),
            )
            shares.append(found[0])
            above.append(found[1])
        if not np.array_equal(np.concatenate(above), self.uniform.odds[system].above):
            raise ValueError(
                f"The model of {system} on {experiment.dataset} does not give the ranks that it "
                "was judged by: train and rank it again."
            )
        return np.concatenate(shares)

    @property
    def auc(self) -> NDArray[np.float64]:
        """The mean share of candidates below a relevant item, by system; 0 if it is not ranked."""
        means = []
        for name in self.systems:
            odds = self.uniform.odds[name]
            pools = odds.pools[odds.users]
            below = np.where(odds.above >= 0, 1 - odds.above / np.maximum(pools, 1), 0.0)
            means.append(float(below.mean()))
        return np.array(means)


# Agreement of the order of systems among samples with other orders.

AUC = "AUC"
"""The mean share of candidates below a relevant item, as a metric."""


def sampled_taus(results: pd.DataFrame) -> pd.DataFrame:
    """Compare orders of systems, by sampling, metric and number of candidates.

    Columns: sampling; metric; negatives; tau_full (Kendall's tau-b with the order by the metric
    among all candidates); tau_auc (with the order by AUC). Rows for all candidates come at the end
    of the uniform samples.
    """
    results = results.assign(negatives=results["negatives"].astype(str))
    whole = results[results["negatives"] == EVERY]
    full = {metric: own.set_index("system")["expected"] for metric, own in whole.groupby("metric")}
    rows = []
    keys = ["sampling", "metric", "negatives"]
    for (sampling, metric, negatives), own in results[results["metric"] != AUC].groupby(
        keys, sort=False
    ):
        values = own.set_index("system")["expected"]
        taus = [
            float(kendall_tau_b(values, other[values.index].to_numpy(), TOLERANCE_OF_MEANS)[0, 0])
            for other in (full[metric], full[AUC])
        ]
        rows.append((sampling, metric, negatives, *taus))
    table = pd.DataFrame(rows, columns=[*keys, "tau_full", "tau_auc"])
    return by_candidates(table, "sampling", "metric")


# Errors of corrected sampled metrics.

NONE = "none"
"""The uncorrected sampled metric."""

WITHOUT_SPREAD = ("MLE",)
"""Estimators from expected shares, which have no standard deviation here."""

LARGEST_SPREAD = 10
"""Standard deviations above this multiple of the systems' mean value are not reported."""

ESTIMATOR_TITLES = {
    NONE: "not corrected",
    "rank": "estimated rank",
    "CLS": "least squares (CLS)",
    "BV": "bias and variance (BV)",
    "MLE": "most likely ranks (MLE)",
}


def correction_errors(results: pd.DataFrame) -> pd.DataFrame:
    r"""Summarise the estimators over systems, in per cent of the systems' mean value.

    .. math:: bias = \frac{100}{\bar F |S|} \sum_s (E_s - F_s), \qquad
        error = \frac{100}{\bar F} \sqrt{\frac{1}{|S|} \sum_s (E_s - F_s)^2}

    with the expected value :math:`E_s` of a system, its value :math:`F_s` among all candidates, and
    the mean of these, :math:`\bar F`. (Errors relative to each system's own value would be
    dominated by systems with values near 0.)

    Columns: metric; negatives; estimator; bias; error (root mean square); spread (root mean square
    of the standard deviations over samples, in per cent of the mean value; empty if a system has
    none, or one of more than ten times the mean value); total (root of the sum of the squares of
    error and spread; the spread counts as at least ten times the mean value if it is not reported,
    and as 0 for the most likely ranks); tau (Kendall's tau-b of the orders by expected and by full
    values).
    """
    rows = []
    groups = results.groupby(["metric", "negatives", "estimator"], sort=False)
    for (metric, negatives, estimator), own in groups:
        full = own["full"].to_numpy(dtype=np.float64)
        expected = own["expected"].to_numpy(dtype=np.float64)
        level = full.mean()
        spread = float(np.sqrt(np.mean(real_values(own["sd"]) ** 2))) / level
        error = float(np.sqrt(np.mean((expected - full) ** 2))) / level
        told = (
            0.0
            if estimator in WITHOUT_SPREAD
            else min(np.nan_to_num(spread, nan=np.inf), LARGEST_SPREAD)
        )
        rows.append(
            {
                "metric": metric,
                "negatives": negatives,
                "estimator": estimator,
                "bias": 100 * float((expected - full).mean() / level),
                "error": 100 * error,
                "spread": 100 * spread if spread <= LARGEST_SPREAD else np.nan,
                "total": 100 * float(np.hypot(error, told)),
                "tau": float(kendall_tau_b(expected, full, TOLERANCE_OF_MEANS)[0, 0]),
            }
        )
    return pd.DataFrame(rows)


TITLES = {"uniform": "Drawn uniformly", "popularity": "Drawn by popularity"}


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return the expected values of all systems and metrics, by number of candidates.

    Each relevant test rating is ranked among s sampled non-relevant candidates (1R NN), drawn
    uniformly without replacement or by training popularity with replacement. Expectations and
    variances are sums over all samples (:mod:`receval.sampled_metrics.sampled_moments`,
    :mod:`receval.sampled_metrics.weighted_candidates`). Values are means over relevant test
    ratings.

    Parameters of the artifact: ``names`` and ``metrics``; ``negatives``, the numbers s.

    Columns: dataset; sampling (``uniform`` or ``popularity``); negatives (``all`` under full
    ranking, with the sampling ``uniform``); metric (``AUC``, the mean share of candidates below the
    relevant item, only for all candidates); system; expected; sd (over samples, independent for
    each relevant item and system).
    """
    metrics = inputs.named_metrics()
    moments = SampledMoments(inputs, metrics)
    (experiment,) = inputs.experiments.values()
    found: list[tuple[str, str, str, object, object]] = []
    for sampling in SAMPLINGS:
        for size in map(int, inputs.parameters["negatives"]):
            means, variances = moments.at(sampling, size)
            for label, mean, variance in zip(metrics, means, variances, strict=True):
                found.append((sampling, str(size), label, mean, np.sqrt(variance)))
    for label, values in zip(metrics, moments.uniform.full, strict=True):
        found.append((UNIFORM, EVERY, label, values, 0.0))
    found.append((UNIFORM, EVERY, AUC, moments.auc, 0.0))
    tables = [
        pd.DataFrame(
            {
                "dataset": experiment.dataset,
                "sampling": sampling,
                "negatives": negatives,
                "metric": metric,
                "system": moments.systems,
                "expected": expected,
                "sd": deviation,
            }
        )
        for sampling, negatives, metric, expected, deviation in found
    ]
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau with the order among all candidates, and below it tau with the order by AUC.

    Parameters of the artifact: ``printed``, the numbers of candidates that are drawn, besides all.
    """

    taus = sampled_taus(results)
    drawn = [*map(str, display.parameters["printed"]), EVERY]
    taus = taus[taus["negatives"].isin(drawn)]
    metrics = list(dict.fromkeys(taus["metric"]))
    styles = display.metric_styles(metrics)
    sizes = list(dict.fromkeys(taus["negatives"]))
    figure = new_figure(DOUBLE_COLUMN, 4.4)
    grid = figure.subplots(2, 2, sharex="col", sharey="row")
    dataset = next(iter(display.datasets.values()))
    rows = (("tau_full", f"all, {dataset}", "all candidates"), ("tau_auc", "AUC", "AUC"))
    for row, (column, reference, label) in enumerate(rows):
        for axes, sampling in zip(grid[row], SAMPLINGS, strict=True):
            for metric in metrics:
                own = taus[(taus["sampling"] == sampling) & (taus["metric"] == metric)]
                places = [sizes.index(size) for size in own["negatives"]]
                line(axes, places, own[column], styles[metric], metric)
            axes.set_title(f"{TITLES[sampling]}, against {reference}")
        grid[row, 0].set_ylabel(f"$\\tau$ with the order by\n{label}")
    for axes, sampling in zip(grid[-1], SAMPLINGS, strict=True):
        own = [size for size in sizes if sampling == UNIFORM or size != EVERY]
        axes.set_xticks(range(len(own)), list(map(written_size, own)))
        axes.set_xlabel("Sampled candidates per relevant item")
    return with_legend(grid.flat)


def written_size(size: str) -> str:
    """Return a number of candidates as it is printed."""
    return f"{int(size):,}" if size.isdigit() else size
