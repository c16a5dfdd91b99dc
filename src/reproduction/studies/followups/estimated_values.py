# SPDX-License-Identifier: MIT
"""Estimates of metrics from chosen ratings, compared with judgments of random items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.estimated import (
    MAR,
    draw_rows,
    ranked_folds_of,
    ratios_to_mar,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from receval.missing_judgments.estimates_of_systems import FoldGenerator
    from reproduction.experiments.experiment import Experiment


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Estimate the metrics of all systems by all estimators.

    Parameter of the artifact: ``metrics``, such as P@10
    (:mod:`receval.missing_judgments.estimators`).

    Columns: dataset; metric; estimator (naive, IPS, SNIPS, SKEW, WTD_H, WTD, and MAR, by the
    judgments of randomly drawn items); propensities (its weights, or empty); system; value;
    standard_error (over users, given the weights); judgments (how many it uses, over all folds);
    effective_size (the equivalent number of equally weighted judgments).
    """
    from receval.missing_judgments.estimates_of_systems import estimates_of_folds
    from receval.missing_judgments.estimators import additive_metric_of
    from receval.missing_judgments.intervened_tests import SKEW, WTD, WTD_H
    from receval.missing_judgments.propensities import (
        PopularityPropensities,
        SamplePropensities,
        StratifiedPropensities,
    )
    from receval.seeds import generator

    metrics = [additive_metric_of(str(label)) for label in inputs.parameters["metrics"]]
    tables = []
    for experiment in inputs.experiments.values():

        def seeded(name: str, experiment: Experiment = experiment) -> FoldGenerator:
            names = (experiment.dataset, experiment.split, "intervened", name)
            return lambda number: generator(inputs.seed, *names, number)

        table = estimates_of_folds(
            ranked_folds_of(experiment),
            experiment.all_systems,
            metrics,
            [PopularityPropensities(), StratifiedPropensities(10), SamplePropensities()],
            experiment.only_protocol,
            experiment.threshold,
            interventions={test: seeded(test.name) for test in (SKEW, WTD_H, WTD)},
        )
        tables.append(table.assign(dataset=experiment.dataset))
    keys = ["dataset", "metric", "estimator", "propensities", "system"]
    columns = [*keys, "value", "standard_error", "judgments", "effective_size"]
    table = pd.concat(tables, ignore_index=True)
    order = np.lexsort([pd.factorize(table[name])[0] for name in reversed(keys)])
    return table.iloc[order][columns].reset_index(drop=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw tau with and ratios to the values on random items, one row per estimator."""
    found = ratios_to_mar(results)
    shown = found[found["estimator"] != MAR]
    panels = [
        (title, shown[shown["dataset"] == dataset])
        for dataset, title in display.datasets.items()
        if dataset in set(shown["dataset"])
    ]
    return draw_rows(
        panels,
        display,
        left=("tau", "tau", "tau"),
        right=("ratio", "ratio_low", "ratio_high"),
        labels=("$\\tau$ with the order by random items", "Estimate / value by random items"),
        unity=True,
    )
