# SPDX-License-Identifier: MIT
"""Type I errors and power of five paired tests, by the number of users.

All artifacts on these tests count rejections among drawn users, and draw curves, as here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.curves import line, mute, plain_ticks
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_COLOUR, letter_panels, with_legend
from receval.figures.line_labels import label_lines
from receval.figures.printed_numbers import as_written
from receval.figures.style import COLOURS, DOUBLE_COLUMN, SeriesStyle, new_figure
from receval.metrics.averages import MEAN_DECIMALS
from receval.seeds import generator
from receval.statistics.pairs import system_pairs
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment

TEST_LEVEL = 0.05
"""A test rejects if its p-value is at most this; a permutation test is then exact."""

ALL = "all"
"""Stands in the column ``metric`` for tests under all metrics together."""

Draw = Callable[[int, int, np.random.Generator], NDArray[np.float64]]
"""Draws differences for a number of tests and of users, shape (n_tests, n_users)."""


def values_by_metric(
    experiment: Experiment, metrics: Mapping[str, Metric]
) -> dict[str, NDArray[np.float64]]:
    """Return the values per user under each metric, shape (n_systems, n_users), by its name."""
    from reproduction.experiments.values import means_of_users

    values = means_of_users(experiment, list(metrics.values()))
    return dict(zip(metrics, values, strict=True))


def all_differences(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the differences of all pairs of systems, rounded so that equal ones share their rank.

    Pairs are in the order of :func:`receval.statistics.pairs.system_pairs`.
    """
    first, second = system_pairs(len(values))
    return np.round(values[first] - values[second], MEAN_DECIMALS)


