# SPDX-License-Identifier: MIT
"""What the paper's ten measures of fairness between groups say of four plain cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Table, printed
from receval.statistics.inequality import gini
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs

CASES = {
    "equal": "Equal means",
    "proportional": "Proportional means",
    "small_empty": "Smallest group 0",
    "large_empty": "Largest group 0",
}

SMOOTHED = 0.95
FLOOR = 1e-4
"""By which GCE mixes the shares of groups with a constant."""


def group_measures(
    means: NDArray[np.float64], sizes: NDArray[np.float64], spread: float
) -> dict[str, float]:
    r"""Return the measures of groups with some means of effectiveness, as the paper defines them.

    Of a group all users have the same value but for a variance of ``spread`` squared, which only
    the F statistic sees. *Min* is the mean of the means up to their first quartile; *MAD* the mean
    absolute difference of pairs of groups, as the released code has it (the formula in the text has
    half of it); with the shares :math:`p_j` of the means in their sum and :math:`q_j` of the groups
    in all users, *KL* is :math:`\sum_j p_j \log_2 (p_j / q_j)`, and *GCE* is
    :math:`(\sum_j n^{-2} / \hat p_j - 1) / 2` with :math:`\hat p_j` proportional to
    :math:`.95 p_j + .05 \cdot 10^{-4}`.
    """
    n, users = len(means), sizes.sum()
    shares, wanted = means / means.sum(), sizes / users
    average = float(wanted @ means)
    mixed = SMOOTHED * shares + (1 - SMOOTHED) * FLOOR
    mixed /= mixed.sum()
    some = shares > 0
    pairs = np.abs(means[:, None] - means)[np.triu_indices(n, k=1)]
    between = float(wanted @ (means - average) ** 2)
    return {
        "Min": float(means[means <= np.quantile(means, 0.25)].mean()),
        "Range": float(np.ptp(means)),
        "SD": float(means.std()),
        "MAD": float(pairs.mean()),
        "Gini": gini(means),
        "Atkinson": 1 - float(wanted @ np.sqrt(means)) ** 2 / average,
        "CV": float(means.std() / means.mean()),
        "F": between / (n - 1) / (spread**2 / (users - n)),
        # These two are not negative but for rounding.
        "KL": max(0.0, float((shares[some] * np.log2(shares[some] / wanted[some])).sum())),
        "GCE": max(0.0, float(((n**-2 / mixed).sum() - 1) / 2)),
    }


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure each of the :data:`CASES`.

    Parameters of the artifact: ``sizes``, the numbers of users of the groups; ``mean``, the mean of
    the groups' means; ``spread``, the standard deviation of users in a group.

    Columns: metric, then the :data:`CASES`.
    """
    sizes = np.array(inputs.parameters["sizes"], dtype=np.float64)
    mean, spread = float(inputs.parameters["mean"]), float(inputs.parameters["spread"])
    shapes = {
        "equal": np.ones(len(sizes)),
        "proportional": sizes,
        "small_empty": (sizes != sizes.min()).astype(np.float64),
        "large_empty": (sizes != sizes.max()).astype(np.float64),
    }
    found = {
        case: group_measures(mean * shape / shape.mean(), sizes, spread)
        for case, shape in shapes.items()
    }
    return pd.DataFrame(found).rename_axis("metric").reset_index()


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per measure and one column per case."""
    numbers = real_values(results[list(CASES)])
    rows = [
        (str(name), *(significant(value, 3) for value in own))
        for name, own in zip(results["metric"], np.round(numbers, 12).tolist(), strict=True)
    ]
    return printed(display, ["Metric"], list(CASES.values()), rows)
