# SPDX-License-Identifier: MIT
"""Decisions on pairs of systems, and orders of systems, on interval scales."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure, ordered_styles
from receval.figures.tables import Table, printed
from receval.metrics.averages import MEAN_DECIMALS
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from receval.statistics.pairs import LEVEL, over_pairs
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment

# Interval scales replace the values of a metric by equidistant numbers.
#
# Means, t-tests and Wilcoxon's signed-rank test assume that a difference means the same everywhere
# on the scale. This is doubtful for reciprocal ranks: from rank 2 to rank 1 is half of the scale,
# from 3 to 2 a sixth of it. Ferrante, Ferro and Fuhr (2021), "Towards meaningful statements in IR
# evaluation: mapping evaluation measures to interval scales", IEEE Access 9, put the values of a
# metric at equal distances; Moffat (2022), "Batch evaluation metrics in information retrieval:
# measures, scales, and meaning", arXiv 2207.03103, answers that other distances are as valid where
# there is an external reason for each.

OWN = "own"
"""The scale of a metric's own values."""

IntervalScale = Literal["equal-steps", "mean-ranks"]

SCALES: tuple[IntervalScale, ...] = get_args(IntervalScale)

DECIMALS = 12
"""Values are equal if they agree to this many decimals; rounding errors are far smaller."""


def on_interval_scale(values: ArrayLike, scale: IntervalScale) -> NDArray[np.float64]:
    r"""Replace the values of one metric by their positions among all observed values.

    With the distinct values :math:`v_1 < \ldots < v_m`, of which :math:`v_j` was observed
    :math:`n_j` times among :math:`n`,

    .. math:: \text{equal-steps: } v_j \mapsto \frac{j - 1}{m - 1}, \qquad
              \text{mean-ranks: } v_j \mapsto
              \frac{1}{n - 1} \Bigl(\sum_{i < j} n_i + \frac{n_j - 1}{2}\Bigr).

    Both run from 0 to 1, and keep the order and ties. Equal steps count the same, as on the
    interval scales of the source; steps of mean ranks are proportional to the number of lists. If a
    metric's observed values are equidistant, such as precision at a cut-off where every number of
    hits occurs, equal steps only rescale it, which changes no test.

    If all values are equal, they become 0 (for mean ranks, .5).

    The source uses all values that a metric can attain on lists of one length and one number of
    relevant items. Those of AP or nDCG at 100 cannot be enumerated, so the observed values of all
    users are used here.
    """
    from scipy.stats import rankdata

    if scale not in SCALES:
        raise ValueError(f"There is no interval scale {scale}; there are {', '.join(SCALES)}.")
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        raise ValueError("There are no values, so there is no scale of them.")
    if not np.isfinite(array).all():
        raise ValueError("A value is not a finite number, so it has no place on a scale.")
    rounded = np.round(array, DECIMALS).ravel() + 0.0
    if scale == "equal-steps":
        distinct, places = np.unique(rounded, return_inverse=True)
        steps = places.astype(np.float64) / max(len(distinct) - 1, 1)
        return steps.reshape(array.shape)
    if len(rounded) == 1:
        return np.full(array.shape, 0.5)
    ranks: NDArray[np.float64] = (rankdata(rounded) - 1.0) / (len(rounded) - 1.0)
    return ranks.reshape(array.shape)


def metrics_with_gain(inputs: ArtifactInputs) -> dict[str, Metric]:
    """Return the metrics of the parameters ``names`` and ``metrics``, with DCG after nDCG.

    DCG has the cut-off and gain of the parameters' nDCG, and is only added with it.
    """
    from receval.metrics.ndcg import NDCG, DiscountedGain

    named = inputs.named_metrics()
    found: dict[str, Metric] = {}
    for name, metric in named.items():
        found[name] = metric
        if isinstance(metric, NDCG):
            found["DCG"] = DiscountedGain(gain=metric.gain, cutoff=metric.cutoff)
    return found


