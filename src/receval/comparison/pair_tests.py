# SPDX-License-Identifier: MIT
"""Every pair of systems: difference, effect size, permutation test, correction for many pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.comparison.by_user import ValuesByUser
from receval.comparison.letters import shared_letters
from receval.statistics.multiple_comparisons import holm
from receval.statistics.paired_tests import t_statistics
from receval.statistics.pairs import LEVEL, system_pairs
from receval.statistics.permutation import permutation_test

PAIR_COLUMNS = (
    "metric",
    "first",
    "second",
    "difference",
    "low",
    "high",
    "effect_size",
    "p",
    "p_holm",
    "significant",
)


def pair_table(
    values: ValuesByUser,
    metrics: Sequence[str],
    systems: Sequence[str],
    seed: np.random.SeedSequence,
    samples: int,
) -> pd.DataFrame:
    r"""Return all pairs of systems under each metric.

    Parameters
    ----------
    values : ValuesByUser
    metrics, systems : sequence of str
    seed : SeedSequence
    samples : int
        Of the permutation test.

    Returns
    -------
    DataFrame
        ``difference`` is the first system's average minus the second's, with its 95 % interval
        from ``low`` to ``high``; ``effect_size`` is :math:`d_z`, the mean of the users' differences
        in their standard deviations; ``p`` of the permutation test
        (:func:`receval.statistics.permutation.permutation_test`), ``p_holm`` corrected for all
        pairs under the metric, by which ``significant`` is told at the level .05.
    """
    first, second = system_pairs(len(systems))
    differences, halves = values.differences()
    contributions = values.contributions
    p_values = permutation_test(contributions, seed, samples).p_values
    adjusted = holm(p_values)
    if values.n_users > 1:
        sizes = t_statistics(contributions) / np.sqrt(values.n_users)
    else:
        sizes = np.full_like(differences, np.nan)
    frames = [
        pd.DataFrame(
            {
                "metric": metric,
                "first": np.array(systems, dtype=object)[first],
                "second": np.array(systems, dtype=object)[second],
                "difference": differences[number],
                "low": differences[number] - halves[number],
                "high": differences[number] + halves[number],
                "effect_size": sizes[number],
                "p": p_values[number],
                "p_holm": adjusted[number],
                "significant": adjusted[number] < LEVEL,
            }
        )
        for number, metric in enumerate(metrics)
    ]
    return pd.concat(frames, ignore_index=True)[list(PAIR_COLUMNS)]


def letters_of_systems(
    pairs: pd.DataFrame, means: NDArray[np.float64], systems: Sequence[str]
) -> list[str]:
    """Return the letters of systems that one metric's pairs do not tell apart.

    Parameters
    ----------
    pairs : DataFrame
        The rows of :func:`pair_table` of one metric.
    means : ndarray of float64, shape (n_systems,)
    systems : sequence of str
    """
    differ = np.zeros((len(systems), len(systems)), dtype=bool)
    first, second = system_pairs(len(systems))
    differ[first, second] = pairs["significant"].to_numpy(dtype=bool)
    return shared_letters(means, differ | differ.T)
