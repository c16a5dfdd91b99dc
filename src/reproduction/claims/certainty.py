# SPDX-License-Identifier: MIT
r"""Certainty of verdicts: how many replications hold, and where the published number lies."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from receval.figures.printed_numbers import as_written, significant
from reproduction.claims.verdicts import ClaimVerdict

KEYS = ("paper", "claim", "dataset", "form")
"""Columns that identify a verdict."""

CONFIDENCE = 0.95

ENOUGH = 10
"""Number of splits from which they decide instead of a single one."""

RARE = 0.05
"""Share of the splits that may disagree before a verdict depends on the split."""

COLUMNS = (
    *KEYS,
    "replications",
    "holding",
    "in_part",
    "share",
    "share_low",
    "share_high",
    "published",
    "mean",
    "standard_deviation",
    "low",
    "high",
    "location",
    "deviations",
    "needs",
)
"""Columns of the table of certainty; docs/replications.md describes them."""

_PRINTED = re.compile(r"[-+]?\d*(?:\.(\d+))?\s*(%?)")

_HOLDING = (str(ClaimVerdict.HOLDS), str(ClaimVerdict.AS_DEFINED))


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    r"""Return Wilson's 95 % interval of the share :math:`k / n`.

    .. math:: \frac{k + z^2 / 2}{n + z^2} \pm
        \frac{z}{n + z^2} \sqrt{\frac{k (n - k)}{n} + \frac{z^2}{4}}

    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    Journal of the American Statistical Association 22. Unlike the symmetric interval, its width is
    not 0 when all trials succeed.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(20, 20)]
    [0.839, 1.0]
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(
            f"{successes} of {trials} is not a share. Use at least one trial, and no more "
            "successes than trials."
        )
    z = float(ndtri((1 + CONFIDENCE) / 2))
    whole = trials + z * z
    centre = (successes + z * z / 2) / whole
    half = z / whole * np.sqrt(successes * (trials - successes) / trials + z * z / 4)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def prediction_interval(values: ArrayLike) -> tuple[float, float]:
    r"""Return the 95 % prediction interval for one more number like the given ones.

    .. math:: \bar x \pm t_{n-1}(0.975)\, s \sqrt{1 + 1 / n}

    with :math:`s` the standard deviation of the :math:`n` numbers, assumed to be normal.

    Examples
    --------
    >>> [round(end, 3) for end in prediction_interval([0.1, 0.2, 0.3])]
    [-0.297, 0.697]
    """
    numbers = np.asarray(values, dtype=np.float64)
    if len(numbers) < 2:
        return float("nan"), float("nan")
    half = stdtrit(len(numbers) - 1, (1 + CONFIDENCE) / 2) * np.sqrt(1 + 1 / len(numbers))
    half *= numbers.std(ddof=1)
    return float(numbers.mean() - half), float(numbers.mean() + half)


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit of a number; 0 for texts without a number.

    Any number this close to the printed one may have been rounded to it.

    Examples
    --------
    >>> half_unit(".90"), half_unit("1.83 %"), half_unit("MF > kNN")
    (0.005, 5e-05, 0.0)
    """
    found = _PRINTED.fullmatch(printed.strip())
    if found is None or not any(map(str.isdigit, printed)):
        return 0.0
    digits = len(found[1] or "") + (2 if found[2] else 0)
    return 0.5 / 10**digits


def verdict_of_splits(once: ClaimVerdict, found: Mapping[Hashable, Any]) -> ClaimVerdict:
    """Return the verdict of all splits that were tried, if there are enough of them.

    A number holds if the published one lies in our prediction interval: a split like ours might
    have given it. Any other claim holds, or does not hold, if at least 95 % of the splits agree;
    otherwise it depends on the split.

    Examples
    --------
    >>> row = {"replications": 20, "holding": 17, "in_part": 0, "location": ""}
    >>> verdict_of_splits(ClaimVerdict.DOES_NOT_HOLD, row)
    <ClaimVerdict.DEPENDS_ON_SPLIT: 'depends on the split'>
    >>> verdict_of_splits(ClaimVerdict.DOES_NOT_HOLD, {**row, "location": "inside"})
    <ClaimVerdict.HOLDS: 'holds'>
    """
    tried, holding, in_part = (int(found[name]) for name in ("replications", "holding", "in_part"))
    if tried < ENOUGH:
        return once
    few = RARE * tried
    if found["location"] == "inside" or holding >= tried - few:
        return once if once is ClaimVerdict.AS_DEFINED else ClaimVerdict.HOLDS
    if holding > few:
        return ClaimVerdict.DEPENDS_ON_SPLIT
    if holding + in_part >= tried - few:
        return ClaimVerdict.HOLDS_IN_PART
    failing = holding + in_part <= few
    return ClaimVerdict.DOES_NOT_HOLD if failing else ClaimVerdict.DEPENDS_ON_SPLIT


def told_of_splits(value: float, found: Mapping[Hashable, Any]) -> str:
    """Return sentences on the splits that were tried.

    Examples
    --------
    >>> row = {"replications": 20, "holding": 17, "in_part": 2, "location": ""}
    >>> told_of_splits(float("nan"), row)
    'Holds on 17 of 20 splits, and in part on 2.'
    >>> number = {"location": "inside", "published": 0.97, "mean": 0.94, "low": 0.88, "high": 1.0}
    >>> print(told_of_splits(0.9139, {**row, **number, "in_part": 0}))
    On this split .9139; on 20 others .9400 on average, and 17 of them hold. The published .97 is \
