# SPDX-License-Identifier: MIT
"""Estimators of metrics: worlds with known judgments, errors, and how they are shown.

Folds that estimators read, their titles, and how good they are; tables and dot plots of them; and
systems in a world with known judgments, with many random observations of that world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from receval.evaluation.fitted_systems import RankedFold
    from receval.figures.style import SeriesStyle
    from receval.protocols.judged_ranks import JudgedRanks
    from receval.protocols.protocol import Protocol
    from receval.recommenders.base import Recommender
    from receval.splits.split import Judgments
    from reproduction.experiments.experiment import Experiment
    from reproduction.simulation.complete_judgments import KnownChances
    from reproduction.studies._shared.inputs import ArtifactInputs


MAR = "MAR"
"""The estimator that uses only judgments of randomly drawn items."""

TRUTH = "truth"
"""Name of the value by all judgments, among the estimators."""

TITLES = {
    ("naive", ""): "Naive",
    ("IPS", "known"): "IPS, known",
    ("SNIPS", "known"): "SNIPS, known",
    ("IPS", "popularity"): "IPS, popularity",
    ("SNIPS", "popularity"): "SNIPS, popularity",
    ("IPS", "10 strata"): "IPS, ten strata",
    ("SNIPS", "10 strata"): "SNIPS, ten strata",
    ("IPS", "MAR sample"): "IPS, rating values",
    ("SNIPS", "MAR sample"): "SNIPS, rating values",
    ("SKEW", ""): "SKEW",
    ("WTD_H", ""): "WTD_H",
    ("WTD", ""): "WTD",
}
"""Titles in the order of figures, from the unweighted test to intervened tests."""

SPREAD = (5.0, 95.0)
"""The percentiles of the draws of a test that figures show."""


def ranked_folds_of(experiment: Experiment) -> Iterator[RankedFold]:
    """Yield the folds of an experiment that has one protocol and unbiased judgments."""
    from receval.evaluation.fitted_systems import RankedFold

    protocol = experiment.only_protocol
    for number in experiment.folds:
        test, unbiased = (
            {
                name: experiment.judged_ranks(name, protocol, number, part)
                for name in experiment.all_systems
            }
            for part in ("test", "unbiased")
        )
        yield RankedFold(number, experiment.fold(number), test, unbiased)


def title_of(estimator: str, propensities: str) -> str:
    """Return the title of an estimator: that of :data:`TITLES`, or ``MAR, 10 a user``."""
    if estimator == MAR and propensities:
        return f"{MAR}, {propensities}"
    return TITLES.get((estimator, propensities), estimator)


def with_titles(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with the column ``title``, in the order of the titles."""
    texts = results.assign(propensities=results["propensities"].fillna("").astype(str))
    names = zip(texts["estimator"].astype(str), texts["propensities"], strict=True)
    places = {title: place for place, title in enumerate(TITLES.values())}
    return texts.assign(title=[title_of(*name) for name in names]).sort_values(
        "title",
        key=lambda titles: titles.map(places).fillna(len(places)),
        kind="stable",
        ignore_index=True,
    )


def ratios_to_mar(results: pd.DataFrame) -> pd.DataFrame:
    """Compare each estimator's values of the systems with those on random items.

    Columns: dataset; metric; estimator; propensities; title; tau (Kendall's tau-b of the orders of
    the systems); ratio (median over systems of the estimate over the value by random items),
    ratio_low and ratio_high (its quartiles); error (mean over systems of the absolute relative
    error, in per cent); in the order of the titles.
    """
    results = results.assign(value=real_values(results["value"]))
    rows = []
    for (dataset, metric), own in with_titles(results).groupby(["dataset", "metric"], sort=False):
        truth = own[own["estimator"] == MAR].set_index("system")["value"]
        keys = ["title", "estimator", "propensities"]
        for (title, estimator, propensities), of_it in own.groupby(keys, sort=False):
            values = of_it.set_index("system")["value"].reindex(truth.index)
            there = (truth > 0).to_numpy()
            ratios = values.to_numpy()[there] / truth.to_numpy()[there]
            low, middle, high = np.percentile(ratios, (25, 50, 75))
            tau = kendall_tau_b(values.to_numpy(), truth.to_numpy(), TOLERANCE_OF_MEANS)
            rows.append(
                {
                    "dataset": dataset,
                    "metric": metric,
                    "estimator": estimator,
                    "propensities": propensities,
                    "title": title,
                    "tau": float(tau[0, 0]),
                    "ratio": float(middle),
                    "ratio_low": float(low),
                    "ratio_high": float(high),
                    "error": 100 * float(np.abs(ratios - 1).mean()),
                }
            )
    return pd.DataFrame(rows)


