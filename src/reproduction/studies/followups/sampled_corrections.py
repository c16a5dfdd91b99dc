# SPDX-License-Identifier: MIT
"""Corrections of sampled metrics, and cut-offs among all candidates that they are equivalent to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.curves import line, plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, NO_WINNER, new_figure, series_styles
from receval.figures.tables import Column, Table, printed
from receval.metrics.registry import parse
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.sampled_orders import SampledMoments

if TYPE_CHECKING:
    from receval.sampled_metrics.sampled_moments import AuditedMoments

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


def _per_cent(value: float) -> str:
    """Print a percentage with no more than four digits."""
    return fixed(value, 0 if value >= 999.95 else 1)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the expected value of each estimator of a metric among all candidates.

    Candidates are drawn uniformly. The estimators are those of
    :mod:`receval.sampled_metrics.rank_corrections`, and ``none``, the sampled metric itself.

    Parameters of the artifact: ``metrics``, labels; ``negatives``, numbers of candidates.

    Columns: dataset; metric; negatives; estimator; system; full (the value among all candidates);
    expected (mean over samples); sd (over samples; empty for the most likely ranks, which are
    estimated from expected shares, and if above ten times the systems' mean value).

    The table that reads these results has the columns of :func:`correction_errors`.
    """
    if inputs.results:
        results = read_results(inputs.results["sampled_corrections"])
        numbers = {name: real_values(results[name]) for name in ("full", "expected", "sd")}
        return correction_errors(results.assign(**numbers))
    from receval.sampled_metrics.rank_corrections import corrected_values

    metrics = {str(label): parse(str(label)) for label in inputs.parameters["metrics"]}
    moments = SampledMoments(inputs, metrics).uniform
    (experiment,) = inputs.experiments.values()
    tables = []
    for size in map(int, inputs.parameters["negatives"]):
        means, variances = moments.at(size)
        tables += [
            pd.DataFrame(
                {
                    "metric": label,
                    "negatives": size,
                    "estimator": NONE,
                    "system": list(moments.odds),
                    "full": moments.full[row],
                    "expected": means[row],
                    "sd": np.sqrt(variances[row]),
                }
            )
            for row, label in enumerate(metrics)
        ]
        tables.append(corrected_values(moments, size).drop(columns="bias"))
    table = pd.concat(tables, ignore_index=True).assign(dataset=experiment.dataset)
    # Larger ones are useless as estimates, and their digits depend on the solver.
    level = table.groupby(["metric", "negatives"])["full"].transform("mean")
    table["sd"] = table["sd"].where(table["sd"] <= LARGEST_SPREAD * level)
    columns = ("dataset", "metric", "negatives", "estimator", "system", "full", "expected", "sd")
    return table[list(columns)]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw error and tau with the full order by cut-off, one column per number of candidates."""
    errors = correction_errors(results)
    metrics = list(dict.fromkeys(errors["metric"]))
    sizes = list(dict.fromkeys(errors["negatives"]))
    styles = series_styles(list(ESTIMATOR_TITLES.values()))
    figure = new_figure(DOUBLE_COLUMN, 4.2)
    grid = figure.subplots(2, len(sizes), sharex=True, sharey="row", squeeze=False)
    dataset = next(iter(display.datasets.values()))
    for column, size in enumerate(sizes):
        for row, of in enumerate(("error", "tau")):
            axes = grid[row, column]
            for estimator, title in ESTIMATOR_TITLES.items():
                own = errors[(errors["negatives"] == size) & (errors["estimator"] == estimator)]
                values = own.set_index("metric")[of].reindex(metrics).to_numpy(dtype=np.float64)
                line(axes, np.arange(len(metrics)), values, styles[title], title)
            axes.set_xticks(range(len(metrics)), [name.partition("@")[2] for name in metrics])
        grid[0, column].set_yscale("log")
        plain_numbers(grid[0, column].yaxis)
        grid[0, column].set_title(f"Error, {int(size):,} sampled, {dataset}")
        grid[1, column].set_title(f"Order, {int(size):,} sampled")
        grid[1, column].set_xlabel(f"Cut-off of {metrics[0].partition('@')[0]}")
    grid[0, 0].set_ylabel("Error (% of the mean value,\nroot mean square, log scale)")
    grid[1, 0].set_ylabel("$\\tau$ with the order by\nall candidates")
    return with_legend(grid.flat)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per number of candidates and estimator, one column per cut-off."""
    metrics = list(dict.fromkeys(results["metric"]))
    rows = []
    for (negatives, estimator), own in results.groupby(["negatives", "estimator"], sort=False):
        errors = dict(zip(own["metric"], real_values(own["error"]), strict=True))
        spreads = dict(zip(own["metric"], real_values(own["spread"]), strict=True))
        cells = []
        for metric in metrics:
            error, spread = float(errors[metric]), float(spreads[metric])
            beside = f" ± {_per_cent(spread)}" if spread == spread else ""
            if not beside and estimator not in WITHOUT_SPREAD:
                beside = f" ± over {100 * LARGEST_SPREAD:,}"
            cells.append(_per_cent(error) + beside)
        rows.append((f"{int(negatives):,}", ESTIMATOR_TITLES[str(estimator)], *cells))
    texts = (Column("Sampled", "right"), "Estimator")
    return printed(display, texts, [f"{metric} (%)" for metric in metrics], rows)


