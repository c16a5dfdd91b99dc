# SPDX-License-Identifier: MIT
"""Lexirecall beside other metrics: p-values of pairs of systems, and rank stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.metrics.averages import MEAN_DECIMALS
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.statistics.multiple_comparisons import discriminative_power, holm
from receval.statistics.pairs import LEVEL, system_pairs
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.metric_studies.p_values import draw_curves
from reproduction.studies.metric_studies.rank_stability import draw as draw_by_share

if TYPE_CHECKING:
    from reproduction.studies.metric_studies.rank_stability import SampledValues

LEXIRECALL = "lexirecall"
"""Name of lexirecall among the metrics of the artifact ``lexirecall_p_values``."""

draw_p_values, draw_stability = draw_curves, draw_by_share

TESTS = {"sign": "p_sign", "permutation": "p_value"}
"""The columns of p-values by test."""


def power_of_metrics(inputs: ArtifactInputs) -> pd.DataFrame:
    """Summarise the artifact ``lexirecall_p_values``, one row per metric.

    Columns: metric; ties (share of users for whom a pair is tied, mean over pairs); sign and
    permutation (numbers of pairs that are significant at .05 by Holm's method); power_sign and
    power_permutation (sums of the p-values of all pairs; lower is better); tau (Kendall's, between
    the order of systems by mean preference and lexirecall's); systems (how many).
    """
    results = read_results(inputs.results["lexirecall_p_values"])
    rows = []
    orders = {}
    for metric, own in results.groupby("metric", sort=False):
        wins, losses, tied = (
            real_values(own[name]) for name in ("preferring_a", "preferring_b", "tied")
        )
        p_values = {test: real_values(own[column]) for test, column in TESTS.items()}
        margins = pd.Series(wins - losses, index=own.index)
        names = list(dict.fromkeys([*own["system_a"], *own["system_b"]]))
        orders[str(metric)] = [
            float(margins[own["system_a"] == name].sum() - margins[own["system_b"] == name].sum())
            for name in names
        ]
        rows.append(
            {
                "metric": str(metric),
                "ties": float((tied / (wins + losses + tied)).mean()),
                **{test: int((holm(p) < LEVEL).sum()) for test, p in p_values.items()},
                **{f"power_{test}": discriminative_power(p) for test, p in p_values.items()},
                "systems": len(names),
            }
        )
    taus = [float(kendall_tau_b(own, orders[LEXIRECALL])[0, 0]) for own in orders.values()]
    table = pd.DataFrame(rows)
    table.insert(len(table.columns) - 1, "tau", taus)
    return table


def data_p_values(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count the users who are better served by each system of a pair, under every metric.

    Parameters of the artifact: ``names`` and ``metrics``; ``permutations``, the number of samples
    of the permutation test.

    Columns: dataset; metric (``lexirecall`` is the last); system_a, system_b; preferring_a,
    preferring_b and tied (numbers of users, by their means over folds; for lexirecall, over all
    folds together); p_sign (of the exact sign test of these); p_value (of the permutation test of
    the difference in means, which is the sign test for preferences); permutations (number of
    samples of signs).

    The table that reads these results has the columns of :func:`power_of_metrics`.
    """
    if inputs.results:
        return power_of_metrics(inputs)
    from receval.statistics.paired_tests import sign_test_of_counts
    from reproduction.experiments.lexirecall_orders import LexirecallLists
    from reproduction.experiments.values import means_of_users, p_values

    metrics = inputs.named_metrics()
    (experiment,) = inputs.experiments.values()
    systems = np.array(experiment.all_systems)
    first, second = system_pairs(len(systems))
    permutations = int(inputs.parameters["permutations"])
    tested = p_values([experiment], metrics, inputs.seed, permutations)
    values = np.round(means_of_users(experiment, list(metrics.values())), MEAN_DECIMALS)
    counts = {
        name: np.array(
            [
                (np.sum(own[one] > own[other]), np.sum(own[one] < own[other]), own.shape[1])
                for one, other in zip(first, second, strict=True)
            ]
        )
        for name, own in zip(metrics, values, strict=True)
    }
    wins = np.zeros((len(systems), len(systems)), dtype=np.int64)
    users = 0
    for number in experiment.folds:
        lists = LexirecallLists.of_fold(experiment, number)
        wins += lists.preferences()
        users += lists.n_users_with_relevant
    ends = np.full(len(first), users)
    counts[LEXIRECALL] = np.stack([wins[first, second], wins[second, first], ends], axis=1)
    tables = []
    for name, (wins, losses, paired) in ((name, own.T) for name, own in counts.items()):
        p_sign = sign_test_of_counts(wins, losses)
        permuted = tested.loc[tested["metric"] == name, "p_value"].to_numpy()
        tables.append(
            pd.DataFrame(
                {
                    "dataset": experiment.dataset,
                    "metric": name,
                    "system_a": systems[first],
                    "system_b": systems[second],
                    "preferring_a": wins,
                    "preferring_b": losses,
                    "tied": paired - wins - losses,
                    "p_sign": p_sign,
                    "p_value": permuted if len(permuted) else p_sign,
                    "permutations": permutations,
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def tabulate_p_values(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the summary of every metric, lexirecall first."""
    table = results.set_index("metric")
    names = [LEXIRECALL, *(name for name in table.index if name != LEXIRECALL)]
    rows = [
        (
            name.capitalize() if name == LEXIRECALL else name,
            fixed(100 * float(table.loc[name, "ties"]), 1),
            *(str(int(table.loc[name, test])) for test in ("sign", "permutation")),
            *(
                fixed(float(table.loc[name, f"power_{test}"]), 2)
                for test in ("sign", "permutation")
            ),
            two_decimals(float(table.loc[name, "tau"])),
        )
        for name in names
    ]
    headings = ("Ties (%)", "Pairs, sign", "Pairs, perm.", "DP, sign", "DP, perm.", "$`\\tau`$")
    return printed(display, ["Metric"], headings, rows)


def data_stability(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rank stability of the sampled metrics, and of lexirecall under the same samples.

    Parameters of the artifact: ``names`` and ``metrics``, of the judgment sampling; ``unit``, what
    is removed in it.

    The columns are those of
    :func:`reproduction.studies.metric_studies.rank_stability.rank_stability`.
    Lexirecall's order is that of the mean preferences of
    :mod:`reproduction.experiments.lexirecall_orders`, averaged over folds.
    """
    from reproduction.experiments.lexirecall_orders import LEXIRECALL
    from reproduction.studies.metric_studies.rank_stability import (
        rank_stability,
        read_samplings,
        summary_rows,
    )

    metrics = inputs.named_metrics()
    (path,) = inputs.judgment_samplings.values()
    (values,) = read_samplings(path)
    taus = _taus_of_lexirecall(inputs, values)
    return pd.concat(
        [
            rank_stability([values], metrics, "arithmetic"),
            summary_rows(values, "arithmetic", LEXIRECALL, taus, "tau"),
        ],
        ignore_index=True,
    )


def _taus_of_lexirecall(inputs: ArtifactInputs, values: SampledValues) -> NDArray:
    """Compare lexirecall's order at each level and sample with that under all judgments."""
    from receval.missing_judgments.judgment_sampling import kept_units
    from reproduction.experiments.lexirecall_orders import LexirecallLists
    from reproduction.experiments.universes import sample_of_experiment

    (experiment,) = inputs.experiments.values()
    n_samples = values.values.shape[1]
    complete = np.zeros(len(values.systems))
    left = np.zeros((len(values.percents), n_samples, len(values.systems)))
    for number in experiment.folds:
        lists = LexirecallLists.of_fold(experiment, number)
        complete += lists.mean_preferences()
        for sample in range(n_samples):
            order, n_units = sample_of_experiment(
                experiment, number, inputs.parameters["unit"], sample, inputs.seed
            )
            for level, count in enumerate(kept_units(n_units, values.percents)):
                left[level, sample] += lists.mean_preferences(order < count)
    flat = left.reshape(-1, len(values.systems))
    return kendall_tau_b(complete, flat, TOLERANCE_OF_MEANS).reshape(left.shape[:2])