def values_on_scales(
    experiment: Experiment, metrics: Mapping[str, Metric]
) -> dict[str, NDArray[np.float64]]:
    """Return the values per user on each scale, averaged over the folds that test the user.

    A scale is computed on the values of all systems and users of one fold, before averaging,
    because a mean over folds is not a value of the metric.
    """
    from receval.metrics.evaluation import evaluate, evaluated_lists
    from reproduction.experiments.values import UserMeans

    means = {scale: UserMeans(experiment, len(metrics)) for scale in (OWN, *SCALES)}
    protocol = experiment.only_protocol
    for number in experiment.folds:
        lists = [experiment.lists(name, protocol, number) for name in experiment.all_systems]
        values = np.stack([evaluate(list(metrics.values()), own) for own in lists], axis=1)
        chosen = evaluated_lists(lists[0], experiment.evaluated_users)
        scaled_values = {OWN: np.round(values, DECIMALS)}
        for scale in SCALES:
            scaled_values[scale] = scaled = np.zeros_like(values)
            for metric, observed in enumerate(values):
                scaled[metric][:, chosen] = on_interval_scale(observed[:, chosen], scale)
        for name_of_scale, collected in means.items():
            for system, name in enumerate(experiment.all_systems):
                collected.add(name, lists[system], scaled_values[name_of_scale][:, system])
    # Sums over folds that differ only by rounding must be equal.
    return {scale: np.round(own.values(), DECIMALS) for scale, own in means.items()}


EVERYONE = "all"
"""Stands for the number of drawn users if all are used."""

TESTS = ("t", "wilcoxon", "sign")


SHORT_TITLES = {"equal-steps": "Steps", "mean-ranks": "Ranks"}
"""Headings of the scales in the table."""


