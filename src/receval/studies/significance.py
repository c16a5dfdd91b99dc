"""P-values of all pairs of systems under several metrics: curves and discriminative power."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.seeds import seed_sequence
from receval.statistics.discriminative_power import discriminative_power
from receval.statistics.pairs import system_pairs
from receval.studies.inputs import ArtifactInputs
from receval.studies.named_metrics import named_metrics


def p_values(inputs: ArtifactInputs, labels_in: str = "metrics") -> pd.DataFrame:
    """Test every pair of systems under every metric with the paired permutation test.

    The random signs depend on dataset and split alone, so that every artifact of a study has the
    same p-values, but for rounding in single precision.

    Columns: dataset; metric (name); system_a, system_b; difference (of the means, a minus b);
    p_value ((c + 1) / (B + 1) with c of B samples at least as extreme); share (c / B);
    permutations (B); users (how many are paired).

    Parameters
    ----------
    inputs : ArtifactInputs
    labels_in : {"metrics", "released"}
        The forms of the metrics: see :func:`receval.studies.named_metrics.named_metrics`.
    """
    from receval.statistics.permutation import permutation_test
    from receval.studies.system_values import user_values

    metrics = named_metrics(inputs.parameters, labels_in)
    permutations = int(inputs.parameters["permutations"])
    tables = []
    for experiment in inputs.experiments.values():
        values = user_values(experiment, list(metrics.values()))
        seed = seed_sequence(inputs.seed, experiment.dataset, experiment.split, "permutation")
        test = permutation_test(values, seed, permutations)
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


def power(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the discriminative power of every metric on every dataset.

    Columns: dataset; metric; dp (sum over unordered pairs); dp_ordered (over ordered pairs, as
    released with valcarce2018); dp_released (over ordered pairs, of the released form of the
    metric); pairs; permutations; users.
    """
    keys = ["dataset", "metric"]
    table = (
        p_values(inputs)
        .groupby(keys, sort=False)
        .agg(
            dp=("p_value", discriminative_power),
            pairs=("p_value", "size"),
            permutations=("permutations", "first"),
            users=("users", "first"),
        )
    )
    released = p_values(inputs, "released").groupby(keys, sort=False)["p_value"]
    table.insert(1, "dp_ordered", 2 * table["dp"])
    table.insert(2, "dp_released", released.agg(lambda p: discriminative_power(p, "ordered")))
    return table.reset_index()
