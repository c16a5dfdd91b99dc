# SPDX-License-Identifier: MIT
"""Estimators of metrics in a world with known truth, over observations or powers of popularity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line, plain_ticks
from receval.figures.display import DisplayStyle
from receval.figures.finish import NOTE_COLOUR, with_legend
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.figures.tables import Table
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.estimated_values import (
    MAR,
    TRUTH,
    draw_rows,
    printed_by_metric,
    ranked_folds_of,
    with_titles,
)
from reproduction.studies.metric_studies.rank_stability import SPREAD

if TYPE_CHECKING:
    from typing import Self

    from receval.evaluation.fitted_systems import RankedFold
    from receval.missing_judgments.propensities import PropensityModel
    from receval.protocols.judged_ranks import JudgedRanks
    from receval.recommenders.base import Recommender
    from receval.splits.split import Judgments
    from reproduction.simulation.complete_judgments import KnownChances

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
        from receval.data.ratings import summed_matrix
        from receval.protocols.evaluation import rank_judged
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

        for index in range(number):
            tested = self.world.observed(TESTS, self._seeds("test", index))
            mask = tested[self.complete.users, self.complete.items]
            sampled = drawn_at_random(self.complete, per_user, self._seeds("sample", index))
            yield self._fold(index, mask, sampled)

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


SAMPLED = 10
"""Random items per user, which give rating values their propensities and WTD its shares."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Estimate the metrics of all systems in every draw of the test.

    Parameters of the artifact: ``metrics``; ``draws``, the number of draws of the test; ``users``
    and ``items`` of the world (:class:`reproduction.simulation.complete_judgments.KnownChances`);
    ``per_user``, numbers of randomly drawn items for the estimator MAR.

    Columns: metric; estimator (``truth``, by all judgments, occurs once); propensities (its
    weights, or the number of random items); draw; system; estimate.

    The table that reads these results has the columns of :func:`errors_of_draws`.
    """
    if inputs.results:
        return errors_of_draws(read_results(inputs.results["estimated_orders"]))
    from receval.missing_judgments.estimators import additive_metric_of, estimates_of_folds
    from receval.missing_judgments.judgment_sampling import SKEW, WTD, WTD_H
    from receval.missing_judgments.propensities import (
        KnownPropensities,
        PopularityPropensities,
        SamplePropensities,
        StratifiedPropensities,
    )

    metrics = [additive_metric_of(str(label)) for label in inputs.parameters["metrics"]]
    tests = DrawnTests.of(inputs)
    models: list[PropensityModel] = [
        KnownPropensities(tests.test_chances),
        PopularityPropensities(),
        StratifiedPropensities(10),
        SamplePropensities(),
    ]
    interventions = {
        test: lambda number, name=test.name: generator(
            inputs.seed, "followups", "known-chances", name, number
        )
        for test in (SKEW, WTD_H, WTD)
    }

    def estimates(ranked: RankedFold, used: Sequence[PropensityModel] = ()) -> pd.DataFrame:
        found = estimates_of_folds(
            [ranked],
            list(tests.ranks),
            metrics,
            list(used),
            tests.protocol,
            4.0,
            interventions=interventions if used else None,
        )
        # All estimators of the test itself, or the random items alone.
        return found[(found["estimator"] == MAR) != bool(used)]

    draws = int(inputs.parameters["draws"])
    tables = [estimates(tests.truth).assign(estimator=TRUTH, draw="")]
    tables += [
        estimates(ranked, models).assign(draw=str(ranked.number))
        for ranked in tests.draws(draws, SAMPLED)
    ]
    tables += [
        estimates(ranked).assign(propensities=f"{per_user} a user", draw=str(ranked.number))
        for per_user in map(int, inputs.parameters["per_user"])
        for ranked in tests.draws(draws, per_user)
    ]
    table = pd.concat(tables, ignore_index=True).rename(columns={"value": "estimate"})
    keys = ["metric", "estimator", "propensities", "draw", "system"]
    return table.sort_values("metric", kind="stable")[[*keys, "estimate"]].reset_index(drop=True)


def per_user(titles: pd.Series[str]) -> pd.Series[str]:
    """Return titles of rows as they are printed; the CSV has them as they were accepted."""
    return titles.str.replace(" a user", " per user")


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau with the true order and the error of a draw, with one row per estimator."""
    errors = errors_of_draws(results)
    errors["title"] = per_user(errors["title"])
    return draw_rows(
        [("simulated data", errors)],
        display,
        left=("tau", "tau_low", "tau_high"),
        right=("rmse", "rmse", "rmse"),
        labels=("$\\tau$ with the true order", "Error (% of the true value, log scale)"),
        unity=False,
    )


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per estimator: bias, standard deviation, error and tau under each metric."""
    return printed_by_metric(
        results.assign(title=per_user(results["title"])),
        display,
        {"Estimator": "title"},
        {
            "bias": ("bias", lambda bias: fixed(bias, 1, signed=True)),
            "SD": ("sd", lambda deviation: fixed(deviation, 1)),
            "RMSE": ("rmse", lambda error: fixed(error, 1)),
            "tau": ("tau", two_decimals),
        },
    )


GENERATED_TITLE = "simulated data"

TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Ticks of ratios that lie within the panel."""

TAU, RATIO = "$\\tau$ with the reference", "Estimate / reference (log scale)"

GENERATED = "known-chances"
"""Name of the generated world in the column ``source``; all other sources are datasets."""