def means_on_scales(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the means of all systems on all scales, and the agreement with the own scale.

    Parameters of the artifact: those of :mod:`.interval_decisions`.

    Columns: dataset; metric; scale (``own``, ``equal-steps`` or ``mean-ranks``); system; value
    (mean over users); tau (Kendall's tau-b of the order of all systems with that on the own scale);
    swapped (share of swapped pairs of systems); pairs; lists (how many users are averaged).
    """
    (experiment,) = inputs.experiments.values()
    metrics = metrics_with_gain(inputs)
    values = values_on_scales(experiment, metrics)
    tables = []
    for index, metric in enumerate(metrics):
        own = values[OWN][index].mean(axis=1)
        for scale in (OWN, *SCALES):
            means = values[scale][index].mean(axis=1)
            signs = [pair_signs(each, TOLERANCE_OF_MEANS) for each in (own, means)]
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": metric,
                        "scale": scale,
                        "system": experiment.all_systems,
                        "value": means,
                        "tau": kendall_tau_b(own, means, TOLERANCE_OF_MEANS).item(),
                        "swapped": float(np.mean(signs[0] * signs[1] < 0)),
                        "pairs": len(signs[0]),
                        "lists": values[scale].shape[2],
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the decisions of three tests on a metric's own values and on interval scales.

    A decision is which system of a pair is significantly ahead at the level .05, or neither;
    p-values are not adjusted for the number of pairs. Decisions on fewer users than all are made on
    several random samples, the same for all metrics, scales and tests.

    Parameters of the artifact: ``names`` and ``metrics``, beside which there is DCG
    (:func:`.metrics_with_gain`); ``users``, the numbers of users to draw; ``user_samples``, the
    number of samples of each.

    Columns: dataset; metric; scale (``equal-steps`` or ``mean-ranks``, of
    :data:`.SCALES`); test (``t``, ``wilcoxon``, ``sign``); drawn (how many users are
    drawn, or ``all``); users; user_samples; pairs; then shares of the pairs, as means over the
    samples: significant and significant_scaled (significant on the metric's own scale, and on the
    interval scale); lost (only on the own scale), gained (only on the interval scale), reversed (on
    both, with another system ahead); changed (the sum of these three).

    Without the parameter ``users``, the results are those of :func:`means_on_scales`.
    """
    if "users" not in inputs.parameters:
        return means_on_scales(inputs)
    (experiment,) = inputs.experiments.values()
    metrics = metrics_with_gain(inputs)
    values = values_on_scales(experiment, metrics)
    n_users = values[OWN].shape[2]
    smaller = [int(number) for number in inputs.parameters["users"] if int(number) < n_users]
    samples = int(inputs.parameters["user_samples"])
    rng = generator(inputs.seed, "followups", "interval-scales", experiment.dataset)
    chosen = [
        (number, [np.sort(rng.permutation(n_users)[:number]) for _ in range(samples)])
        for number in smaller
    ]
    rows = [
        {
            **row,
            "users": number,
            "drawn": EVERYONE if number == n_users else str(number),
            "user_samples": len(drawn),
        }
        for number, drawn in [*chosen, (n_users, [np.arange(n_users)])]
        for row in _changes(values, list(metrics), drawn)
    ]
    table = pd.DataFrame(rows)
    table["changed"] = table[["lost", "gained", "reversed"]].sum(axis=1)
    table.insert(0, "dataset", experiment.dataset)
    keys = ["dataset", "metric", "scale", "test", "drawn", "users", "user_samples", "pairs"]
    counts = ["significant", "significant_scaled", "lost", "gained", "reversed", "changed"]
    return table[keys + counts]


# Changed decisions on pairs of systems, between scales or tests.


def decisions(statistics: ArrayLike, p_values: ArrayLike) -> NDArray[np.int8]:
    """Return which system of each pair is significantly ahead at the level .05: 1, -1 or 0."""
    significant = np.asarray(p_values) < LEVEL
    return np.where(significant, np.sign(np.asarray(statistics)), 0).astype(np.int8)


def count_changes(before: ArrayLike, after: ArrayLike) -> dict[str, int]:
    """Count the pairs on which only the first of two decisions is significant, or the second.

    Reversed pairs are significant by both decisions, with another system ahead.
    """
    one, other = np.asarray(before), np.asarray(after)
    if one.shape != other.shape:
        raise ValueError(
            f"The decisions are on {one.size} and {other.size} pairs: both must be on the same."
        )
    return {
        "lost": int(((one != 0) & (other == 0)).sum()),
        "gained": int(((one == 0) & (other != 0)).sum()),
        "reversed": int((one * other < 0).sum()),
    }


def _changes(
    values: dict[str, NDArray[np.float64]], names: list[str], samples: list[NDArray[np.int64]]
) -> list[dict[str, object]]:
    """Return one row per metric, scale and test, with means over samples of users."""
    counted: dict[tuple[str, str, str], list[dict[str, int]]] = {}
    n_pairs = 0
    for users in samples:
        decided = {scale: _decided(own[:, :, users]) for scale, own in values.items()}
        for scale in SCALES:
            for test in TESTS:
                for metric, name in enumerate(names):
                    before, after = (decided[which][test][metric] for which in (OWN, scale))
                    n_pairs = len(before)
                    counts = {
                        **count_changes(before, after),
                        "significant": int(np.count_nonzero(before)),
                        "significant_scaled": int(np.count_nonzero(after)),
                    }
                    counted.setdefault((name, scale, test), []).append(counts)
    return [
        {
            "metric": name,
            "scale": scale,
            "test": test,
            "pairs": n_pairs,
            **{key: float(np.mean([counts[key] for counts in own])) / n_pairs for key in own[0]},
        }
        for (name, scale, test), own in counted.items()
    ]


def _decided(values: NDArray[np.float64]) -> dict[str, NDArray[np.int8]]:
    """Return the decisions of each test, shape (n_metrics, n_pairs)."""
    from scipy.special import ndtr, stdtr

    from receval.statistics.paired_tests import sign_test, t_statistics, wilcoxon_statistics

    t = t_statistics(values)
    z = wilcoxon_statistics(values, decimals=MEAN_DECIMALS)
    ahead = over_pairs(values, lambda found: np.sign(found).sum(axis=-1), exact=True)
    return {
        "t": decisions(t, 2.0 * stdtr(values.shape[-1] - 1, -np.abs(t))),
        "wilcoxon": decisions(z, 2.0 * ndtr(-np.abs(z))),
        "sign": decisions(ahead, sign_test(values)),
    }


# Bars of the decisions that an interval scale changes, one panel per test, scale and size.

SCALE_TITLES = {"equal-steps": "equal steps", "mean-ranks": "mean ranks"}

TEST_TITLES = {"t": "t-test", "wilcoxon": "Wilcoxon"}
"""The tests that are drawn, and their titles."""

KINDS = {
    "lost": "significant on the metric's own scale alone",
    "gained": "on the interval scale alone",
    "reversed": "on both, with the other system ahead",
}
"""Columns of changed decisions, and their labels in the legend."""

ROW_HEIGHT = 0.135
"""Inches of a metric's bar and of the gap between two."""

BAR = 0.72


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the shares of changed decisions by metric, scale and number of users.

    The parameter ``shown_users`` is the number of users that is shown besides all users.
    """
    metrics = list(dict.fromkeys(results["metric"]))
    sizes = (str(display.parameters["shown_users"]), EVERYONE)
    drawn_of = [results[results["drawn"].astype(str) == size] for size in sizes]
    rows = [part for part in drawn_of if len(part)]
    figure = new_figure(DOUBLE_COLUMN, 0.7 + len(rows) * (0.68 + ROW_HEIGHT * len(metrics)))
    columns = [(test, scale) for scale in SCALES for test in TEST_TITLES]
    grid = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for part, panels in zip(rows, grid, strict=True):
        every = "all " if part["drawn"].iloc[0] == EVERYONE else ""
        users = f"{every}{int(part['users'].iloc[0]):,} users"
        for (test, scale), axes in zip(columns, panels, strict=True):
            own = part[(part["test"] == test) & (part["scale"] == scale)]
            _draw_bars(axes, own.set_index("metric").loc[metrics])
            axes.set_title(f"{TEST_TITLES[test]},\n{SCALE_TITLES[scale]},\n{users}")
    for axes in grid[-1]:
        axes.set_xlabel("Pairs (%)")
    for axes in grid.flat:
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
    grid[0, 0].set_yticks(range(len(metrics)), metrics)
    grid[0, 0].set_ylim(len(metrics) - 0.4, -0.6)
    drawn = pd.concat(rows)
    most = float(drawn.loc[drawn["test"].isin(TEST_TITLES), "changed"].max())
    # Results without any change need an axis, too.
    grid[0, 0].set_xlim(0, 100 * max(1.03 * most, 0.01))
    return with_legend(grid.flat)


def _draw_bars(axes: Axes, rows: pd.DataFrame) -> None:
    styles = ordered_styles(list(KINDS))
    ends = np.zeros(len(rows))
    for kind, label in KINDS.items():
        widths = 100 * rows[kind].to_numpy(dtype=np.float64)
        axes.barh(
            np.arange(len(rows)),
            widths,
            left=ends,
            height=BAR,
            color=styles[kind].colour,
            label=label,
        )
        ends += widths


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print tau and the number of swapped pairs, by metric and scale."""
    found = results.drop_duplicates(["metric", "scale"]).set_index(["metric", "scale"])
    rows = []
    for metric in dict.fromkeys(results["metric"]):
        cells = []
        for scale in SCALES:
            row = found.loc[(metric, scale)]
            cells += [two_decimals(float(row["tau"])), str(round(row["swapped"] * row["pairs"]))]
        rows.append((str(metric), *cells))
    heads = [f"{SHORT_TITLES[s]}, {head}" for s in SCALES for head in ("$`\\tau`$", "pairs")]
    return printed(display, ["Metric"], heads, rows)