def errors_of_draws(results: pd.DataFrame) -> pd.DataFrame:
    r"""Summarise the artifact ``estimated_orders`` over draws and systems.

    Over the systems whose truth :math:`t_s` is above 0, with the estimate :math:`e_{sd}` of a
    system in a draw and its mean :math:`\bar e_s` over draws,

    .. math:: bias = \frac{100}{|S|} \sum_s \frac{\bar e_s - t_s}{t_s}, \quad
        sd = 100 \sqrt{\frac{1}{|S|} \sum_s \frac{Var_d(e_{sd})}{t_s^2}}, \quad
        rmse = 100 \sqrt{\frac{1}{|S|} \sum_s \frac{\overline{(e_{sd} - t_s)^2}}{t_s^2}}

    Columns: metric; estimator; propensities; title; bias, sd, rmse (in per cent); tau (mean over
    draws of Kendall's tau-b with the true order), tau_low and tau_high (5th and 95th percentile of
    the draws); draws; in the order of the titles.
    """
    results = results.assign(estimate=real_values(results["estimate"]))
    truths = results[results["estimator"] == TRUTH]
    rows = []
    keys = ["title", "estimator", "propensities", "metric"]
    drawn = with_titles(results[results["estimator"] != TRUTH])
    for (title, estimator, propensities, metric), own in drawn.groupby(keys, sort=False):
        truth = truths[truths["metric"] == metric].set_index("system")["estimate"]
        table = own.pivot_table(index="draw", columns="system", values="estimate", sort=False)
        values = table[truth.index].to_numpy()
        true = truth.to_numpy()
        taus = kendall_tau_b(values, true[None], TOLERANCE_OF_MEANS)[:, 0]
        there = true > 0
        errors = (values - true)[:, there] / true[there]
        low, high = np.percentile(taus, SPREAD)
        rows.append(
            {
                "metric": metric,
                "estimator": estimator,
                "propensities": propensities,
                "title": title,
                "bias": 100 * float(errors.mean()),
                "sd": 100 * float(np.sqrt(errors.var(axis=0, ddof=1).mean())),
                "rmse": 100 * float(np.sqrt((errors**2).mean())),
                "tau": float(taus.mean()),
                "tau_low": float(low),
                "tau_high": float(high),
                "draws": len(values),
            }
        )
    return pd.DataFrame(rows)


def printed_by_metric(
    results: pd.DataFrame,
    display: DisplayStyle,
    keys: Mapping[str, str],
    numbers: Mapping[str, tuple[str, Callable[[float], str]]],
) -> Table:
    """Print one row for each combination of keys, with the numbers of all metrics side by side.

    `keys` has the columns of names by their headings. `numbers` has a column and how its numbers
    are written, by their heading below each metric. A metric without a row has dashes.
    """
    named = [*keys.values(), "metric"]
    values = {column: real_values(results[column]) for column, _ in numbers.values()}
    cells = results.assign(**values).set_index(named)[list(values)].to_dict("index")
    metrics = dict.fromkeys(results["metric"])
    rows = [
        (
            *name,
            *(
                write(cells[*name, metric][column]) if (*name, metric) in cells else "–"
                for metric in metrics
                for column, write in numbers.values()
            ),
        )
        for name in dict.fromkeys(results[list(keys.values())].itertuples(index=False, name=None))
    ]
    columns = [
        *map(Column, keys),
        *(Column(f"{metric}, {heading}", "right") for metric in metrics for heading in numbers),
    ]
    return printed(display, columns, rows)


