# SPDX-License-Identifier: MIT
"""Messages of the figures on sparsity and on the size of target sets: 3 and 4."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.storage.files import real_values
from receval.studies._shared.claim_parts import shown_in_part
from receval.studies._shared.message import Message
from receval.studies.bellogin2017._shared.messages_of_systems import NAMES, paper_means, short_value
from receval.studies.bellogin2017._shared.target_sizes import KEPT, SIZE

STRAIGHT, FLAT = 0.99, 1.05
"""Least R squared of what is called linear, largest ratio of values that are called the same."""


def message_of_bounds(results: pd.DataFrame) -> Message:
    """Say whether 1R precision is between its bounds and these come nearer (B-013 to B-016).

    Holds if all points of all folds are between their bounds, and the interval of every system is
    narrower at the last level of sparsity and at the largest target sets than at the first, the
    narrowest under sparsity.
    """
    lower, value, upper = (real_values(results[name]) for name in ("lower", "value", "upper"))
    inside = (lower <= value) & (value <= upper)
    means = results.assign(width=upper - lower)
    means = means[means["fold"] == "mean"]
    widths, checks = [], [bool(inside.all())]
    for system, own in means.groupby("system", sort=False):
        sparse = own[own["varied"] == KEPT].sort_values("kept_percent", ascending=False)["width"]
        sized = own[own["varied"] == SIZE].sort_values("target_set_size")["width"]
        checks += [sparse.iloc[-1] < sized.iloc[-1] < sized.iloc[0]]
        checks += [sparse.iloc[-1] < sparse.iloc[0]]
        widths.append(
            f"for {NAMES[str(system)]} from {short_value(sparse.iloc[0], 4)} to "
            f"{short_value(sparse.iloc[-1], 4)} as test ratings are removed and to "
            f"{short_value(sized.iloc[-1], 4)} as target sets grow"
        )
    return Message(
        "A thick line is a system's 1R precision, the shades reach up to its upper and down to its "
        "lower bound from AR: the narrower, the more one design tells of the other.",
        f"1R precision is between its bounds in {inside.sum()} of {len(inside)} cases, which are "
        f"the points of all folds and of their means; the interval between the bounds narrows "
        f"{'; '.join(widths)}.",
        all(checks),
        "1R precision lies between the bounds that AR precision sets to it, and these come nearer "
        "as test ratings get fewer and target sets larger.",
    )


def message_of_sparsity(results: pd.DataFrame) -> Message:
    """Say how precision depends on sparsity and on target set size (B-021 to B-024).

    Holds if, for every system, AR precision is linear in the share of test ratings that is kept
    (R squared of .99), 1R precision is the same within 5 %, and it falls at every larger size.
    """
    shown_rows = results[(results["metric"] == "P") & (results["evaluated_users"] == "all")]
    means = paper_means(shown_rows)
    one = means["protocol"].str.startswith("1R")
    removed = means["varied"] == KEPT
    falls, straight, spread = [], {}, {}
    for system, own in means[~one & removed].groupby("system", sort=False):
        kept, values = _curve(own, "kept_percent")
        straight[str(system)] = float(np.corrcoef(kept, values)[0, 1] ** 2)
    for system, own in means[one & removed].groupby("system", sort=False):
        _, values = _curve(own, "kept_percent")
        spread[str(system)] = float(values.max() / values.min())
    for _, own in means[one & ~removed].groupby("system", sort=False):
        _, values = _curve(own, "target_set_size")
        falls.append(bool((np.diff(values) < 0).all()))
    best = means["system"] == "plsa"
    _, of_ar = _curve(means[best & ~one & removed], "kept_percent")
    sizes, of_1r = _curve(means[best & one & ~removed], "target_set_size")
    moves = max(spread, key=lambda system: spread[system])
    bends = min(straight, key=lambda system: straight[system])
    linear, flat = straight[bends] >= STRAIGHT, spread[moves] <= FLAT
    return Message(
        "A line is a system's precision, higher is better, and its name stands at its end, with "
        "the confidence interval there; the dotted line is what theory expects of Random.",
        f"Under AR the precision of pLSA falls from {short_value(of_ar[-1])} to "
        f"{short_value(of_ar[0])} as test ratings are removed, along a line (all systems: R² of "
        f"{short_value(straight[bends])} or more); under 1R no system moves by more than "
        f"{_percent(spread[moves])}, but pLSA falls from {short_value(of_1r[0])} to "
        f"{short_value(of_1r[-1])} from {sizes[0]:,.0f} to {sizes[-1]:,.0f} target items.",
        bool(linear and flat and all(falls)),
        "AR precision falls linearly as test ratings are removed, 1R precision does not depend on "
        "their number but on the size of the target sets.",
        shown_in_part(
            [
                (
                    linear,
                    "under AR all systems fall along a line as test ratings are removed, R² of at "
                    f"least {short_value(straight[bends], 4)}, {NAMES[bends]}'s, where we ask for "
                    f"{short_value(STRAIGHT, 2)}",
                ),
                (
                    flat,
                    f"under 1R no system moves then by more than {_percent(spread[moves])}, as "
                    f"{NAMES[moves]} does, where we ask for {_percent(FLAT)} at most",
                ),
                (
                    all(falls),
                    f"under 1R {sum(falls)} of {len(falls)} systems fall with every larger size of "
                    f"target sets, pLSA from {short_value(of_1r[0])} to {short_value(of_1r[-1])}",
                ),
            ]
        ),
    )


def _percent(ratio: float) -> str:
    return f"{short_value(100 * (ratio - 1), 1)} %"


def _curve(rows: pd.DataFrame, across: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of a curve, from the smallest x on."""
    x = real_values(rows[across])
    order = np.argsort(x, kind="stable")
    return x[order], real_values(rows["value"])[order]
