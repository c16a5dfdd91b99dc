# SPDX-License-Identifier: MIT
"""Measure which metrics discriminate between systems, and are robust to missing judgments."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.diagnosis.baselines import BaselineLists
from receval.metrics.averages import Arithmetic
from receval.metrics.evaluation import evaluate, evaluated_lists
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
from receval.missing_judgments.judgment_sampling import SamplingUnit, kept_units, sampling_order
from receval.seeds import generator, seed_sequence
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.statistics.multiple_comparisons import discriminative_power
from receval.statistics.permutation import permutation_test

PERCENTS = (100.0, 50.0, 20.0, 10.0, 5.0)
"""Shares of the test ratings that are kept."""

TOLD_PERCENT = 10.0
"""The share at which the robustness of metrics is compared."""

SAMPLES = 20
"""Random samples of the test ratings at each level."""

POPULAR_PERCENT = 90.0
"""Share of the items that keep their test ratings when the most popular ones lose theirs."""

PERMUTATIONS = 10_000

_NAMES = ("P", "Recall", "AP", "nDCG", "RR")
_WITH_DISLIKED = ("bpref", "infAP")


def metrics_for(n_items: int, has_disliked: bool) -> list[str]:
    """Return the labels of the metrics that are compared.

    These are precision, recall, average precision, nDCG and reciprocal rank at a shallow and a deep
    cut-off: 10 and 100, or 5 and 20 with fewer than 200 items. If some judged items are not
    relevant, bpref and infAP at the deep cut-off are added.
    """
    shallow, deep = (10, 100) if n_items >= 200 else (5, 20)
    deep_names = (*_NAMES, *(_WITH_DISLIKED if has_disliked else ()))
    return [f"{name}@{shallow}" for name in _NAMES] + [f"{name}@{deep}" for name in deep_names]


def values_of_tested_users(lists: list[JudgedLists], labels: list[str]) -> np.ndarray:
    """Return the values of users with test ratings, shape (n_metrics, n_systems, n_users)."""
    chosen = evaluated_lists(lists[0], "tested")
    metrics = [parse(label) for label in labels]
    return np.stack([evaluate(metrics, own)[:, chosen] for own in lists], axis=1)


def metric_sensitivity(
    baselines: BaselineLists, labels: list[str], values: np.ndarray, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure the discriminative power of metrics and their robustness to missing judgments.

    The first table has a row for each metric: ``same_as``, the first metric of which it is a
    multiple for every user (under leave-one-out, precision is recall over the cut-off);
    ``p_value_sum`` over ``pairs`` of systems (lower is more discriminative); ``significant_pairs``
    (p below .05, not corrected); ``tau`` (Kendall's tau-b between the orders of systems with 10 %
    of the test ratings and with all, mean over samples); ``tau_popular`` (the same if the tenth of
    the items with most test ratings loses them); and ``power_rank`` and ``robustness_rank``, the
    ranks of ``p_value_sum`` and ``tau``. The second has ``metric``, ``kept_percent``, ``tau`` and
    its 5th and 95th percentile over samples.

    Sources: Valcarce et al. (2018) and (2020); discriminative power is Sakai's (2006), as the sum
    of p-values.
    """
    test = permutation_test(values, seed_sequence(seed, "diagnosis", "signs"), PERMUTATIONS)
    power = discriminative_power(test.p_values)
    samples, popular = _taus(baselines, labels, seed)
    told = PERCENTS.index(TOLD_PERCENT)
    computable = ~np.isnan(samples[told]).all(axis=0)
    tau = np.full(len(labels), np.nan)
    tau[computable] = np.nanmean(samples[told][:, computable], axis=0)
    metrics = pd.DataFrame(
        {
            "metric": labels,
            "same_as": [labels[own] for own in _first_multiples(values)],
            "p_value_sum": power,
            "significant_pairs": (test.p_values < 0.05).sum(axis=1),
            "pairs": test.p_values.shape[1],
            "tau": tau,
            "tau_popular": popular,
        }
    )
    # Sums that differ by less than 10,000 samples can resolve share a rank, as do equal taus.
    metrics["power_rank"] = metrics["p_value_sum"].round(3).rank(method="min").astype(int)
    falling = metrics["tau"].round(3).fillna(-1.0)
    metrics["robustness_rank"] = falling.rank(method="min", ascending=False).astype(int)
    rows = []
    for level, percent in enumerate(PERCENTS[1:], start=1):
        for number, label in enumerate(labels):
            own = samples[level][:, number]
            own = own[~np.isnan(own)]
            low, high = np.percentile(own, (5, 95)) if len(own) else (np.nan, np.nan)
            mean = float(own.mean()) if len(own) else np.nan
            rows.append((label, percent, mean, low, high))
    columns = ["metric", "kept_percent", "tau", "tau_low", "tau_high"]
    return metrics, pd.DataFrame(rows, columns=columns)


def _first_multiples(values: np.ndarray) -> list[int]:
    """Return for each metric the first metric of which it is a multiple."""
    flat = values.reshape(len(values), -1)
    shares = flat / np.maximum(flat.max(axis=1, keepdims=True), np.finfo(float).tiny)
    return [
        next(other for other in range(own + 1) if np.allclose(shares[other], shares[own]))
        for own in range(len(flat))
    ]


def _taus(baselines: BaselineLists, labels: list[str], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return taus by level, sample and metric, and the tau of each metric without popular items."""
    samples = np.empty((len(PERCENTS), SAMPLES, len(labels)))
    popular = np.empty(len(labels))
    # One pass computes all metrics at the same cut-off.
    by_cutoff: dict[int | None, list[int]] = {}
    for number, label in enumerate(labels):
        by_cutoff.setdefault(parse(label).cutoff, []).append(number)
    for numbers in by_cutoff.values():
        metrics = [AggregatedMetric(parse(labels[n]), Arithmetic()) for n in numbers]
        reduced = IncompleteFold(baselines.lists[0], metrics)

        def taus(unit: SamplingUnit, draw: int, percents: tuple[float, ...]) -> np.ndarray:
            order, units = sampling_order(
                baselines.fold.test, unit, generator(seed, "diagnosis", unit, draw)
            )
            kept = np.minimum.accumulate(kept_units(units, np.array(percents)))
            left, _ = reduced.values(order, kept)  # noqa: B023 - called within its round
            return np.stack(
                [
                    kendall_tau_b(own[:1], own, TOLERANCE_OF_MEANS)[0]
                    for own in left.transpose(1, 0, 2)
                ],
                axis=1,
            )

        for draw in range(SAMPLES):
            samples[:, draw, numbers] = taus("ratings", draw, PERCENTS)
        popular[numbers] = taus("popular-items", 0, (100.0, POPULAR_PERCENT))[1]
    return samples, popular
