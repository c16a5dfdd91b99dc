# SPDX-License-Identifier: MIT
"""Which pairs of systems change order among sampled candidates, and how many suffice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.statistics.correlation import TOLERANCE_OF_MEANS
from receval.statistics.pairs import LEVEL, system_pairs
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.sampled_orders import (
    EVERY,
    SampledMoments,
    by_candidates,
)

if TYPE_CHECKING:
    from receval.sampled_metrics.sampled_moments import AuditedMoments

SURE = 0.95
"""The required probability of the right order."""

MOST = 0.9
"""The share of significant pairs that must be sure for a number of candidates to be enough."""

NEVER = "more"
"""Stands for "no tried number is enough"."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Return by pair the expected difference among samples and the probability of its order.

    Expectations and variances are those of the artifact ``sampled_orders``. The difference of two
    sampled averages is assumed to be normal, with its exact mean and variance over samples of all
    relevant items, independent for each system:
    :func:`receval.sampled_metrics.sampled_moments.swap_probability`.

    Parameters of the artifact: ``names`` and ``metrics``, a selection from those of
    ``sampled_orders``.

    Columns: dataset; sampling; metric; negatives; system_a, system_b; full_difference (of the means
    over relevant test ratings among all candidates, a minus b); full_p (of its
    t-test with independent users, :func:`receval.statistics.paired_tests.clustered_t_test`);
    expected_difference (among samples); right (probability that a sampled difference has the sign
    of the full one); flipped (``yes`` where the two differences have opposite signs).
    """
    from receval.sampled_metrics.sampled_moments import swap_probability

    metrics = inputs.named_metrics()
    moments = SampledMoments(inputs, metrics)
    orders = read_results(inputs.results["sampled_orders"])
    orders = orders[orders["negatives"].astype(str) != EVERY]
    orders = orders.assign(expected=real_values(orders["expected"]), sd=real_values(orders["sd"]))
    (experiment,) = inputs.experiments.values()
    systems = np.array(moments.systems)
    first, second = system_pairs(len(systems))
    pairs = list(zip(systems[first], systems[second], strict=True))
    full = moments.uniform.full
    differences = full[:, first] - full[:, second]
    p_values = {
        name: [_p_of_full(moments.uniform, row, str(one), str(other)) for one, other in pairs]
        for row, name in enumerate(metrics)
    }
    tables = []
    for (sampling, metric, negatives), own in orders.groupby(
        ["sampling", "metric", "negatives"], sort=False
    ):
        if metric not in metrics:
            continue
        by_system = own.set_index("system").loc[systems]
        means, deviations = by_system[["expected", "sd"]].to_numpy(dtype=np.float64).T
        difference = differences[list(metrics).index(str(metric))]
        expected = means[first] - means[second]
        spread = deviations[first] ** 2 + deviations[second] ** 2
        tables.append(
            pd.DataFrame(
                {
                    "dataset": experiment.dataset,
                    "sampling": sampling,
                    "metric": metric,
                    "negatives": int(negatives),
                    "system_a": systems[first],
                    "system_b": systems[second],
                    "full_difference": difference,
                    "full_p": p_values[str(metric)],
                    "expected_difference": expected,
                    "flipped": np.where(difference * expected < 0, "yes", "no"),
                    "right": 1 - swap_probability(difference, expected, spread),
                }
            )
        )
    return by_candidates(pd.concat(tables, ignore_index=True), "sampling", "metric")


def _p_of_full(moments: AuditedMoments, metric: int, first: str, second: str) -> float:
    """Test the difference of two means over relevant ratings, with independent users."""
    from receval.statistics.paired_tests import clustered_t_test

    one, other = (moments.full_items[name][:, metric] for name in (first, second))
    counts = np.bincount(moments.owners)
    sums = np.bincount(moments.owners, weights=one - other).astype(np.float64)
    return clustered_t_test(sums[counts > 0], counts[counts > 0])


def flips(results: pd.DataFrame) -> pd.DataFrame:
    """Count flipped pairs by sampling, metric and number of candidates.

    Columns: sampling; metric; negatives; pairs (that differ among all candidates); flipped (their
    expected difference has the other sign); significant (they differ significantly at .05 among all
    candidates); significant_flipped (significant and flipped); unsure (significant, with a
    probability of the right order below .95).
    """
    full, expected, p_values, right = (
        real_values(results[name])
        for name in ("full_difference", "expected_difference", "full_p", "right")
    )
    differs = np.abs(full) > TOLERANCE_OF_MEANS
    turned = differs & (full * expected < 0)
    significant = differs & (p_values < LEVEL)
    table = results.assign(
        pairs=differs,
        flipped=turned,
        significant=significant,
        significant_flipped=significant & turned,
        unsure=significant & (right < SURE),
    )
    columns = ["pairs", "flipped", "significant", "significant_flipped", "unsure"]
    return (
        table.groupby(["sampling", "metric", "negatives"], sort=False)[columns].sum().reset_index()
    )


def sure_from(counts: pd.DataFrame, share: float) -> str:
    """Return the number of candidates from which on so many significant pairs are sure."""
    return _after_the_last(counts, 1 - counts["unsure"] / counts["significant"] < share)


def steady_from(counts: pd.DataFrame) -> str:
    """Return the number of candidates from which on no pair is flipped."""
    return _after_the_last(counts, counts["flipped"] > 0)


def _after_the_last(counts: pd.DataFrame, short: pd.Series) -> str:
    """Return the least number of candidates above all that fall short."""
    sizes = counts["negatives"]
    enough = sizes[sizes > sizes[short].max()] if short.any() else sizes
    return f"{int(enough.min()):,}" if len(enough) else NEVER


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per sampling and metric: flipped pairs, sure pairs, and enough candidates.

    Parameters of the artifact: ``printed`` and ``sure_at``, numbers of candidates.
    """
    counts = flips(results)
    sizes = sorted(set(counts["negatives"]))
    shown = [int(size) for size in display.parameters["printed"] if int(size) in sizes]
    sure_at = [int(size) for size in display.parameters["sure_at"] if int(size) in sizes]
    rows = []
    for (sampling, metric), own in counts.groupby(["sampling", "metric"], sort=False):
        by_size = own.set_index("negatives")
        cells = [
            f"{by_size.loc[size, 'flipped']} ({by_size.loc[size, 'significant_flipped']})"
            for size in shown
        ]
        sure = 1 - by_size["unsure"] / by_size["significant"]
        cells += [fixed(100 * float(sure[size]), 0) for size in sure_at]
        cells += [sure_from(own, MOST), steady_from(own)]
        rows.append((str(sampling).capitalize(), str(metric), *cells))
    heads = [f"{size:,}" for size in shown]
    heads += [f"Sure at {size:,} (%)" for size in sure_at]
    heads += [f"{fixed(100 * MOST, 0)} % sure from", "None flipped from"]
    return printed(display, ("Drawn", "Metric"), heads, rows)
