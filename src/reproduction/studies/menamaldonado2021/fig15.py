# SPDX-License-Identifier: MIT
"""Figure 15: popularity against the probability of relevance, estimated from random judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle, coefficient_text
from receval.figures.finish import letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, SINGLE_COLUMN, new_figure
from receval.statistics.correlation import pearson_r
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021.fig06 import dots, in_falling_order, with_statements

if TYPE_CHECKING:
    from receval.data.ratings import Ratings

PEARSON = "Pearson's r of popularity and relevance"
PRINTED = "Pearson's $r$"


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return p(train | i) and p(rel | i), one row per item and relevance threshold.

    Columns: dataset; relevance_threshold; statement; coefficient (its value: Pearson's r);
    popularity_rank (from 1, the row's rank); popularity, p(train | i); relevance, p(rel | i). A
    row has either a statement or an item. Items are not named; those without random judgments are
    left out.

    p(rel | i) is the share of relevant ones among the random judgments of an item. If users said
    which items they knew (the parameter ``sample_holds_choices``: CM100k), p(train | i) is the
    share of these users who knew the item; else (Yahoo! R3) it is the share of all users who chose
    to rate it.
    """
    tables = []
    names, thresholds = inputs.parameters["curves"], inputs.parameters["thresholds"]
    for dataset, threshold in zip(names, thresholds, strict=True):
        if dataset not in (*inputs.datasets, *inputs.absent):
            raise ValueError(
                f"The parameter curves names {dataset}, which is not among the artifact's datasets."
            )
        if dataset in inputs.absent:
            continue
        holds_choices = dataset in inputs.parameters["sample_holds_choices"]
        popularity, relevance = _probabilities(
            inputs.ratings(dataset), float(threshold), holds_choices
        )
        judged = ~np.isnan(popularity) & ~np.isnan(relevance)
        columns = {"popularity": popularity[judged], "relevance": relevance[judged]}
        correlation = {PEARSON: pearson_r(*columns.values())}
        table = with_statements(dataset, correlation, "coefficient", in_falling_order(columns))
        table.insert(1, "relevance_threshold", int(threshold))
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _probabilities(
    ratings: Ratings, threshold: float, holds_choices: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from receval.theory.rating_probabilities import RatingProbabilities

    if holds_choices:
        judged = RatingProbabilities.of_judgments(ratings, threshold)
        return judged.p_train, judged.p_relevant
    if ratings.known is None:
        raise ValueError(
            "The ratings do not say which of them their users chose, so there is no random sample "
            "to estimate relevance from: draw this figure of other datasets."
        )
    chosen = RatingProbabilities.of_ratings(ratings, threshold, ratings.known)
    drawn = ratings.select(~ratings.known)
    nothing = np.zeros(len(drawn), dtype=bool)
    judged = RatingProbabilities.of_judgments(drawn, threshold, nothing)
    return chosen.p_train, judged.p_relevant


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per dataset, at its first threshold, with the correlation."""
    first = results.drop_duplicates("dataset").set_index("dataset")["relevance_threshold"]
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN if len(datasets) > 1 else SINGLE_COLUMN, 2.8)
    panels = figure.subplots(1, len(datasets), squeeze=False)[0]
    for axes, dataset in zip(panels, datasets, strict=True):
        chosen = results["dataset"] == dataset
        chosen &= results["relevance_threshold"] == first[dataset]
        items = results[chosen & (results["statement"] == "")]
        (r,) = real_values(results.loc[chosen & (results["statement"] == PEARSON), "coefficient"])
        dots(axes, real_values(items["popularity"]), real_values(items["relevance"]), INK, size=2.5)
        # Items of popularity 0 have whole dots.
        axes.set_xlim(left=-0.01)
        axes.set_ylim(bottom=-0.01)
        axes.set_title(f"{display.datasets[dataset]}, {coefficient_text(PRINTED, r)}")
        axes.set_xlabel("Popularity $p(\\mathrm{train}|i)$")
        axes.set_ylabel("Relevance $p(\\mathrm{rel}|i)$")
    letter_panels(panels)
    return figure
