"""Whether the systems still stand in the same order, panel by panel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from receval.drift.tables import numbers, row_labels

SYSTEM = "system"
VALUE = "value"


@dataclass(frozen=True)
class OrderChange:
    """A panel in which the order of the systems is no longer the accepted one.

    Attributes
    ----------
    panel : str
        The keys of the panel: all but the system.
    tau : float
        Kendall's tau-b between the fresh and the accepted values; NaN where one side has all
        systems tied.
    systems : int
        Number of systems with a value on both sides.
    """

    panel: str
    tau: float
    systems: int


def changes_of_order(
    accepted: pd.DataFrame, fresh: pd.DataFrame, keys: tuple[str, ...]
) -> tuple[int, tuple[OrderChange, ...]]:
    """Compare the order of the systems in every panel of two tables.

    Parameters
    ----------
    accepted, fresh : DataFrame of str
        As :func:`receval.drift.tables.read_table` returns them.
    keys : tuple of str
        The columns that say which row it is. Those other than ``system`` make the panels.

    Returns
    -------
    panels : int
        Number of panels with at least two systems to compare; 0 where a table has no column
        ``system`` among its keys, or no column ``value``.
    changes : tuple of OrderChange
        The panels whose order changed; a tie made or broken is a change.
    """
    tables = (accepted, fresh)
    if SYSTEM not in keys or not all({*keys, VALUE} <= set(table.columns) for table in tables):
        return 0, ()
    others = tuple(key for key in keys if key != SYSTEM)
    before = _places(accepted, others)
    if fresh is accepted:
        return int((before.dropna()["panel"].value_counts() > 1).sum()), ()
    after = _places(fresh, others)
    both = before.merge(after, on=["panel", SYSTEM], suffixes=("_accepted", "_fresh")).dropna()
    sizes = both["panel"].value_counts()
    compared = sizes.index[sizes > 1]
    # Most panels did not move at all, and ranking them would take most of a report's time.
    moved = both.loc[both["at_accepted"] != both["at_fresh"], "panel"]
    is_moved = both["panel"].isin(moved) & both["panel"].isin(compared)
    if not is_moved.any():
        return len(compared), ()
    # A second of start-up that a report without such panels need not wait for.
    from scipy.stats import kendalltau, rankdata

    changes = []
    for panel, systems in both[is_moved].groupby("panel", sort=False):
        old, new = systems["at_accepted"].to_numpy(), systems["at_fresh"].to_numpy()
        if not np.array_equal(rankdata(old), rankdata(new)):
            tau = float(kendalltau(old, new).statistic)
            changes.append(OrderChange(str(panel), tau, len(systems)))
    return len(compared), tuple(changes)


def _places(table: pd.DataFrame, others: tuple[str, ...]) -> pd.DataFrame:
    """Return panel, system and value of each row; of rows alike in both names, the first."""
    panels = row_labels(table, others)
    rows = pd.DataFrame({"panel": panels, SYSTEM: table[SYSTEM], "at": numbers(table[VALUE])})
    return rows.drop_duplicates(["panel", SYSTEM])