def differences_of_pairs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the differences of all pairs in which each system leads for some user.

    Their signs are such that the mean is at least 0.
    """
    differences = all_differences(values)
    kept = (differences.max(axis=1) > 0) & (differences.min(axis=1) < 0)
    differences = differences[kept]
    turned = np.where(differences.mean(axis=1) < 0, -1.0, 1.0)
    return differences * turned[:, np.newaxis]


# Populations of users with a given effect, by exponential tilting of real paired differences.
#
# A constant shift would give all tied users the same difference. Drawing users with unequal
# probabilities changes no difference.

_LARGEST_TILT = 1e3  # of differences in units of their standard deviation


def tilted_to_effect(differences: ArrayLike, effect: float) -> NDArray[np.float64]:
    r"""Return probabilities of the users that give the wanted standardised difference.

    .. math:: p_u \propto e^{\lambda d_u}, \qquad
              \frac{\sum_u p_u d_u}{\sqrt{\sum_u p_u d_u^2 - (\sum_u p_u d_u)^2}} = \delta

    The effect :math:`\delta` is the mean difference in standard deviations (population Cohen's
    d_z). With 0 both systems have the same mean, and the differences need not be symmetric. Among
    all probabilities with the same mean, these have the least Kullback-Leibler divergence from
    equal ones.

    Source: Efron (1981), "Nonparametric standard errors and confidence intervals", Canadian Journal
    of Statistics 9(2), where tilting makes a resampled population obey a hypothesis.
    """
    from scipy.optimize import brentq

    values = np.asarray(differences, dtype=np.float64)
    if not (values.max() > 0 > values.min()):
        raise ValueError(
            "Tilting needs users with differences above 0 and users with differences below; these "
            f"go from {values.min():g} to {values.max():g}. Leave out pairs of systems of which "
            "one is nowhere better."
        )
    scaled = values / values.std()

    def probabilities(tilt: float) -> NDArray[np.float64]:
        weights = np.exp(tilt * scaled - (tilt * scaled).max())
        found: NDArray[np.float64] = weights / weights.sum()
        return found

    def excess(tilt: float) -> float:
        weights = probabilities(tilt)
        mean = float(weights @ scaled)
        variance = float(weights @ np.square(scaled - mean))
        return mean - effect * float(np.sqrt(variance))

    def end_of_search(direction: float) -> float:
        end, step = 0.0, 0.125
        # Extreme tilting leaves only the least or the largest difference, without any spread.
        while direction * excess(end) < 0 and abs(end) < _LARGEST_TILT:
            end += direction * step
            step *= 2
        return end

    low, high = end_of_search(-1.0), end_of_search(1.0)
    if low == high:
        return probabilities(0.0)
    return probabilities(float(brentq(excess, low, high, xtol=1e-13, rtol=1e-13)))


def nearest_pairs(
    differences: NDArray[np.float64], effect: float, pairs: int
) -> NDArray[np.float64]:
    """Return the differences of so many pairs whose own effects are nearest to an effect."""
    effects = differences.mean(axis=1) / differences.std(axis=1)
    return differences[np.argsort(np.abs(effects - effect), kind="stable")[:pairs]]


def tilted_pairs(differences: NDArray[np.float64], effect: float, pairs: int) -> Draw:
    """Return draws of users of the nearest pairs, tilted to have an effect; tests take turns."""
    chosen = nearest_pairs(differences, effect, pairs)
    cumulated = np.cumsum([tilted_to_effect(row, effect) for row in chosen], axis=1)

    def drawn(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        found = np.empty((n_tests, n_users))
        for pair, (row, sums) in enumerate(zip(chosen, cumulated, strict=True)):
            own = found[pair :: len(chosen)]
            users = np.searchsorted(sums, generator.random(own.shape) * sums[-1], side="right")
            own[:] = row[np.minimum(users, len(row) - 1)]
        return found

    return drawn


def shares_of_rejections(
    inputs: ArtifactInputs,
    kind: str,
    share: str,
    draws_of: Callable[[NDArray[np.float64]], Mapping[str | float, Draw]],
    seed_names: Callable[[str, str, str | float], Sequence[str]],
) -> pd.DataFrame:
    """Return how often each kind of test rejects, by kind of draw, metric and number of users.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    test; ``tests``, the number of tests for each draw, metric and size.

    `kind` and `share` name the columns of the kinds of draws and of the shares. `draws_of` returns
    the draws by kind, given the values of systems and users under a metric. `seed_names` returns
    names for seeds, given the dataset, the metric and the kind of draw.
    """
    from receval.statistics.difference_tests import p_values_of_tests

    parameters = inputs.parameters
    metrics, n_tests = inputs.named_metrics(), int(parameters["tests"])
    rows = []
    for experiment in inputs.experiments.values():
        values = values_by_metric(experiment, metrics)
        for metric, of_metric in values.items():
            for of_kind, drawn in draws_of(of_metric).items():
                names = seed_names(experiment.dataset, metric, of_kind)
                for size in map(int, parameters["sizes"]):
                    own = generator(inputs.seed, "followups", *names, size)
                    tested = p_values_of_tests(drawn(n_tests, size, own), own)
                    rows += [
                        {
                            "dataset": experiment.dataset,
                            kind: of_kind,
                            "metric": metric,
                            "sampled_users": size,
                            "test": test,
                            "tests": n_tests,
                            "rejected": int((p_values <= TEST_LEVEL).sum()),
                        }
                        for test, p_values in tested.items()
                    ]
    return shares_with_intervals(rows, ["dataset", kind, "metric", "sampled_users", "test"], share)


def shares_with_intervals(
    counted: Sequence[Mapping[str, object]], keys: Sequence[str], share: str
) -> pd.DataFrame:
    """Return the shares of rejections with exact 95 % intervals, also for all metrics together."""
    from receval.statistics.effect_sizes import binomial_interval

    table = pd.DataFrame(counted)
    together = table.assign(metric=ALL).groupby(list(keys), sort=False, as_index=False)
    table = pd.concat([table, together[["tests", "rejected"]].sum()], ignore_index=True)
    low, high = binomial_interval(table["rejected"], table["tests"])
    table[share] = table["rejected"] / table["tests"]
    return table[[*keys, "tests", share]].assign(low=low, high=high)


TESTS = {
    "t": "t",
    "permutation": "Permutation",
    "bootstrap": "Bootstrap",
    "wilcoxon": "Wilcoxon",
    "sign": "Sign",
    "permutation-random-ties": "Permutation, ties at random",
}
"""Names of the tests in figures and sentences."""

TEST_STYLES = {
    "t": SeriesStyle(COLOURS[0], "o"),
    "permutation": SeriesStyle(COLOURS[2], "s"),
    "bootstrap": SeriesStyle(COLOURS[4], "^", "--"),
    "wilcoxon": SeriesStyle(COLOURS[1], "D"),
    "sign": SeriesStyle(COLOURS[3], "v"),
    "permutation-random-ties": SeriesStyle(COLOURS[6], "P", ":"),
}


def draw_tests(
    axes: Axes,
    rows: pd.DataFrame,
    column: str,
    styles: Mapping[str, SeriesStyle],
    names: Mapping[str, str],
    by: str = "test",
    *,
    intervals: bool = False,
    muted: Collection[str] = (),
) -> None:
    """Draw a column by the number of users, with one line per test, metric or method.

    Those that are muted are thin grey lines without a name.
    """
    for name, style in styles.items():
        own = rows[rows[by] == name]
        if not len(own):
            continue
        band = (own["low"], own["high"]) if intervals else None
        label = names.get(name, f"_{name}")
        line(axes, own["sampled_users"], real_values(own[column]), style, label, band=band)
        if name in muted:
            mute(axes.lines[-1])


def set_user_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Put the numbers of users on a logarithmic axis with ticks at most of them."""
    axes.set_xscale("log")
    ends = (min(sizes), max(sizes))
    inner = [size for size in (100, 200, 1000) if ends[0] * 1.9 < size < ends[1] / 1.9]
    ticks = [ends[0], *(inner if ends[1] < 2000 else [s for s in inner if s != 100]), ends[1]]
    plain_ticks(axes.xaxis, ticks)
    axes.set_xlim(ends[0] / 1.12, ends[1] * 1.12)
    axes.set_xlabel("Users (log scale)")


