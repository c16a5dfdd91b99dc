# SPDX-License-Identifier: MIT
"""Orders of systems among sampled candidates, compared with those among all candidates.

All artifacts on sampled candidates have their expected metrics from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.figures.tables import Table, printed
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.heat_map import two_decimals
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


TITLES = {"uniform": "Drawn uniformly", "popularity": "Drawn by popularity"}


FULL = "all candidates"
"""Stands for a metric's own order among all candidates, as the reference of a comparison."""


def agreement_of_orders(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the orders of the artifact ``sampled_orders`` with each other.

    Columns: sampling; negatives; metric; compared_with (another metric with as many candidates,
    ``AUC``, or ``all candidates``: the metric's own order among these); tau (Kendall's tau-b of the
    orders of the systems).
    """
    results = read_results(inputs.results["sampled_orders"])
    results = results.assign(
        negatives=results["negatives"].astype(str), expected=real_values(results["expected"])
    )
    rows: list[tuple[object, ...]] = []
    for row in sampled_taus(results).itertuples(index=False):
        key = (row.sampling, row.negatives, row.metric)
        rows += [(*key, FULL, row.tau_full), (*key, AUC, row.tau_auc)]
    shown = results[results["metric"] != AUC]
    for (sampling, negatives), own in shown.groupby(["sampling", "negatives"], sort=False):
        values = own.pivot_table(index="metric", columns="system", values="expected", sort=False)
        taus = kendall_tau_b(values.to_numpy(), values.to_numpy(), TOLERANCE_OF_MEANS)
        rows += [
            (sampling, negatives, one, other, taus[i, j])
            for (i, one), (j, other) in combinations(enumerate(values.index), 2)
        ]
    columns = ["sampling", "negatives", "metric", "compared_with", "tau"]
    return pd.DataFrame(rows, columns=columns)


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

    The table that reads these results has the columns of :func:`agreement_of_orders`.
    """
    if inputs.results:
        return agreement_of_orders(inputs)
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


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per sampling and number of candidates.

    Parameters of the artifact: ``with_full`` and ``with_auc``, metrics whose tau with the order
    among all candidates and with that by AUC is printed; ``printed``, numbers of candidates with a
    row, besides all candidates.
    """
    results = results.assign(
        negatives=results["negatives"].astype(str), tau=real_values(results["tau"])
    )
    asked = [
        *((str(metric), FULL) for metric in display.parameters["with_full"]),
        *((str(metric), AUC) for metric in display.parameters["with_auc"]),
    ]
    rows = []
    shown = [*map(str, display.parameters["printed"]), EVERY]
    results = results[results["negatives"].isin(shown)]
    named = by_candidates(results.drop_duplicates(["sampling", "negatives"]), "sampling")
    for sampling, negatives in zip(named["sampling"], named["negatives"], strict=True):
        own = results[(results["sampling"] == sampling) & (results["negatives"] == negatives)]
        among = own[~own["compared_with"].isin((FULL, AUC))]["tau"]
        cells = own.set_index(["metric", "compared_with"])["tau"]
        rows.append(
            (
                str(sampling).capitalize(),
                written_size(negatives),
                two_decimals(float(among.mean())),
                *(two_decimals(float(cells[pair])) for pair in asked),
            )
        )
    titles = [f"{name}, {'all' if other == FULL else other}" for name, other in asked]
    return printed(display, ["Drawn"], ("Candidates", "Between metrics", *titles), rows)
