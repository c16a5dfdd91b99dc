# SPDX-License-Identifier: MIT
"""What the messages of both studies are made of: numbers by metric, and comparisons of groups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.studies._shared.message import DATASETS, Message, in_a_row


@dataclass(frozen=True)
class DatasetFinding:
    """What the results of one dataset show.

    Attributes
    ----------
    numbers : str
        In words that follow the name of the dataset.
    parts : mapping of str to bool
        The parts of the paper's claim, as clauses, and whether each is shown.
    ours : bool, optional
        Whether our finding is shown, where it says something else than the claim.
    """

    numbers: str
    parts: Mapping[str, bool]
    ours: bool | None = None

    @property
    def holds(self) -> bool:
        """Whether our finding is shown."""
        return all(self.parts.values()) if self.ours is None else self.ours


STABILITY_READING = (
    "Each line is Kendall's tau between the order of the systems by a metric {when} and its own "
    "order under the full test set: the higher, the more robust."
)
MAP_READING = (
    "A cell is Kendall's tau between the orders of the systems by two metrics: the bluer, the more "
    "alike they are."
)
P_VALUE_READING = (
    "Each curve has the largest p-values among all pairs of systems under a metric: the sooner it "
    "falls, the more pairs the metric tells apart."
)
EXPLAINED = "docs/robustness.md"
"""Where it is explained why results differ from the papers'."""


def message(
    results: pd.DataFrame,
    reading: str,
    finding: str,
    say: Callable[[str, pd.DataFrame], DatasetFinding],
    note: str = "",
    claim: str = "",
) -> Message:
    """Return the message of a finding on every dataset.

    Parameters
    ----------
    results : DataFrame
        Of a figure.
    reading, finding : str
        A sentence; one without its full stop and without numbers.
    say : callable
        Given a dataset's name and rows, what they show.
    note : str
        Where the results differ from the paper's, though they show the finding.
    claim : str
        What the paper says, without its full stop and without numbers, where it is not the finding.
    """
    said = {name: say(name, rows) for name, rows in by_dataset(results).items()}
    numbers = "; ".join(f"on {DATASETS.get(name, name)} {of.numbers}" for name, of in said.items())
    return Message(
        reading=reading,
        finding=f"{finding}: {numbers}.",
        holds=bool(said) and all(of.holds for of in said.values()),
        claim=f"{claim or finding}.",
        partly=f"{_parts_shown(said)} {_capitalised(numbers)}.",
        beside=f"{_capitalised(note)} ({EXPLAINED})." if note else "",
    )


def _parts_shown(said: Mapping[str, DatasetFinding]) -> str:
    """Say on which datasets the parts of a claim are shown; those of one place stand together."""
    places: dict[str, list[str]] = {}
    for clause in dict.fromkeys(clause for of in said.values() for clause in of.parts):
        shown = [name for name, of in said.items() if of.parts.get(clause)]
        missing = [name for name, of in said.items() if not of.parts.get(clause, True)]
        places.setdefault(_place(shown, missing, len(said)), []).append(clause)
    return " ".join(f"{place}: {'; '.join(clauses)}." for place, clauses in places.items())


def _place(shown: Sequence[str], missing: Sequence[str], n_datasets: int) -> str:
    on, off = (_named(names) for names in (shown, missing))
    everywhere = len(shown) + len(missing) == n_datasets
    if not missing:
        return "Shown" + (f" on {on}" if not everywhere else " on all" * (n_datasets > 1))
    if not shown:
        if not everywhere:
            return f"Not shown on {off}"
        return "Shown on none" if n_datasets > 1 else "Not shown"
    return f"Shown on {on}, not on {off}"