def mark_level(axes: Axes) -> None:
    """Mark the significance level .05."""
    axes.axhline(0.05, color=NOTE_COLOUR, linewidth=0.7, linestyle="--", label="_level")


POPULATIONS = {
    "flipped-signs": "Exchanged values",
    "matched-users": "One system",
    "equal-means": "Equal means",
}
"""Titles of the panels of the first row, by the kind of null hypothesis."""

TICKS_OF_SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)

BY_METRIC = ("permutation", "wilcoxon", "sign")
"""Tests with their own panel in the second row."""


def shares_found(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count how often tests at the level .05 find an existing difference.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    test; ``effect_hundredths``, the planted differences, in hundredths of standard deviations of
    the paired difference; ``tests``, the number of tests per effect, metric and size, each on its
    own users drawn with replacement; ``pairs``, the number of pairs of systems that they use, those
    with the nearest effects.

    Columns: dataset; planted_effect; metric (``all``: all metrics together); sampled_users; test
    (:data:`receval.statistics.difference_tests.TESTS`); tests; power (share that rejects); low,
    high (ends of its exact 95 % interval).

    Users keep their differences, and are drawn with probabilities that give the planted effect
    (:func:`reproduction.studies.followups.inference_errors.tilted_to_effect`).
    """
    parameters = inputs.parameters
    effects = [int(number) / 100 for number in parameters["effect_hundredths"]]

    def draws_of(values: NDArray[np.float64]) -> dict[str | float, Draw]:
        differences = differences_of_pairs(values)
        return {
            effect: tilted_pairs(differences, effect, int(parameters["pairs"]))
            for effect in effects
        }

    def seed_names(dataset: str, metric: str, effect: str | float) -> tuple[str, ...]:
        return "inference-power", dataset, metric, f"{effect:g}"

    return shares_of_rejections(inputs, "planted_effect", "power", draws_of, seed_names)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count how often tests reject at the level .05 although the null hypothesis is true.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    test; ``tests``, the number of tests per population, metric and size, each on its own users
    drawn with replacement; ``pairs``, the number of pairs of systems that they use.

    Columns: dataset; population (``flipped-signs``: each user's two values are swapped at random,
    in the pairs nearest to each other; ``matched-users``: values of one system for two random
    users; ``equal-means``: users are drawn with probabilities under which both systems have the
    same mean, :func:`reproduction.studies.followups.inference_errors.tilted_to_effect`);
    metric (``all``: all metrics together); sampled_users; test
    (:data:`receval.statistics.difference_tests.TESTS`); tests; error (share that rejects); low,
    high (ends of its exact 95 % interval).

    In the first two, both signs of every difference are equally likely, so the permutation test is
    exact. In the third, differences may be skewed; only the means are equal, which is what tests of
    means are about.

    With the parameter ``effect_hundredths``, the results are those of :func:`shares_found`.
    """
    if "effect_hundredths" in inputs.parameters:
        return shares_found(inputs)
    pairs = int(inputs.parameters["pairs"])

    def draws_of(values: NDArray[np.float64]) -> dict[str | float, Draw]:
        differences = differences_of_pairs(values)
        return {
            "flipped-signs": flipped_pairs(differences, pairs),
            "matched-users": matched_users(values),
            "equal-means": tilted_pairs(differences, 0.0, pairs),
        }

    def seed_names(dataset: str, metric: str, population: str | float) -> tuple[str, ...]:
        return "inference-errors", dataset, str(population), metric

    return shares_of_rejections(inputs, "population", "error", draws_of, seed_names)


def flipped_pairs(differences: NDArray[np.float64], pairs: int) -> Draw:
    """Return draws of users of the nearest pairs, with their two values swapped at random."""
    chosen = nearest_pairs(differences, 0.0, pairs)

    def drawn(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        rows = np.arange(n_tests)[:, np.newaxis] % len(chosen)
        users = generator.integers(0, chosen.shape[1], (n_tests, n_users))
        signs = 1.0 - 2.0 * generator.integers(0, 2, (n_tests, n_users))
        return np.asarray(chosen[rows, users] * signs)

    return drawn


def matched_users(values: NDArray[np.float64]) -> Draw:
    """Return draws of the differences between two random users under the same system.

    This compares a system with itself on two random halves of the users, which differ only by
    chance.
    """

    def drawn(n_tests: int, n_users: int, generator: np.random.Generator) -> NDArray[np.float64]:
        rows = np.arange(n_tests)[:, np.newaxis] % len(values)
        one, other = (
            values[rows, generator.integers(0, values.shape[1], (n_tests, n_users))]
            for _ in range(2)
        )
        return np.asarray(np.round(one - other, MEAN_DECIMALS))

    return drawn


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw errors by the number of users, for all metrics together and for three tests by metric.

    The second row of panels shows only ``equal-means``. If the parameter ``named`` is given, all
    other metrics are thin grey lines there.
    """
    if "planted_effect" in results:
        return _draw_power(results, display)
    figure = new_figure(DOUBLE_COLUMN, 4.2)
    grid = figure.subplots(2, 3, sharey=True)
    sizes = sorted(set(results["sampled_users"]))
    errors = real_values(results["error"])
    found = errors[errors > 0]
    end = set_log_shares(grid[0, 0], float(found.min()) if len(found) else 0.01)
    results = results.assign(error=np.maximum(errors, end))
    together = results[results["metric"] == ALL]
    for axes, (population, title) in zip(grid[0], POPULATIONS.items(), strict=True):
        own = together[together["population"] == population]
        names = TESTS if axes is grid[0, -1] else {}
        draw_tests(axes, own, "error", TEST_STYLES, names, intervals=True)
        axes.set_title(title)
    for axes in grid.flat:
        mark_level(axes)
        set_user_axis(axes, sizes)
    for axes in grid[0]:
        axes.set_xlabel("")
    for axes in grid[:, 0]:
        axes.set_ylabel("Type I error (log scale)")
    apart = results[(results["metric"] != ALL) & (results["population"] == "equal-means")]
    styles = display.metric_styles(list(dict.fromkeys(apart["metric"])))
    named = display.parameters.get("named", list(styles))
    for axes, test in zip(grid[1], BY_METRIC, strict=True):
        names = {name: name for name in styles} if test == BY_METRIC[-1] else {}
        own = apart[apart["test"] == test]
        draw_tests(axes, own, "error", styles, names, "metric", muted=set(styles) - set(named))
        axes.set_title(f"Equal means,\n{TESTS[test]}")
    letter_panels(grid.flat)
    label_lines(grid[:, -1])
    return figure


def set_log_shares(axes: Axes, lowest: float) -> float:
    """Put shares on a logarithmic axis from the tick below the lowest one to 1; return its end."""
    below = [tick for tick in TICKS_OF_SHARES if tick <= lowest]
    shown = [tick for tick in TICKS_OF_SHARES if tick >= (below[-1] if below else 0)]
    axes.set_yscale("log")
    plain_ticks(axes.yaxis, shown)
    end = min(shown[0], lowest) / 1.1
    # A mark at the lowest share is not cut by the axis.
    axes.set_ylim(end / 1.1, 1.12)
    return end


def _draw_power(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw power by the number of users, one panel per planted effect, all metrics together."""
    effects = sorted(set(results["planted_effect"]))
    figure = new_figure(DOUBLE_COLUMN, 2.4)
    panels = figure.subplots(1, len(effects), sharey=True, squeeze=False)[0]
    together = results[results["metric"] == ALL]
    # Ties matter if nothing differs, and hardly matter otherwise.
    styles = {name: style for name, style in TEST_STYLES.items() if "ties" not in name}
    for axes, effect in zip(panels, effects, strict=True):
        own = together[together["planted_effect"] == effect]
        draw_tests(axes, own, "power", styles, TESTS, intervals=True)
        set_user_axis(axes, sorted(set(results["sampled_users"])))
        axes.set_title(f"Effect $d_z$ = {as_written(effect)}")
    panels[0].set_ylim(0, 1.03)
    panels[0].set_ylabel("Power")
    return with_legend(panels)
