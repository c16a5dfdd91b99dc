# SPDX-License-Identifier: MIT
"""Estimators of metrics in a world with known truth, over many random observations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.estimated import MAR, TRUTH, draw_rows, errors_of_draws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from receval.evaluation.fitted_systems import RankedFold
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
    from reproduction.studies.followups._shared.estimated import DrawnTests

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
