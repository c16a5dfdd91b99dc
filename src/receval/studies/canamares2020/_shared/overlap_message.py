# SPDX-License-Identifier: MIT
"""What figure 8 says: the reduced average rises as users are lost."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.storage.files import real_values
from receval.studies._shared.message import Message
from receval.studies.canamares2020._shared.curve_messages import (
    SYSTEMS,
    name_of,
    number,
    whole_percent,
)


def overlap_message(results: pd.DataFrame) -> Message:
    """Return the message of the shortfall: the reduced average rises as users are lost."""
    parts, holds = [], []
    for dataset, own in results.groupby("dataset", sort=False):
        reduced = _over_overlap(own, "P@10", "reduced")
        served = reduced.dropna().index
        users = _over_overlap(own, "UserCoverage", "full")
        if not len(served) or not len(users):
            # Nobody gets a recommendation.
            holds.append(False)
            continue
        ends = {
            name: curve.loc[[served[0], served[-1]]].to_numpy()
            for name, curve in (
                ("reduced", reduced),
                ("full", _over_overlap(own, "P@10", "full")),
                ("users", users),
            )
        }
        holds.append(
            ends["reduced"][1] > ends["reduced"][0]
            and ends["full"][1] < ends["full"][0]
            and ends["users"][1] < ends["users"][0]
        )
        without = ", the last with users" * bool(served[-1] < reduced.index[-1])
        of_mf = own[(own["metric"] == "P@10") & (own["average"] == "full")].set_index("system")
        passed = [
            _passes(reduced.dropna(), name, float(of_mf.loc[system, "value"]))
            for system, name in SYSTEMS.items()
            if system in of_mf.index
        ]
        parts.append(
            f"On {name_of(dataset)}, from overlap {served[0]:.0f} to {served[-1]:.0f}{without}, "
            f"the users whom kNN serves fall from {whole_percent(ends['users'][0])} to "
            f"{whole_percent(ends['users'][1])} and its full average from "
            f"{number(ends['full'][0])} to {number(ends['full'][1])}. "
            f"Its reduced average rises from "
            f"{number(ends['reduced'][0])} to {number(ends['reduced'][1])}: it "
            f"{' and '.join(passed).removesuffix(',')}."
        )
    return Message(
        "Above, P@10 of kNN over all users (full) and over those who get a recommendation "
        "(reduced), and of MF; higher is better. Below, the share of users who get one.",
        " ".join(["The reduced average rewards that difficult users are left out.", *parts]),
        all(holds),
        "The reduced average rewards that difficult users are left out: it rises with the minimum "
        "overlap, while the full average and the share of served users fall.",
    )


def _over_overlap(own: pd.DataFrame, metric: str, average: str) -> pd.Series[float]:
    """Return an average of kNN by its minimum overlap."""
    rows = own[(own["metric"] == metric) & (own["average"] == average)]
    points = real_values(rows[["minimum_overlap", "value"]])
    points = points[~np.isnan(points[:, 0])]
    return pd.Series(points[:, 1], index=points[:, 0])


def _passes(reduced: pd.Series[float], name: str, level: float) -> str:
    """Say where the reduced average comes to be above that of MF: in the paper it does (C-035)."""
    above = np.flatnonzero(reduced.to_numpy() > level)
    if not len(above):
        return (
            f"stays below {name} ({number(level)}), which it passes in the paper "
            "(docs/decisions.md),"
        )
    if above[0] == 0:
        return f"is above {name} ({number(level)}) from the first"
    before, at = reduced.index[above[0] - 1], reduced.index[above[0]]
    return f"passes {name} ({number(level)}) between overlap {before:.0f} and {at:.0f}"