# Dot plots of estimators: how well they order systems, and their errors.

Columns = tuple[str, str, str]
"""Columns of a dot and of the ends of its line."""

_ROW, _AROUND, _APART = 0.17, 1.0, 0.16


def draw_rows(
    panels: Sequence[tuple[str, pd.DataFrame]],
    display: DisplayStyle,
    *,
    left: Columns,
    right: Columns,
    labels: tuple[str, str],
    unity: bool,
) -> Figure:
    """Draw two panels for each part of the results, with one row per estimator.

    The left one shows only the first metric, because all have the same values there; the right one
    has a logarithmic scale.
    """
    from matplotlib.ticker import NullFormatter

    from receval.figures.curves import plain_numbers
    from receval.figures.finish import NOTE_COLOUR, legend_below, letter_panels
    from receval.figures.style import DOUBLE_COLUMN, new_figure

    metrics = list(dict.fromkeys(metric for _, rows in panels for metric in rows["metric"]))
    styles = display.metric_styles(metrics)
    heights = [rows["title"].nunique() for _, rows in panels]
    figure = new_figure(DOUBLE_COLUMN, _ROW * sum(heights) + _AROUND * len(panels))
    grid = figure.subplots(
        len(panels), 2, sharey="row", squeeze=False, gridspec_kw={"height_ratios": heights}
    )
    for axes_of_row, (title, rows) in zip(grid, panels, strict=True):
        names = list(dict.fromkeys(rows["title"]))
        first = {metrics[0]: styles[metrics[0]]}
        for axes, columns, label, shown in zip(
            axes_of_row, (left, right), labels, (first, styles), strict=True
        ):
            _dots(axes, rows, names, columns, shown)
            axes.set_xlabel(label)
            axes.set_title(title)
            axes.grid(visible=False, axis="y")
        axes_of_row[1].set_xscale("log")
        plain_numbers(axes_of_row[1].xaxis)
        axes_of_row[1].xaxis.set_minor_formatter(NullFormatter())
        if unity:
            axes_of_row[1].axvline(1, color=NOTE_COLOUR, linewidth=0.7)
        axes_of_row[0].set_yticks(range(len(names)), names)
        axes_of_row[0].set_ylim(len(names) - 0.5, -0.5)
    letter_panels(grid.flat)
    legend_below(figure)
    return figure


def _dots(
    axes: Axes,
    rows: pd.DataFrame,
    names: Sequence[str],
    columns: Columns,
    styles: dict[str, SeriesStyle],
) -> None:
    middle, low, high = columns
    for number, (metric, style) in enumerate(styles.items()):
        own = rows[rows["metric"] == metric].set_index("title").reindex(names)
        shift = _APART * (number - (len(styles) - 1) / 2)
        places = np.arange(len(names)) + 2 * shift
        axes.hlines(places, own[low], own[high], color=style.colour, linewidth=1.0)
        axes.plot(
            own[middle],
            places,
            linestyle="none",
            marker=style.marker,
            color=style.colour,
            markeredgecolor="white",
            markeredgewidth=0.4,
            markersize=4.5,
            label=metric,
        )


TRAINS = 0.6
"""Share of a pair's chance of observation that is for train."""

TESTS = 0.4
"""Share for test, among the pairs that are not in train."""