def _named(datasets: Sequence[str]) -> str:
    return in_a_row(DATASETS.get(name, name) for name in datasets) if datasets else ""


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def by_dataset(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each dataset, in their order."""
    return {str(name): rows for name, rows in results.groupby("dataset", sort=False)}


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
    """Return the discriminative power of each metric over unordered pairs: less is better."""
    return rows.groupby("metric", sort=False)["p_value"].sum()


def of_equal_lists(rows: pd.DataFrame) -> str:
    """Say which pairs of systems are the same under every metric, and are 1 of each sum."""
    pairs = rows.groupby(["system_a", "system_b"], sort=False)
    equal = pairs["difference"].agg(lambda values: bool((values.abs() == 0).all()))
    names = [f"{one.upper()} and {other.upper()}" for one, other in equal.index[equal]]
    if not names:
        return ""
    each = f"{two_decimals(len(names))} of each sum"
    return f" ({each} comes from {in_a_row(names)}, whose lists are the same)"


def ahead(values: pd.Series[float], group: Collection[str]) -> bool:
    """Return whether all of a group have higher values than all others."""
    inside = _in(values, group)
    return bool(values[inside].min() > values[~inside].max())


def behind(values: pd.Series[float], group: Collection[str]) -> bool:
    """Return whether all of a group have lower values than all others."""
    inside = _in(values, group)
    return bool(values[inside].max() < values[~inside].min())


def of_groups(
    values: pd.Series[float], *groups: Collection[str], others: str = "the others"
) -> str:
    """Print the values of groups of metrics, and of all others: .27 for MRR and .46 to .65 ...

    Parameters
    ----------
    values : Series
        By metric.
    *groups : collection of str
        Names of metrics.
    others : str
        What the metrics in no group are called.
    """
    left = ~_in(values, [name for group in groups for name in group])
    parts = [f"{range_of(values[_in(values, group)])} for {in_a_row(group)}" for group in groups]
    return in_a_row([*parts, f"{range_of(values[left])} for {others}"])


def range_of(values: pd.Series[float]) -> str:
    """Print the least and the highest of some values, or the one that they are: .46 to .65."""
    ends = [two_decimals(values.min()), two_decimals(values.max())]
    return " to ".join(dict.fromkeys(ends))


def numbers_of(values: pd.Series[float], names: Iterable[str]) -> str:
    """Print the values of some metrics: P (.98) and MRR (.90)."""
    return in_a_row(f"{name} ({two_decimals(values.get(name, float('nan')))})" for name in names)


def highest(values: pd.Series[float]) -> str:
    """Print the highest value, and all who have it: P (.98)."""
    return numbers_of(values, values.index[values.round(9) == values.round(9).max()])


def lowest(values: pd.Series[float]) -> str:
    """Print the lowest value, and all who have it: MRR (.27)."""
    return numbers_of(values, values.index[values.round(9) == values.round(9).min()])


def all_above(values: pd.Series[float], bound: float) -> bool:
    """Return whether no value is as low as a bound."""
    return bool(values.min() > bound)


def odd_one(results: pd.DataFrame, usual: str, elsewhere: Mapping[str, str]) -> str:
    """Say which metrics order the systems least like the others, of the datasets there are.

    Parameters
    ----------
    results : DataFrame
        With the column ``dataset``.
    usual : str
        Subject and verb of the sentence, on all other datasets.
    elsewhere : mapping of str to str
        Metrics by the names of datasets on which it is these.
    """
    datasets = list(by_dataset(results))
    others = [
        f"on {DATASETS[name]} {elsewhere[name]} does" for name in datasets if name in elsewhere
    ]
    if len(others) == len(datasets) == 1:
        return f"{elsewhere[datasets[0]]} orders the systems least like the other metrics"
    return ", ".join([f"{usual} the systems least like the other metrics", *others])


def recall_beside_p(results: pd.DataFrame) -> str:
    """Say where Recall is as robust as P when popular items go, which the text has not."""

    def level(means: pd.Series[float]) -> bool:
        return bool(means["Recall"] >= means["P"])

    return where(results, level, "Recall matches P, which the paper has first")


def where(results: pd.DataFrame, differs: Callable[[pd.Series[float]], bool], words: str) -> str:
    """Return a note where mean taus differ from the paper's, with the datasets unless all do."""
    datasets = by_dataset(results)
    found = [DATASETS.get(n, n) for n, rows in datasets.items() if differs(taus(rows).mean())]
    if not found:
        return ""
    return words if len(found) == len(datasets) else f"on {in_a_row(found)} {words}"


def _in(values: pd.Series[float], group: Collection[str]) -> pd.Series[bool]:
    return values.index.to_series().isin(list(group))