PROPORTION = "#7f7f7f"
"""Colour of the line of cut-offs in proportion to the number of candidates."""


def common_cutoffs(moments: AuditedMoments, sampled: int) -> pd.DataFrame:
    r"""Return the cut-off whose full values are nearest to the sampled values of all systems.

    .. math:: K^* = \arg\min_K \sum_s (\mathrm{Recall}_s@K
        - E[\mathrm{Recall}_s@k \text{ among samples}])^2

    over the systems s; the smallest of equally near ones. No mapping of the cut-off k alone can be
    nearer, on average over these systems.

    Columns: those of :func:`receval.sampled_metrics.sampled_moments.full_cutoffs`, whose
    ``full_cutoff`` is of each single system, and: ``expected`` (among samples), ``common_cutoff``
    (:math:`K^*`), ``at_common`` (the full value there).

    Source: Li, Jin, Gao and Liu (2020), "On sampling top-K recommendation evaluation", KDD:
    :math:`SHR@k \approx HR@f(k)`.
    """
    from receval.sampled_metrics.sampled_moments import full_cutoffs

    table = full_cutoffs(moments, sampled)
    columns = list(moments.metrics)
    ranks = {name: np.sort(own.above[own.above >= 0] + 1) for name, own in moments.odds.items()}
    found = []
    for metric, own in table.groupby("metric", sort=False):
        column = columns.index(str(metric))
        expected = moments.at(sampled)[0][column]
        first = moments.tables[1, column]
        tried = np.arange(own["full_cutoff"].min(), own["full_cutoff"].max() + 1)
        # The share of the relevant items whose rank is at most each cut-off.
        shares = [
            np.searchsorted(ranks[name], tried, side="right") / len(moments.owners)
            for name in own["system"]
        ]
        full = np.stack([first * each for each in shares])
        # Sums of squares that differ only by rounding are equal.
        losses = ((full - expected[:, None]) ** 2).sum(axis=0).round(15)
        best = int(losses.argmin())
        found.append(
            own.assign(expected=expected, common_cutoff=tried[best], at_common=full[:, best])
        )
    return pd.concat(found, ignore_index=True) if found else table


def data_cutoffs(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the cut-off at which full recall equals the expected recall among samples.

    Candidates are drawn uniformly without replacement (:func:`common_cutoffs`).

    Parameters of the artifact: ``metrics``, labels of recall; ``negatives``, numbers of candidates.

    Columns: dataset; negatives; cutoff (among samples); system; expected (among samples);
    full_cutoff (of the single system; 0 if nothing is expected to be found); share (of the
    candidates); common_cutoff (the one whose full values are nearest to the expected ones of all
    systems); at_common (the full value there).
    """
    metrics = {str(label): parse(str(label)) for label in inputs.parameters["metrics"]}
    moments = SampledMoments(inputs, metrics).uniform
    (experiment,) = inputs.experiments.values()
    found = [common_cutoffs(moments, int(size)) for size in inputs.parameters["negatives"]]
    table = pd.concat(found, ignore_index=True).assign(dataset=experiment.dataset)
    columns = ("dataset", "negatives", "cutoff", "system", "expected", "full_cutoff", "share")
    return table[[*columns, "common_cutoff", "at_common"]]


def draw_cutoffs(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the cut-offs of all systems as shares, one panel per number of candidates.

    Parameters of the artifact: ``named``, the systems with names; all others are thin grey lines.
    """
    sizes = list(dict.fromkeys(results["negatives"]))
    systems = list(dict.fromkeys(results["system"]))
    cutoffs = sorted(set(results["cutoff"]))
    styles = display.styles(systems)
    named = [name for name in display.parameters["named"] if name in systems]
    figure = new_figure(DOUBLE_COLUMN, 3.0)
    grid = figure.subplots(1, len(sizes), sharex=True, sharey=True, squeeze=False)[0]
    dataset = next(iter(display.datasets.values()))
    for number, (axes, size) in enumerate(zip(grid, sizes, strict=True)):
        panel = results[results["negatives"] == size]
        axes.axhline(1, color=PROPORTION, linestyle=":", linewidth=1)
        # Lines with names are on top.
        for name in [*(name for name in systems if name not in named), *named]:
            own = panel[panel["system"] == name]
            places = [cutoffs.index(cutoff) for cutoff in own["cutoff"]]
            ratios = real_values(own["share"]) * (int(size) + 1) / own["cutoff"].to_numpy()
            label = display.short_titles[name] if name in named else None
            line(axes, places, ratios, styles[name], label, markers=name in named)
            if name not in named:
                axes.lines[-1].set(linewidth=0.5, color=NO_WINNER, zorder=1.5)
        axes.set_xticks(range(len(cutoffs)), [str(cutoff) for cutoff in cutoffs])
        axes.set_xlabel("Cut-off among samples")
        axes.set_title(f"{int(size):,} sampled" + ("" if number else f", {dataset}"))
    grid[0].set_ylabel(
        "Equivalent cut-off among all candidates\n(1 = in proportion to their number)"
    )
    return with_legend(grid)
