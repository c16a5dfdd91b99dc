# SPDX-License-Identifier: MIT
"""Coefficients of the panels of a figure: how they are printed, and which are as claimed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import pandas as pd

from receval.figures.display import coefficient_text, p_value_text
from receval.storage.files import real_values
from receval.studies._shared.message import in_a_row

EXPERIMENTS = {
    "movielens": "ML-1M",
    "yahoo": "Yahoo! R3",
    "yahoo from 3": "Yahoo! R3 from 3 stars",
    "cm100k": "CM100k",
    "cm100k-opposed": "CM100k with anti-popular familiarity",
    "movielens-temporal": "ML-1M split by time",
}
RELEASED = ("yahoo",)
"""Experiments with panels in the released form, too, which counts ratings from 3 stars."""

NAMES = {"RR": "MRR", "antiRR": "anti-MRR"}

SIGNIFICANT = 0.05
"""Below it a p-value says that two orders of the systems are related."""

FEW = 3
"""So many coefficients and more are counted, not printed."""

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def coefficients(results: pd.DataFrame, released: Collection[str] = ()) -> pd.DataFrame:
    """Return one row a panel: in the form of the text, of some experiments in the released one.

    Panels in the released form are of an experiment of their own.
    """
    panel = ["experiment", "x_metric", "y_metric"]
    text = results[results["form"] == "text"]
    others = results[(results["form"] == "released") & results["experiment"].isin(list(released))]
    others = others.assign(experiment=others["experiment"] + " from 3")
    rows = pd.concat([text, others]).drop_duplicates(panel)
    return rows[[*panel, "tau", "p_value", "systems"]].reset_index(drop=True)


def is_significant(taus: pd.DataFrame) -> pd.Series:
    """Return which coefficients are significant."""
    return taus["p_value"] < SIGNIFICANT


def plain_label(label: str) -> str:
    """Return a metric's name without parameters and cut-off."""
    return re.sub(r"[@(].*", "", label)


def names(labels: Sequence[str] | pd.Series) -> str:
    """Return the names of metrics, each once."""
    return in_a_row(list(dict.fromkeys(NAMES.get(name, name) for name in map(plain_label, labels))))


def shown_taus(
    taus: pd.DataFrame, unrelated: str = ", not significant", several: bool | None = None
) -> str:
    """Print coefficients by pairs, such as "τ = .617 (p < .001) for P and antiP".

    With their places, if these are several, or are said to be.
    """
    pairs: dict[str, list[str]] = {}
    if several is None:
        several = len(set(taus["experiment"])) > 1
    for row in taus.to_dict("records"):
        pair = names((row["y_metric"], row["x_metric"]))
        where = f" on {experiment_title(row['experiment'])}" if several else ""
        p_value = float(row["p_value"])
        remark = p_value_text(p_value) + ("" if p_value < SIGNIFICANT else unrelated)
        found = f"{coefficient_text('τ', float(row['tau']))} ({remark}){where}"
        pairs.setdefault(pair, []).append(found)
    return ", ".join(f"{in_a_row(found)} for {pair}" for pair, found in pairs.items())


def experiment_title(experiment: str) -> str:
    """Return the data of an experiment in words."""
    return EXPERIMENTS.get(experiment, experiment)


def counted(taus: pd.DataFrame, sign: int) -> str:
    """Say how many coefficients have a sign, and how many of them significantly, as a clause.

    Few that are significant, or few that are not, are printed, and so are few of the other sign.

    Parameters
    ----------
    taus : DataFrame
        From :func:`coefficients`.
    sign : {1, -1}
        What is claimed.
    """
    alike = taus["tau"] * sign > 0
    sure = alike & is_significant(taus)
    several = len(set(taus["experiment"])) > 1
    word = "positive" if sign > 0 else "negative"
    verb = "is" if alike.sum() < 2 else "are"
    systems = int(real_values(taus["systems"])[0])
    clause = f"{_of(int(alike.sum()), len(taus))} over {systems} systems {verb} {word}"
    if alike.any():
        clause += _significance(taus, alike, sure, several)
    if 0 < (~alike).sum() < FEW:
        others = shown_taus(taus[~alike], unrelated="", several=several)
        clause += f", unlike {others}" if alike.any() else f": {others}"
    return clause


def _significance(
    taus: pd.DataFrame, alike: pd.Series[bool], sure: pd.Series[bool], several: bool
) -> str:
    unsure = alike & ~sure
    if not sure.any():
        return ", none of them significantly"
    if sure.sum() < FEW:
        how = (
            "significantly"
            if sure.equals(alike)
            else f"but only {_number(sure.sum())} significantly"
        )
        return f", {how}: {shown_taus(taus[sure], several=several)}"
    if not unsure.any():
        return ", significantly"
    if unsure.sum() < FEW:
        return f", significantly but for {shown_taus(taus[unsure], unrelated='', several=several)}"
    return f", {_number(sure.sum())} of them significantly"


def _of(count: int, total: int) -> str:
    if count < total or total == 1:
        return f"{_number(count)} of {_number(total)} coefficients"
    return f"{'both' if total == 2 else f'all {_number(total)}'} coefficients"


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)
