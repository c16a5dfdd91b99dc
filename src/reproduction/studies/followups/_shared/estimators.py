# SPDX-License-Identifier: MIT
"""Estimators of metrics: the folds that they read, their titles, and how good they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import real_values

if TYPE_CHECKING:
    from receval.evaluation.fitted_systems import RankedFold
    from reproduction.experiments.experiment import Experiment

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