def summary_of_powers(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise the artifact ``estimated_powers`` over systems and draws.

    One row per source, metric and exponent, with the columns tau (Kendall's tau-b of the order of
    the systems with that of the reference) and ratio (median over the systems of the estimate over
    the reference), both means over draws, and the 5th and 95th percentile of the draws as tau_low,
    tau_high, ratio_low and ratio_high; sorted by exponent.
    """
    numbers = {name: real_values(results[name]) for name in ("exponent", "estimate", "reference")}
    table = results.assign(**numbers)
    rows = []
    keys = ["source", "metric", "exponent"]
    for (source, metric, exponent), own in table.groupby(keys, sort=False):
        taus, ratios = [], []
        for _, draw in own.groupby("draw", sort=False, dropna=False):
            estimate, reference = draw["estimate"].to_numpy(), draw["reference"].to_numpy()
            taus.append(kendall_tau_b(estimate, reference, TOLERANCE_OF_MEANS).item())
            there = reference > 0
            ratios.append(float(np.median(estimate[there] / reference[there])))
        row = {"source": source, "metric": metric, "exponent": exponent}
        for name, values in (("tau", taus), ("ratio", ratios)):
            low, high = np.percentile(values, SPREAD)
            row |= {name: float(np.mean(values)), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows).sort_values(keys, kind="stable")


def data_powers(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Estimate the metrics of all systems by SNIPS with powers of popularity.

    Propensities are proportional to :math:`|R(i)|^\alpha` of the item's ratings R(i).

    Parameters of the artifact: ``metrics``; ``powers``; ``draws``, ``users`` and ``items`` of the
    generated world; the draws are those of :mod:`.estimated_orders`.

    Columns: source (a dataset, or ``known-chances``, the generated world); metric; exponent (of
    popularity); draw (of the generated world's test); system; estimate; reference (by
    judgments of random items, or by all judgments of the world).
    """

    tables = [
        _estimated(
            inputs,
            ranked_folds_of(experiment),
            experiment.all_systems,
            experiment.only_protocol,
            experiment.threshold,
        ).assign(source=experiment.dataset, draw="")
        for experiment in inputs.experiments.values()
    ]
    tests = DrawnTests.of(inputs)
    systems, protocol = tuple(tests.ranks), tests.protocol
    truth = _estimated(inputs, [tests.truth], systems, protocol, 4.0)
    reference = truth.set_index(["metric", "exponent", "system"])["reference"]
    for ranked in tests.draws(int(inputs.parameters["draws"]), per_user=1):
        own = _estimated(inputs, [ranked], systems, protocol, 4.0)
        places = pd.MultiIndex.from_frame(own[["metric", "exponent", "system"]])
        true = reference.reindex(places).to_numpy()
        tables.append(own.assign(reference=true, source=GENERATED, draw=str(ranked.number)))
    columns = ["source", "metric", "exponent", "draw", "system", "estimate", "reference"]
    return pd.concat(tables, ignore_index=True)[columns]


def _estimated(
    inputs: ArtifactInputs,
    folds: Iterable[RankedFold],
    systems: tuple[str, ...],
    protocol: Protocol,
    threshold: float,
) -> pd.DataFrame:
    """Return SNIPS for every power, and the values by unbiased judgments as reference."""
    from receval.missing_judgments.estimators import additive_metric_of, estimates_of_folds
    from receval.missing_judgments.propensities import PopularityPropensities

    metrics = [additive_metric_of(str(label)) for label in inputs.parameters["metrics"]]
    models = {
        PopularityPropensities(float(power)): f"{float(power):g}"
        for power in inputs.parameters["powers"]
    }
    found = estimates_of_folds(list(folds), systems, metrics, list(models), protocol, threshold)
    powers = {model.label: power for model, power in models.items()}
    own = found[found["estimator"] == "SNIPS"]
    references = found[found["estimator"] == MAR].set_index(["metric", "system"])["value"]
    places = pd.MultiIndex.from_frame(own[["metric", "system"]])
    return (
        own.assign(
            exponent=own["propensities"].map(powers),
            estimate=own["value"],
            reference=references.reindex(places).to_numpy(),
        )
        .sort_values("metric", kind="stable")
        .reset_index(drop=True)
    )


def draw_powers(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau (above) and the ratio (below) by the power, in a column per dataset and world."""
    found = summary_of_powers(results)
    sources = list(dict.fromkeys(results["source"]))
    metrics = list(dict.fromkeys(results["metric"]))
    styles = display.metric_styles(metrics)
    figure = new_figure(DOUBLE_COLUMN, 3.8)
    grid = figure.subplots(2, len(sources), sharex=True, sharey="row", squeeze=False)
    for column, source in zip(grid.T, sources, strict=True):
        title = GENERATED_TITLE if source == GENERATED else display.datasets[str(source)]
        for axes, name in zip(column, ("tau", "ratio"), strict=True):
            # The numerators of SNIPS differ only by a factor between metrics, so there is one
            # order.
            for metric in metrics[:1] if name == "tau" else metrics:
                own = found[(found["source"] == source) & (found["metric"] == metric)]
                band = (own[f"{name}_low"], own[f"{name}_high"]) if source == GENERATED else None
                line(
                    axes, own["exponent"], real_values(own[name]), styles[metric], metric, band=band
                )
        for axes, what in zip(column, ("Order", "Size"), strict=True):
            axes.set_title(f"{what}, {title}")
        column[0].axhline(0, color=NOTE_COLOUR, linewidth=0.7)
        column[1].axhline(1, color=NOTE_COLOUR, linewidth=0.7)
        column[1].set_xlabel("Power of popularity")
    grid[1, 0].set_yscale("log")
    plain_ticks(grid[1, 0].yaxis, TICKS)
    ratios = found[["ratio", "ratio_low", "ratio_high"]].to_numpy()
    grid[1, 0].set_ylim(0.9 * min(ratios.min(), 0.5), 1.1 * max(ratios.max(), 2.0))
    grid[0, 0].set_ylabel(TAU)
    grid[1, 0].set_ylabel(RATIO)
    return with_legend(grid.flat)
