"""Means over folds with their confidence intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import stdtrit

CONFIDENCE = 0.95
VALUES = ("value", "lists", "computable_share", "expected", "random_expected", "random_error")
"""Columns of values by fold that do not say which row it is."""


def means_with_intervals(results: pd.DataFrame) -> pd.DataFrame:
    r"""Return the means over folds, each with half the width of its confidence interval.

    .. math:: h = t_{n-1}(0.975)\, s / \sqrt{n}

    with :math:`s` the standard deviation over the :math:`n` folds; NaN with a single fold.

    Parameters
    ----------
    results : DataFrame
        With the columns of :func:`receval.evaluation.values_by_fold.values_by_fold`.

    Returns
    -------
    DataFrame
        The rows of the means, with the column ``half_interval`` more.
    """
    keys = [
        name
        for name in results.columns
        if name not in ("fold", *VALUES) and not name.startswith("p_against_")
    ]
    folds = results[results["fold"] != "mean"]
    spread = folds.groupby(keys, sort=False, dropna=False)["value"].agg(["std", "size"])
    with np.errstate(invalid="ignore"):
        factor = stdtrit(spread["size"] - 1, (1 + CONFIDENCE) / 2) / np.sqrt(spread["size"])
    spread["half_interval"] = factor * spread["std"]
    means = results[results["fold"] == "mean"]
    return means.merge(spread["half_interval"].reset_index(), on=keys, how="left")
