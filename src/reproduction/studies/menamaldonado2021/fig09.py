# SPDX-License-Identifier: MIT
"""Figure 9: how often optimal rankings for observed and real values agree, as lemma 3 predicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.bar_table import ROW_HEIGHT
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.storage.files import real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021.fig05 import (
    AGREE,
    COLOURS,
    DISAGREE,
    TIED,
    draw_groups,
    group_of_areas,
    orders_together,
    paper_share,
    popularity_against,
    print_totals,
    share_beside_paper,
    table_of_areas,
    table_of_statements,
)

OPTIMISED = ("precision", "anti-precision")
CONSISTENT = "observed and real optimum agree"
LEMMA_HOLDS = "lemma 3 holds"
PAPER = {
    ("precision", CONSISTENT): 0.641,
    ("anti-precision", CONSISTENT): 0.421,
    ("precision", LEMMA_HOLDS): 0.812,
    ("anti-precision", LEMMA_HOLDS): 0.753,
}
COMPARED = {AGREE: "complement", DISAGREE: "relevance"}
"""The function that popularity is compared with, by whether it agrees with relevance."""

OUTCOME_STYLES = {
    AGREE: (COLOURS[AGREE], CONSISTENT),
    DISAGREE: (COLOURS[DISAGREE], "they disagree"),
    TIED: (COLOURS[TIED], "one of them has a tie"),
}
HEADS = ("agree", "disagree", "tied")
TOGETHER = "popularity and relevance agree"


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the pairs of items by agreement and steepness of popularity and relevance.

    Columns: dataset; metric (precision or anti-precision); statement; popularity_and_relevance
    (agree, disagree, or which is flat: equal for both items); steepness (of the odds of popularity:
    steeper, equally or less steep than non-relevance if popularity and relevance agree, else than
    relevance); rankings (whether the optimal rankings for observed and real values agree, disagree,
    or one of them has a tie); lemma (whether lemma 3 predicts that: holds or fails); pairs
    (number); share_of_pairs; paper (the share that the paper states).

    A row has either a statement, sometimes on both metrics, or an area of the mosaic: the columns
    from popularity_and_relevance to lemma. Items that no user knew are left out.
    """
    from receval.theory.item_pairs import item_pairs
    from receval.theory.rating_probabilities import RatingProbabilities
    from reproduction.studies.menamaldonado2021.lemma_cases import (
        lemma3_predicts_consistent_anti_precision,
        lemma3_predicts_consistent_precision,
    )

    threshold = float(inputs.parameters["relevance_threshold"])
    tables = []
    for dataset in inputs.datasets:
        counts = RatingProbabilities.of_judgments(inputs.ratings(dataset), threshold)
        pairs = item_pairs(counts, "all")
        popularity = popularity_against(pairs, "relevance")
        against = np.where(
            popularity == AGREE, pairs.steeper_than_non_relevance, pairs.steeper_than_relevance
        )
        predictions = (
            lemma3_predicts_consistent_precision(
                pairs.popularity, pairs.relevance, pairs.steeper_than_relevance
            ),
            lemma3_predicts_consistent_anti_precision(
                pairs.popularity, pairs.relevance, pairs.steeper_than_non_relevance
            ),
        )
        observed = (pairs.observed_precision, pairs.observed_anti_precision)
        rankings = [orders_together(order, pairs.real_ranking) for order in observed]
        consistent = (rankings[0] == AGREE) & (rankings[1] == AGREE)
        statements: dict[str, tuple[NDArray[np.bool_], float | None]] = {
            TOGETHER: (popularity == AGREE, 0.69),
            "odds are steeper than relevance": (pairs.steeper_than_relevance > 0, None),
            "odds are steeper than non-relevance": (pairs.steeper_than_non_relevance > 0, 0.90),
            f"{CONSISTENT} for both metrics": (consistent, 0.183),
        }
        of_dataset = [table_of_statements(pairs, statements)]
        for metric, ranking, predicted in zip(OPTIMISED, rankings, predictions, strict=True):
            holds = predicted == (ranking == AGREE)
            statements = {
                CONSISTENT: (ranking == AGREE, PAPER[metric, CONSISTENT]),
                LEMMA_HOLDS: (holds, PAPER[metric, LEMMA_HOLDS]),
            }
            names = {
                "popularity_and_relevance": popularity,
                "steepness": np.select(
                    [against > 0, against < 0], ["steeper", "less steep"], "equally steep"
                ),
                "rankings": ranking,
                "outcome": np.where(holds, "holds", "fails"),
            }
            of_dataset.append(table_of_statements(pairs, statements).assign(metric=metric))
            of_dataset.append(table_of_areas(pairs, names).assign(metric=metric))
        tables.append(pd.concat(of_dataset, ignore_index=True).assign(dataset=dataset))
    results = pd.concat(tables, ignore_index=True)
    names_of_rows = [name for name in _COLUMNS if name not in ("pairs", "share_of_pairs", "paper")]
    return results[_COLUMNS].fillna(dict.fromkeys(names_of_rows, ""))


