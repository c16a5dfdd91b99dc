"""What the messages of both studies are made of: numbers by metric, and comparisons of groups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import Message

TITLES = {"ml-1m": "ML-1M", "librarything": "LibraryThing", "beeradvocate": "BeerAdvocate"}

Said = tuple[str, bool]
"""What the numbers of one dataset are, and whether they show what is claimed."""

STABILITY_READING = (
    "Each line is Kendall's tau between the order of the systems by a metric under {kept} and its "
    "own order under the full test set: the higher, the more robust."
)
MAP_READING = (
    "A cell is Kendall's tau between the orders of the systems by two metrics: the bluer, the more "
    "alike they are."
)
P_VALUE_READING = (
    "Each curve has the largest p-values among all pairs of systems under a metric: the sooner it "
    "falls, the more pairs the metric tells apart."
)


def message(
    results: pd.DataFrame, reading: str, claim: str, say: Callable[[str, pd.DataFrame], Said]
) -> Message:
    """Return the message of a claim about every dataset.

    Parameters
    ----------
    results : DataFrame
        Of a figure.
    reading, claim : str
        Sentences; the latter without its full stop.
    say : callable
        Given a dataset's name and rows, what their numbers are and whether they show the claim.
    """
    said = {
        str(dataset): say(str(dataset), rows)
        for dataset, rows in results.groupby("dataset", sort=False)
    }
    numbers = "; ".join(f"{TITLES.get(name, name)}: {text}" for name, (text, _) in said.items())
    return Message(
        reading, f"{claim} ({numbers}).", bool(said) and all(h for _, h in said.values())
    )


def taus(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the coefficients of one dataset, levels against metrics, from all judgments down.

    Released forms of geometric means have an asterisk, as in the figures.
    """
    star = rows["average"].str.contains("zeros=one").map({True: "*", False: ""})
    table = rows.assign(shown=rows["metric"] + star).pivot_table(
        index="kept_percent", columns="shown", values="tau", sort=False
    )
    return table.sort_index(ascending=False)


def at_level(table: pd.DataFrame, percent: float) -> pd.Series[float]:
    """Return the row whose level is nearest to one."""
    nearest = min(table.index, key=lambda level: (abs(level - percent), level))
    return table.loc[nearest]


def mean_agreement(rows: pd.DataFrame) -> pd.Series[float]:
    """Return each metric's mean coefficient with all others."""
    others = rows[rows["metric_a"] != rows["metric_b"]]
    return others.groupby("metric_a", sort=False)["tau"].mean()


def power(rows: pd.DataFrame) -> pd.Series[float]:
    """Return the discriminative power of each metric over ordered pairs: less is better."""
    return 2 * rows.groupby("metric", sort=False)["p_value"].sum()


def ahead(values: pd.Series[float], group: Collection[str], named: str = "") -> Said:
    """Say whether all of a group have higher values than all others."""
    inside = _in(values, group)
    least, best = values[inside].min(), values[~inside].max()
    text = (
        f"{named or ' and '.join(group)} at least {two_decimals(least)}, all others at most "
        f"{two_decimals(best)}"
    )
    return text, bool(least > best)


def behind(values: pd.Series[float], group: Collection[str], named: str = "") -> Said:
    """Say whether all of a group have lower values than all others."""
    inside = _in(values, group)
    highest, least = values[inside].max(), values[~inside].min()
    text = (
        f"{named or ' and '.join(group)} at most {two_decimals(highest)}, all others at least "
        f"{two_decimals(least)}"
    )
    return text, bool(highest < least)


def numbers_of(values: pd.Series[float], names: Iterable[str]) -> str:
    """Print the values of some metrics: P .98, MRR .90."""
    return ", ".join(f"{name} {two_decimals(values.get(name, float('nan')))}" for name in names)


def both(*said: Said) -> Said:
    """Join what is said."""
    return ", ".join(text for text, _ in said), all(holds for _, holds in said)


def all_above(values: pd.Series[float], bound: float) -> Said:
    """Say whether no value is as low as a bound."""
    return f"least {two_decimals(values.min())}", bool(values.min() > bound)


def _in(values: pd.Series[float], group: Collection[str]) -> pd.Series[bool]:
    return values.index.to_series().isin(list(group))
