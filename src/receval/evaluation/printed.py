# SPDX-License-Identifier: MIT
"""Format a result as tables for papers: averages with group letters, and pairs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from receval.figures.printed_numbers import fixed, p_value
from receval.figures.tables import Column, Table
from receval.storage.messages import enumerated, how_many

DECIMALS = 4
"""The default number of decimals of averages."""


def best_first(rows: pd.DataFrame, less_is_better: Collection[str]) -> pd.DataFrame:
    """Sort the rows of one metric from the best mean to the worst.

    Parameters
    ----------
    less_is_better : collection of str
        Metrics for which lower values are better.

    Examples
    --------
    >>> rows = pd.DataFrame({"metric": "Fallout@5", "system": ["Pop", "kNN"], "mean": [0.2, 0.1]})
    >>> best_first(rows, {"Fallout@5"})["system"].tolist()
    ['kNN', 'Pop']
    """
    is_rising = rows["metric"].iloc[0] in less_is_better
    return rows.sort_values("mean", ascending=is_rising, kind="stable")


def with_direction(metric: str, less_is_better: Collection[str]) -> str:
    """Return the name of a metric for tables and figures, with an arrow if lower is better.

    Examples
    --------
    >>> with_direction("Fallout@5", {"Fallout@5"}), with_direction("P@5", {"Fallout@5"})
    ('Fallout@5 ↓', 'P@5')
    """
    return f"{metric} \N{DOWNWARDS ARROW}" if metric in less_is_better else metric


def averages_table(
    groups: pd.DataFrame,
    users: Mapping[str, int],
    decimals: int = DECIMALS,
    less_is_better: Collection[str] = (),
    method: str = "permutation test",
) -> Table:
    """Return the averages: a row for each protocol and system, a column for each metric.

    Parameters
    ----------
    groups : DataFrame
        The columns ``protocol``, ``metric``, ``system``, ``mean``, and ``letters`` if systems were
        compared (:meth:`receval.evaluation.result.EvaluationResult.groups`).
    users : mapping of str to int
        The number of averaged users, by protocol. If it differs, each row states it.
    less_is_better : collection of str
        Metrics for which lower values are better.

    Examples
    --------
    >>> from receval.figures.tables import to_markdown
    >>> cells = {"system": ["Pop", "kNN"], "mean": [0.25, 0.5], "letters": ["b", "a"]}
    >>> groups = pd.DataFrame({"protocol": "AR AI-AN", "metric": "P@5", **cells})
    >>> table = averages_table(groups, {"AR AI-AN": 80}, decimals=2)
    >>> print(*to_markdown(table).splitlines()[-2:], sep=chr(10))
    | kNN    | .50a |
    | Pop    | .25b |
    """
    protocols = list(dict.fromkeys(groups["protocol"]))
    metrics = list(dict.fromkeys(groups["metric"]))
    has_letters = "letters" in groups
    of_first = groups[(groups["protocol"] == protocols[0]) & (groups["metric"] == metrics[0])]
    systems = list(best_first(of_first, less_is_better)["system"])
    letters = groups["letters"] if has_letters else [""] * len(groups)
    keys = zip(groups["protocol"], groups["metric"], groups["system"], strict=True)
    cells = {
        key: fixed(float(mean), decimals) + own
        for key, mean, own in zip(keys, groups["mean"], letters, strict=True)
    }
    differ = len({users[protocol] for protocol in protocols}) > 1
    rows = []
    for protocol in protocols:
        for system in systems:
            names = (protocol, system) if len(protocols) > 1 else (system,)
            if differ:
                names = (*names, f"{users[protocol]:,}")
            rows.append((*names, *(cells[protocol, metric, system] for metric in metrics)))
    heads = [Column("Protocol")] if len(protocols) > 1 else []
    averaged = users[protocols[0]]
    caption = "Averages over users" if differ else f"Averages over {how_many(averaged, 'user')}"
    if len(protocols) == 1:
        caption += f" under {protocols[0]}"
    told = [f"{caption}."]
    if has_letters:
        told.append(
            "Systems that share a letter are not significantly different under a metric "
            f"({method}, Holm's correction, .05)."
        )
        if any(own.startswith(" (") for own in letters):
            told.append(
                "In brackets, where letters would not do: how many systems are significantly "
                "better."
            )
    if any(metric in less_is_better for metric in metrics):
        told.append("\N{DOWNWARDS ARROW}: less is better.")
    columns = (Column(with_direction(metric, less_is_better), "right") for metric in metrics)
    return Table(
        title="Averages",
        columns=(*heads, Column("System"), *[Column("Users", "right")] * differ, *columns),
        rows=tuple(rows),
        caption=" ".join(told),
    )


def pairs_table(
    pairs: pd.DataFrame,
    decimals: int = DECIMALS,
    less_is_better: Collection[str] = (),
    method: str = "permutation test",
) -> Table:
    """Return all pairs of systems under each metric.

    Parameters
    ----------
    less_is_better : collection of str
        Metrics for which lower values are better.
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
                with_direction(row.metric, less_is_better),
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
            f"p-values over users ({enumerated(protocols)}; {method}). d_z: the average of the "
            "users' differences over their standard deviation. Holm: corrected for the number of "
            "pairs."
            + (
                " \N{DOWNWARDS ARROW}: less is better, so that the first system is ahead where the "
                "difference is below 0."
                if not set(pairs["metric"]).isdisjoint(less_is_better)
                else ""
            )
        ),
    )
