# SPDX-License-Identifier: MIT
"""Tables of a result as papers print them: averages with the letters of groups, and pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from receval.figures.printed_numbers import fixed, p_value
from receval.figures.tables import Column, Table
from receval.storage.messages import enumerated

DECIMALS = 4
"""Of averages, if nobody says otherwise."""


def averages_table(groups: pd.DataFrame, users: int, decimals: int = DECIMALS) -> Table:
    """Return the averages, a row for each protocol and system, a column for each metric.

    Parameters
    ----------
    groups : DataFrame
        The columns ``protocol``, ``metric``, ``system``, ``mean``, and ``letters`` where systems
        were compared (:meth:`receval.comparison.result.EvaluationResult.groups`).
    users : int
        How many are averaged.
    decimals : int

    Examples
    --------
    >>> from receval.figures.tables import to_markdown
    >>> cells = {"system": ["Pop", "kNN"], "mean": [0.25, 0.5], "letters": ["b", "a"]}
    >>> groups = pd.DataFrame({"protocol": "AR AI-AN", "metric": "P@5", **cells})
    >>> print(*to_markdown(averages_table(groups, 80, decimals=2)).splitlines()[-2:], sep=chr(10))
    | kNN    | .50a |
    | Pop    | .25b |
    """
    protocols = list(dict.fromkeys(groups["protocol"]))
    metrics = list(dict.fromkeys(groups["metric"]))
    has_letters = "letters" in groups
    of_first = groups[(groups["protocol"] == protocols[0]) & (groups["metric"] == metrics[0])]
    systems = list(of_first.sort_values("mean", ascending=False, kind="stable")["system"])
    cells = groups.set_index(["protocol", "metric", "system"])
    rows = []
    for protocol in protocols:
        for system in systems:
            row = [protocol, system] if len(protocols) > 1 else [system]
            for metric in metrics:
                cell = cells.loc[(protocol, metric, system)]
                letters = str(cell["letters"]) if has_letters else ""
                row.append(fixed(float(cell["mean"]), decimals) + letters)
            rows.append(tuple(row))
    heads = [Column("Protocol")] if len(protocols) > 1 else []
    caption = f"Averages over {users:,} user{'s' * (users != 1)}"
    if len(protocols) == 1:
        caption += f" under {protocols[0]}"
    letters_note = (
        " Systems that share a letter are not significantly different under a metric "
        "(permutation test, Holm's correction, .05)."
    )
    return Table(
        title="Averages",
        columns=(*heads, Column("System"), *(Column(metric, "right") for metric in metrics)),
        rows=tuple(rows),
        caption=f"{caption}.{letters_note if has_letters else ''}",
    )


def pairs_table(pairs: pd.DataFrame, decimals: int = DECIMALS) -> Table:
    """Return all pairs, the best difference of each metric first.

    Parameters
    ----------
    pairs : DataFrame
        From :meth:`receval.comparison.result.EvaluationResult.compare`.
    decimals : int
    """
    protocols = list(dict.fromkeys(pairs["protocol"]))
    heads = ("Metric", "First", "Second")
    columns = [Column("Protocol")] if len(protocols) > 1 else []
    columns += [Column(head) for head in heads]
    columns += [
        Column(head, "right") for head in ("Difference", "95 % interval", "d_z", "p", "p (Holm)")
    ]
    rows = []
    for row in pairs.itertuples():
        names = [row.protocol] if len(protocols) > 1 else []
        low, high = (fixed(value, decimals, signed=True) for value in (row.low, row.high))
        rows.append(
            (
                *names,
                row.metric,
                row.first,
                row.second,
                fixed(row.difference, decimals, signed=True),
                f"{low} to {high}" if np.isfinite(row.low) else "",
                fixed(row.effect_size, 2, signed=True),
                p_value(row.p),
                p_value(row.p_holm),
            )
        )
    return Table(
        title="Pairs",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=(
            "Differences of averages, the first system minus the second, with effect sizes and "
            f"p-values of a permutation test over users ({enumerated(protocols)}). d_z: the "
            "average of the users' differences over their standard deviation. Holm: corrected for "
            "the number of pairs."
        ),
    )


def systems_in_order(groups: pd.DataFrame, protocol: str, metric: str) -> Sequence[str]:
    """Return the systems from the best to the worst under a protocol and a metric."""
    own = groups[(groups["protocol"] == protocol) & (groups["metric"] == metric)]
    return list(own.sort_values("mean", ascending=False, kind="stable")["system"])
