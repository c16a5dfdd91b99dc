# SPDX-License-Identifier: MIT
"""Estimators of metrics in a world with known truth, over many random observations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.estimators import MAR, SPREAD, draw_rows, with_titles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from receval.evaluation.ranked_systems import RankedFold
    from receval.missing_judgments.propensities import PropensityModel

TRUTH = "truth"
"""Name of the value by all judgments, among the estimators."""

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
    from receval.missing_judgments.intervened_tests import SKEW, WTD, WTD_H
    from receval.missing_judgments.propensities import (
        KnownPropensities,
        PopularityPropensities,
        SamplePropensities,
        StratifiedPropensities,
    )
    from receval.missing_judgments.rank_sums import rank_sum_of
    from receval.seeds import generator
    from reproduction.studies.followups._shared.drawn_tests import DrawnTests

    metrics = [rank_sum_of(str(label)) for label in inputs.parameters["metrics"]]
    tests = DrawnTests.of(inputs)
    models = [
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


def errors_of_draws(results: pd.DataFrame) -> pd.DataFrame:
    r"""Summarise the estimates over draws and systems.

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
