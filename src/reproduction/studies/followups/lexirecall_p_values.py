# SPDX-License-Identifier: MIT
"""P-values of all pairs of systems by lexirecall and by other metrics, and the preferences."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.metrics.averages import MEAN_DECIMALS
from receval.statistics.pairs import system_pairs
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count the users who are better served by each system of a pair, under every metric.

    Parameters of the artifact: ``names`` and ``metrics``; ``permutations``, the number of samples
    of the permutation test.

    Columns: dataset; metric (``lexirecall`` is the last); system_a, system_b; preferring_a,
    preferring_b and tied (numbers of users, by their means over folds; for lexirecall, over all
    folds together); p_sign (of the exact sign test of these); p_value (of the permutation test of
    the difference in means, which is the sign test for preferences); permutations (number of
    samples of signs).
    """
    from receval.statistics.paired_tests import sign_test_of_counts
    from reproduction.experiments.lexirecall_orders import LEXIRECALL, LexirecallLists
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


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the largest p-values of each metric in descending order.

    The parameters are those of :func:`reproduction.studies.metric_studies.p_value_curves.draw`.
    """
    from reproduction.studies.metric_studies.p_value_curves import draw as draw_curves

    return draw_curves(results, display)
