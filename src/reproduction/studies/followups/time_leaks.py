# SPDX-License-Identifier: MIT
"""How many test ratings are older than training ratings, under several splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure, ordered_styles
from reproduction.studies._shared.bars import grouped_bars
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.time_orders import (
    SPLIT_TITLES,
    in_order,
    tested_by,
)

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.splits.split import Split

SCOPES = {
    "anybody": "Of any user",
    "same item": "Of the same item",
    "same user": "Of the same user",
}
"""Which training ratings are considered (:data:`receval.splits.leakage.LEAKAGE_SCOPES`)."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Count the test ratings with later training ratings (:mod:`receval.splits.leakage`).

    With the times :math:`T_s(u, i)` of the training ratings in a scope s (all, those of the same
    item, or of the same user), a test rating of u for i at time t is affected if

    .. math:: \exists\, t' \in T_s(u, i) : t' > t.

    For ratings without timestamps, a split may tell which are the newest fifth. Each rating then
    has one of two times, and counting the certainly affected ones gives a lower bound.

    Parameters of the artifact: those of :func:`.tested_by`; ``newest_fifth``, the split whose test
    ratings are the newest.

    Columns: dataset; split; tested (which ratings test); known (``seconds``, or ``newest fifth`` if
    no more is known about times); fold; scope; test_interactions and test_users (how many there
    are); interactions (share of them that is affected); users (share of the users with an affected
    rating); median_share (median over the test ratings with training ratings in scope of the share
    of these that is later); median_days (median over the affected of the days to the latest
    training rating; empty if seconds are not known).

    Sources: Ji, Sun, Zhang and Li (2023), ACM TOIS 41(3); Meng et al. (2020), RecSys.
    """
    from receval.splits.leakage import futures_in_train

    tables = []
    for dataset in inputs.datasets:
        names = [name for of, name in inputs.splits if of == dataset]
        ratings, known, usable = _with_times(inputs, dataset, names)
        splits = {name: inputs.split(dataset, name) for name in usable}
        found = futures_in_train(ratings, list(splits.values()))
        for name, leakage in zip(splits, found, strict=True):
            table = leakage.table
            if known != "seconds":
                table = table.assign(median_days=float("nan"))
            keys = {
                "dataset": dataset,
                "split": name,
                "tested": tested_by(name, inputs.parameters),
                "known": known,
            }
            tables.append(table.assign(**keys)[[*keys, *table.columns]])
    return pd.concat(tables, ignore_index=True)


def _with_times(
    inputs: ArtifactInputs, dataset: str, names: list[str]
) -> tuple[Ratings, str, list[str]]:
    """Return ratings with times, how exactly these are known, and the splits to examine."""
    ratings = inputs.ratings(dataset)
    newest = str(inputs.parameters["newest_fifth"])
    if ratings.timestamps is not None:
        # This is the same split again: the newest fifth of all ratings.
        return ratings, "seconds", [name for name in names if name != newest]
    if newest not in names:
        return ratings, "seconds", []
    return with_two_moments(ratings, inputs.split(dataset, newest)), "newest fifth", names


def with_two_moments(ratings: Ratings, newest: Split) -> Ratings:
    """Return ratings with time 1 if they are in test in the only fold of a split, else 0."""
    from receval.splits.split import TEST

    (codes,) = newest.codes
    return replace(ratings, timestamps=(codes & TEST > 0).astype(np.int64))


def percentage(value: float, *, at_least: bool = False) -> str:
    """Return a percentage with enough decimals that it is not rounded to 0; > 99 below 100.

    Examples
    --------
    >>> [percentage(value) for value in (24.7, 99.95, 0.3, 100, 0)]
    ['25', '> 99', '.3', '100', '0']
    >>> percentage(24.7, at_least=True)
    '24'
    """
    if at_least and value >= 1:
        return f"{int(value)}"
    if 99 < value < 100:
        return "> 99"
    for decimals in range(4):
        text = f"{value:.{decimals}f}"
        if float(text) or not value:
            break
    return text.removeprefix("0") if text.startswith("0.") else text


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the share of affected test ratings, and of the training ratings that are later."""
    keys = ["dataset", "split", "tested", "known", "scope"]
    over_folds = results.groupby(keys, sort=False, as_index=False)
    means = over_folds[["interactions", "users", "median_share"]].mean()
    datasets = list(dict.fromkeys(means["dataset"]))
    shown = {name: in_order(means.loc[means["dataset"] == name, "tested"]) for name in datasets}
    styles = ordered_styles(list(SCOPES))
    figure = new_figure(DOUBLE_COLUMN, 3.9)
    grid = figure.subplots(
        2,
        len(datasets),
        squeeze=False,
        sharey="row",
        width_ratios=[len(shown[name]) for name in datasets],
    )
    columns = {
        "interactions": "Test ratings with later\ntraining ratings (%)",
        "median_share": "Training ratings that are\nlater, median (%)",
    }
    for row, (column, label) in zip(grid, columns.items(), strict=True):
        for axes, dataset in zip(row, datasets, strict=True):
            own = means[means["dataset"] == dataset]
            grouped_bars(
                axes,
                own.assign(percent=100 * own[column]),
                group="tested",
                series="scope",
                value="percent",
                styles=styles,
                group_order=shown[dataset],
                group_labels=dict(_labels(own)),
                series_labels=SCOPES,
            )
            axes.set_ylim(0, 114)
            axes.set_yticks(range(0, 101, 20))
            # As in the labels: with only the newest fifth known, values are lower bounds.
            bound = bool((own["known"] != "seconds").all())
            for bars in axes.containers:
                axes.bar_label(
                    bars, fmt=partial(percentage, at_least=bound), fontsize=6.5, padding=1
                )
        row[0].set_ylabel(label)
    for row, of in zip(grid, ("test", "training"), strict=True):
        for axes, dataset in zip(row, datasets, strict=True):
            axes.set_title(f"{display.datasets[dataset]}, {of}")
    return with_legend(grid.flat)


def _labels(results: pd.DataFrame) -> Iterator[tuple[str, str]]:
    for tested, own in results.groupby("tested"):
        title = SPLIT_TITLES[str(tested)]
        # Nothing is later than the newest fifth, even if exact times are unknown.
        at_least = (own["known"] != "seconds").all() and (own["interactions"] > 0).any()
        yield str(tested), f"{title},\nat least" if at_least else title
