# SPDX-License-Identifier: MIT
"""Evaluation in strata of exposure, against judgments of random items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Column, Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b, pair_signs
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from receval.metrics.metric import Metric
    from reproduction.experiments.experiment import Experiment

STRATA = 2
"""As in the released experiments."""

RANDOM, WHOLE, BOTH = "random-items", "whole", "strata"

STRATUM = "stratum-{}"

TITLES = {
    WHOLE: "Whole test",
    BOTH: "Two strata",
    STRATUM.format(1): "First stratum",
    STRATUM.format(2): "Second stratum",
}
"""In the order of the table."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Measure the systems by the whole test, by each stratum of it, and by random items.

    Parameters of the artifact: ``names`` and ``metrics``.

    Columns: dataset; metric; judgments (``random-items``, those that were drawn; ``whole``, all
    test ratings; ``stratum-1`` and ``stratum-2``, those of less and of more exposed items,
    :mod:`reproduction.studies.followups._shared.strata_of_exposure`; ``strata``, both, averaged by
    their test ratings); system; value (mean over users with a relevant judgment, and over folds);
    share (of the test ratings, mean over folds); items (how many have them, mean over folds); tau
    (Kendall's tau-b of the order of the systems with that by random items); reversed (pairs of
    systems of which one is ahead in both strata, and the other here); pairs (of systems).
    """
    from receval.metrics.registry import parse_named

    metrics = parse_named(inputs.parameters["names"], inputs.parameters["metrics"])
    tables = [
        _of_experiment(experiment, list(metrics), list(metrics.values()))
        for experiment in inputs.experiments.values()
    ]
    return pd.concat(tables, ignore_index=True)


def _of_experiment(
    experiment: Experiment, names: Sequence[str], metrics: Sequence[Metric]
) -> pd.DataFrame:
    values, shares, items = _measured(experiment, metrics)
    rows = []
    for index, name in enumerate(names):
        own = {judgments: means[index] for judgments, means in values.items()}
        signs = {key: pair_signs(means, TOLERANCE_OF_MEANS) for key, means in own.items()}
        agreed = signs[STRATUM.format(1)] == signs[STRATUM.format(2)]
        for judgments, means in own.items():
            rows.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": name,
                        "judgments": judgments,
                        "system": experiment.all_systems,
                        "value": means,
                        "share": shares.get(judgments, 1.0),
                        "items": items[judgments],
                        "tau": _tau(own.get(RANDOM), means),
                        "reversed": int(
                            (agreed & (signs[judgments] * signs[STRATUM.format(1)] < 0)).sum()
                        ),
                        "pairs": len(agreed),
                    }
                )
            )
    return pd.concat(rows, ignore_index=True)


def _tau(random: NDArray[np.float64] | None, means: NDArray[np.float64]) -> float:
    if random is None:
        return float("nan")
    return float(kendall_tau_b(random, means, TOLERANCE_OF_MEANS).item())


def _measured(
    experiment: Experiment, metrics: Sequence[Metric]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float], dict[str, float]]:
    """Return values of the systems, shape (n_metrics, n_systems), and what is in the strata."""
    from reproduction.studies.followups._shared.strata_of_exposure import (
        mean_over_strata,
        means_in_strata,
        strata_of_exposure,
    )

    protocol, threshold = experiment.only_protocol, experiment.threshold
    strata = [STRATUM.format(number + 1) for number in range(STRATA)]
    values: dict[str, list[NDArray[np.float64]]] = {}
    shares: dict[str, list[float]] = {}
    items: dict[str, list[int]] = {}
    for number in experiment.folds:
        fold = experiment.fold(number)
        parts = {"test": {WHOLE: np.zeros(len(fold.test), dtype=np.int64)}}
        judgments = {"test": fold.test}
        if fold.unbiased is not None:
            parts["unbiased"] = {RANDOM: np.zeros(len(fold.unbiased), dtype=np.int64)}
            judgments["unbiased"] = fold.unbiased
        stratum = strata_of_exposure(fold, STRATA)
        for index, name in enumerate(strata):
            own = stratum == index
            shares.setdefault(name, []).append(float(own.mean()))
            items.setdefault(name, []).append(len(np.unique(fold.test.items[own])))
        by_system: dict[str, list[NDArray[np.float64]]] = {}
        for system in experiment.all_systems:
            for part, wholes in parts.items():
                ranks = experiment.judged_ranks(system, protocol, number, part)
                for name, all_of_it in wholes.items():
                    means = means_in_strata(
                        metrics, judgments[part], ranks, all_of_it, 1, threshold, protocol
                    )
                    by_system.setdefault(name, []).append(means[0])
                if part == "test":
                    means = means_in_strata(
                        metrics, fold.test, ranks, stratum, STRATA, threshold, protocol
                    )
                    by_system.setdefault(BOTH, []).append(mean_over_strata(means, stratum))
                    for name, own_means in zip(strata, means, strict=True):
                        by_system.setdefault(name, []).append(own_means)
        for name, found in by_system.items():
            values.setdefault(name, []).append(np.stack(found, axis=-1))
        for name, of_part in ((WHOLE, fold.test), (BOTH, fold.test), (RANDOM, fold.unbiased)):
            if of_part is not None:
                items.setdefault(name, []).append(len(np.unique(of_part.items)))
    return (
        {name: _over_folds(own) for name, own in values.items()},
        {name: float(np.mean(own)) for name, own in shares.items()},
        {name: float(np.mean(own)) for name, own in items.items()},
    )


def _over_folds(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the mean over folds in which the value is defined."""
    means: NDArray[np.float64] = np.nanmean(np.stack(values), axis=0)
    return means


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print tau with random items and the reversed pairs, a row a part of the test."""
    results = results.assign(tau=real_values(results["tau"]))
    metrics = list(dict.fromkeys(results["metric"]))
    found = results.drop_duplicates(["dataset", "metric", "judgments"])
    rows = []
    for dataset in dict.fromkeys(found["dataset"]):
        for judgments, title in TITLES.items():
            own = found[(found["dataset"] == dataset) & (found["judgments"] == judgments)]
            by_metric = own.set_index("metric").loc[metrics]
            reversed_pairs = by_metric["reversed"].astype(int).tolist()
            rows.append(
                (
                    display.datasets[str(dataset)],
                    title,
                    fixed(100 * float(own.iloc[0]["share"]), 1),
                    fixed(float(own.iloc[0]["items"]), 0),
                    *("–" if tau != tau else two_decimals(tau) for tau in by_metric["tau"]),
                    " ".join(map(str, reversed_pairs)) if judgments in (WHOLE, BOTH) else "–",
                )
            )
    columns = [
        Column("Dataset"),
        Column("Test ratings"),
        Column("Share, %", "right"),
        Column("Items", "right"),
        *(Column(f"{name}, tau", "right") for name in metrics),
        Column("Reversed", "right"),
    ]
    return printed(display, columns, rows)
