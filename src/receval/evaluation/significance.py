"""P-values of all pairs of systems of an experiment under several metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from receval.evaluation.experiment import Experiment
from receval.evaluation.user_means import user_values
from receval.metrics.metric import Metric
from receval.seeds import seed_sequence
from receval.statistics.pairs import system_pairs
from receval.statistics.permutation import permutation_test


def p_values(
    experiments: Iterable[Experiment], metrics: Mapping[str, Metric], seed: int, permutations: int
) -> pd.DataFrame:
    """Test every pair of systems under every metric with the paired permutation test.

    The random signs depend on dataset and split alone, so that every artifact has the
    same p-values, but for rounding in single precision.

    Columns: dataset; metric (name); system_a, system_b; difference (of the means, a minus b);
    p_value ((c + 1) / (B + 1) with c of B samples at least as extreme); share (c / B);
    permutations (B); users (how many are paired).

    Parameters
    ----------
    experiments : iterable of Experiment
        Of one protocol each, whose systems are averaged over the same users.
    metrics : mapping of str to Metric
        By the names of the rows.
    seed : int
        The edition's root seed.
    permutations : int
        Number of random samples of signs.
    """
    tables = []
    for experiment in experiments:
        values = user_values(experiment, list(metrics.values()))
        signs = seed_sequence(seed, experiment.dataset, experiment.split, "permutation")
        test = permutation_test(values, signs, permutations)
        first, second = system_pairs(len(experiment.all_systems))
        systems = np.array(experiment.all_systems)
        means = values.mean(axis=2)
        for place, name in enumerate(metrics):
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "metric": name,
                        "system_a": systems[first],
                        "system_b": systems[second],
                        "difference": means[place, first] - means[place, second],
                        "p_value": test.p_values[place],
                        "share": test.shares[place],
                        "permutations": permutations,
                        "users": values.shape[2],
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)