within what splits do (.8800 to 1.000).
    >>> print(told_of_splits(0.9139, {**row, **number, "location": "outside", "high": 0.95}))
    On this split .9139; on 20 others .9400 on average. The published .97 lies outside of .8800 \
to .9500, where one more split is expected; 17 of 20 come within its tolerance.
    """
    tried, holding, in_part = (int(found[name]) for name in ("replications", "holding", "in_part"))
    if not found["location"]:
        more = f", and in part on {in_part}" if in_part else ""
        return f"Holds on {holding} of {tried} splits{more}."
    low, mean, high = (significant(float(found[name]), 4) for name in ("low", "mean", "high"))
    ours = f"On this split {significant(value, 4)}; on {tried} others {mean} on average"
    published = as_written(float(found["published"]))
    if found["location"] == "inside":
        hold = "holds" if holding == 1 else "hold"
        return (
            f"{ours}, and {holding} of them {hold}. The published {published} is within what "
            f"splits do ({low} to {high})."
        )
    return (
        f"{ours}. The published {published} lies outside of {low} to {high}, where one more split "
        f"is expected; {holding} of {tried} come within its tolerance."
    )


def certainty(rows: pd.DataFrame, printed: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return how sure each verdict is.

    ``printed`` has the printed value of each claim, with all its digits. A published number lies
    inside our interval if any number that rounds to it does. Without this, it counts as exact.
    """
    found = []
    for keys, group in rows.groupby(list(KEYS), sort=False):
        row = dict(zip(KEYS, keys, strict=True))
        found.append(row | _certainty_of(group, half_unit((printed or {}).get(row["claim"], ""))))
    return pd.DataFrame(found, columns=list(COLUMNS))


def _certainty_of(group: pd.DataFrame, rounding: float) -> dict[str, Any]:
    decided = group[group["verdict"] != str(ClaimVerdict.UNDECIDABLE)]
    trials = len(decided)
    holding = int(decided["verdict"].isin(_HOLDING).sum())
    in_part = int((decided["verdict"] == str(ClaimVerdict.HOLDS_IN_PART)).sum())
    found: dict[str, Any] = {"replications": trials, "holding": holding, "in_part": in_part}
    if not trials:
        # All rows of a claim have the same needs.
        return found | {"needs": next(iter(group["needs"]), "")}
    low, high = wilson_interval(holding, trials)
    found |= {"share": holding / trials, "share_low": low, "share_high": high, "needs": ""}
    published = decided["published"].to_numpy(dtype=np.float64)
    values = decided["value"].to_numpy(dtype=np.float64)
    if np.isnan(published).all() or np.isnan(values).any():
        return found
    return found | _location(float(published[0]), rounding, values.tolist())


def _location(published: float, rounding: float, values: Sequence[float]) -> dict[str, Any]:
    low, high = prediction_interval(values)
    mean = float(np.mean(values))
    found: dict[str, Any] = {"published": published, "mean": mean, "low": low, "high": high}
    if len(values) < 2:
        return found
    deviation = float(np.std(values, ddof=1))
    found |= {
        "standard_deviation": deviation,
        "location": "inside" if low - rounding <= published <= high + rounding else "outside",
    }
    if deviation > 0:
        found["deviations"] = (published - mean) / deviation
    return found
