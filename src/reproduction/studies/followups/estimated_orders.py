# SPDX-License-Identifier: MIT
"""Estimators of metrics in a world with known truth, over many random observations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.estimate_errors import TRUTH, errors_of_draws
from reproduction.studies.followups._shared.estimator_names import MAR
from reproduction.studies.followups._shared.estimator_rows import draw_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from receval.evaluation.ranked_systems import RankedFold
    from receval.missing_judgments.propensities import PropensityModel

SAMPLED = 10
"""Random items per user, which give rating values their propensities and WTD its shares."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Estimate the metrics of all systems in every draw of the test.

    Parameters of the artifact: ``metrics``; ``draws``, the number of draws of the test; ``users``
    and ``items`` of the world (:class:`reproduction.simulation.complete_judgments.KnownChances`);
    ``per_user``, numbers of randomly drawn items for the estimator MAR.

    Columns: metric; estimator (``truth``, by all judgments, occurs once); propensities (its
    weights, or the number of random items); draw; system; estimate.
    """
    from receval.missing_judgments.estimates_of_systems import estimates_of_folds
    from receval.missing_judgments.estimators import additive_metric_of
    from receval.missing_judgments.intervened_tests import SKEW, WTD, WTD_H
    from receval.missing_judgments.propensities import (
        KnownPropensities,
        PopularityPropensities,
        SamplePropensities,
        StratifiedPropensities,
    )
    from receval.seeds import generator
    from reproduction.simulation.complete_judgments import KnownChances
    from reproduction.studies.followups._shared.drawn_tests import DrawnTests

    parameters = inputs.parameters
    metrics = [additive_metric_of(str(label)) for label in parameters["metrics"]]
    rng = generator(inputs.seed, "followups", "known-chances", "world")
    world = KnownChances.drawn(int(parameters["users"]), int(parameters["items"]), rng)
    tests = DrawnTests(world, inputs.seed)
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

    def estimates(
        folds: Iterable[RankedFold], used: Sequence[PropensityModel], *, with_tests: bool
    ) -> pd.DataFrame:
        return estimates_of_folds(
            folds,
            list(tests.ranks),
            metrics,
            used,
            tests.protocol,
            4.0,
            interventions=interventions if with_tests else None,
        )

    truth = estimates([tests.truth], [], with_tests=False)
    tables = [truth[truth["estimator"] == MAR].assign(estimator=TRUTH, draw="")]
    draws = int(parameters["draws"])
    for ranked in tests.draws(draws, SAMPLED):
        table = estimates([ranked], models, with_tests=True)
        tables.append(table[table["estimator"] != MAR].assign(draw=str(ranked.number)))
    for per_user in map(int, parameters["per_user"]):
        for ranked in tests.draws(draws, per_user):
            table = estimates([ranked], [], with_tests=False)
            tables.append(
                table[table["estimator"] == MAR].assign(
                    propensities=f"{per_user} a user", draw=str(ranked.number)
                )
            )
    table = pd.concat(tables, ignore_index=True).rename(columns={"value": "estimate"})
    keys = ["metric", "estimator", "propensities", "draw", "system"]
    return table.sort_values("metric", kind="stable")[[*keys, "estimate"]].reset_index(drop=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau with the true order and the error of a draw, with one row per estimator."""
    return draw_rows(
        [("Generated world", errors_of_draws(results))],
        display,
        left=("tau", "tau_low", "tau_high"),
        right=("rmse", "rmse", "rmse"),
        labels=("$\\tau$ with the true order", "Error (% of the true value)"),
        unity=False,
    )