def systems() -> dict[str, Recommender]:
    """Return sixteen systems of different kinds and sizes, by name."""
    from receval.recommenders.bprmf import BPRMF
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.non_personalised import AverageRating, Popularity, Random
    from receval.recommenders.plsa import PLSA
    from receval.recommenders.puresvd import PureSVD
    from receval.recommenders.wrmf import WRMF

    return {
        "random": Random(seed=1),
        "pop": Popularity(),
        "average": AverageRating(),
        "user-knn-10": UserKNN(neighbours=10),
        "user-knn-50": UserKNN(neighbours=50),
        "item-knn-10": ItemKNN(neighbours=10),
        "item-knn-50": ItemKNN(neighbours=50),
        "puresvd-2": PureSVD(factors=2),
        "puresvd-5": PureSVD(factors=5),
        "puresvd-10": PureSVD(factors=10),
        "puresvd-30": PureSVD(factors=30),
        "wrmf-5": WRMF(factors=5, seed=1),
        "wrmf-20": WRMF(factors=20, seed=1),
        "plsa-5": PLSA(topics=5, iterations=30, seed=1),
        "plsa-20": PLSA(topics=20, iterations=30, seed=1),
        "bprmf": BPRMF(factors=10, seed=1),
    }


class DrawnTests:
    """Systems that were trained once, and their ranks of all pairs that are not in train.

    Of a pair that is not in train, `test_chances` has the chance that it is in test, of shape
    (n_users, n_items), and `complete` the judgment.
    """

    def __init__(self, world: KnownChances, seed: int) -> None:
        from functools import partial

        from receval.data.ratings import summed_matrix
        from receval.protocols.evaluation import rank_judged
        from receval.protocols.protocol import Protocol
        from receval.seeds import generator
        from receval.splits.split import Fold
        from reproduction.simulation.complete_judgments import complete_judgments

        self.world = world
        self.protocol: Protocol = Protocol("AR", "AI")
        self._seeds = partial(generator, seed, "followups", "known-chances")
        trains = world.observed(TRAINS, self._seeds("train"))
        users, items = np.nonzero(trains)
        train = summed_matrix(users, items, world.ratings[trains], shape=trains.shape)
        self.complete: Judgments = complete_judgments(world.ratings, train)
        self.test_chances = TESTS * world.chances
        self.fold = Fold(train, self.complete, self.complete)
        self.ranks: dict[str, JudgedRanks] = {
            name: rank_judged(system.fit(train), self.fold, [self.protocol], self._seeds)[0]
            for name, system in systems().items()
        }

    @classmethod
    def of(cls, inputs: ArtifactInputs) -> Self:
        """Train the systems in the world that all artifacts share, of their sizes and seed."""
        from receval.seeds import generator
        from reproduction.simulation.complete_judgments import KnownChances

        users, items = (int(inputs.parameters[name]) for name in ("users", "items"))
        rng = generator(inputs.seed, "followups", "known-chances", "world")
        return cls(KnownChances.drawn(users, items, rng), inputs.seed)

    @property
    def truth(self) -> RankedFold:
        """The fold with all judgments as its unbiased ones."""
        everything = np.ones(len(self.complete), bool)
        return self._fold(0, everything, everything)

    def draws(self, number: int, per_user: int) -> Iterator[RankedFold]:
        """Yield a number of draws of the test, each with a sample of random items per user."""
        from reproduction.simulation.complete_judgments import drawn_at_random

        for draw in range(number):
            tested = self.world.observed(TESTS, self._seeds("test", draw))
            mask = tested[self.complete.users, self.complete.items]
            sampled = drawn_at_random(self.complete, per_user, self._seeds("sample", draw))
            yield self._fold(draw, mask, sampled)

    def _fold(
        self, number: int, tested: NDArray[np.bool_], sampled: NDArray[np.bool_]
    ) -> RankedFold:
        from receval.evaluation.fitted_systems import RankedFold
        from reproduction.simulation.complete_judgments import kept_judgments

        test, sample = (kept_judgments(self.complete, mask) for mask in (tested, sampled))
        # The ranks of many systems are read at these few positions.
        of_test, of_sample = np.flatnonzero(tested), np.flatnonzero(sampled)
        return RankedFold(
            number,
            replace(self.fold, test=test, unbiased=sample),
            {name: replace(own, ranks=own.ranks[of_test]) for name, own in self.ranks.items()},
            {name: replace(own, ranks=own.ranks[of_sample]) for name, own in self.ranks.items()},
        )