_COLUMNS = [
    "dataset",
    "metric",
    "statement",
    "popularity_and_relevance",
    "steepness",
    "rankings",
    "outcome",
    "pairs",
    "share_of_pairs",
    "paper",
]


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per metric, coloured by consistency, with rows where lemma 3 fails."""
    datasets = list(dict.fromkeys(results["dataset"]))
    shown = [(dataset, metric) for dataset in datasets for metric in OPTIMISED]
    figure = new_figure(DOUBLE_COLUMN, 0.3 + (0.9 + 11 * ROW_HEIGHT) * len(shown))
    panels = figure.subplots(len(shown), 1, squeeze=False)[:, 0]
    for axes, (dataset, metric) in zip(panels, shown, strict=True):
        named = [display.datasets[dataset]] if metric == OPTIMISED[0] else []
        axes.set_title(", ".join([*named, metric if named else metric.capitalize()]))
    letter_panels(panels)
    for axes, (dataset, metric) in zip(panels, shown, strict=True):
        rows = results[results["dataset"] == dataset]
        _draw_metric(axes, rows, metric, is_real=display.is_real(dataset))
    legend_below(figure)
    return figure


def _draw_metric(axes: Axes, rows: pd.DataFrame, metric: str, *, is_real: bool) -> None:
    of_metric = rows[rows["metric"] == metric]
    areas = of_metric[of_metric["statement"] == ""]
    together = areas["popularity_and_relevance"] == AGREE
    (paper,) = real_values(rows.loc[rows["statement"] == TOGETHER, "paper"])
    remark = paper_share(float(paper)) if is_real else ""
    areas = areas.assign(
        area=np.where(areas["steepness"] == "steeper", "steeper", "not steeper")
        + np.where(areas["outcome"] == "fails", ", lemma fails", "")
    )
    groups = [
        group_of_areas(areas[chosen], label, _names_against(compared), OUTCOME_STYLES, remark)
        for label, chosen, compared, remark in (
            ("Popularity and relevance agree", together, COMPARED[AGREE], remark),
            ("They do not", ~together, COMPARED[DISAGREE], ""),
        )
    ]
    draw_groups(axes, groups, OUTCOME_STYLES, HEADS)
    consistent, holds = (
        share_beside_paper(of_metric, statement, is_real=is_real)
        for statement in (CONSISTENT, LEMMA_HOLDS)
    )
    lines = [f"Observed and real optimum agree: {consistent}", f"Lemma 3 holds: {holds}"]
    print_totals(axes, lines)


def _names_against(compared: str) -> dict[str, str]:
    """Return the names of the rows: whether popularity is steeper, and whether lemma 3 fails."""
    return {
        f"{steepness}{fails}": f"odds {steepness} than {compared}{told}"
        for steepness in ("steeper", "not steeper")
        for fails, told in (("", ""), (", lemma fails", "; lemma 3 does not hold"))
    }
