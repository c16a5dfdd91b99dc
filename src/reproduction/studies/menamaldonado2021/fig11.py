# SPDX-License-Identifier: MIT
"""Figure 11: train and test ratings of biased and unbiased evaluation, counted in the splits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from reproduction.studies._shared.inputs import ArtifactInputs

EVALUATIONS = ("real", "observed")
TRAIN_PART, OBSERVED_TEST, UNBIASED_TEST, UNUSED = (
    "train",
    "observed test",
    "unbiased test",
    "unused",
)
TESTS = {"real": UNBIASED_TEST, "observed": OBSERVED_TEST}

FILLS = {
    TRAIN_PART: "#4D4D4D",
    OBSERVED_TEST: "#CC79A7",
    UNBIASED_TEST: "#56B4E9",
    UNUSED: "#E6E6E6",
}
"""Colours of the parts, none of them a hue of a system."""

BAND = 0.82
"""Height of a fold's rectangle, relative to the distance between two folds."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count the ratings by their use, in every fold of the splits (section 8.2).

    Columns: dataset; split; evaluation (real, observed); fold (from 0); part (train; observed test
    or unbiased test; unused); ratings; known_ratings (those that users chose themselves, or of
    items that they knew). Both evaluations have the same training ratings, as in the released data.
    """
    rows: list[dict[str, Any]] = []
    for dataset, name in inputs.splits:
        known = inputs.ratings(dataset).known
        if known is None:
            raise ValueError(
                f"The ratings of {dataset} do not say which of them users chose (the column "
                "known), so figure 11 cannot tell their parts: leave the dataset out of it."
            )
        for number, codes in enumerate(inputs.split(dataset, name).codes):
            for evaluation in EVALUATIONS:
                for part, used in _parts_of(evaluation, codes):
                    rows.append(
                        {
                            "dataset": dataset,
                            "split": name,
                            "evaluation": evaluation,
                            "fold": number,
                            "part": part,
                            "ratings": int(used.sum()),
                            "known_ratings": int((used & known).sum()),
                        }
                    )
    return pd.DataFrame(rows)


def _parts_of(evaluation: str, codes: Any) -> Iterator[tuple[str, Any]]:
    from receval.splits.split import TEST, TRAIN, UNBIASED

    trains = (codes & TRAIN) > 0
    tests = (codes & (UNBIASED if evaluation == "real" else TEST)) > 0
    yield "train", trains
    yield TESTS[evaluation], tests
    yield UNUSED, ~(trains | tests)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one rectangle per fold of the first split of every dataset."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 0.75 + 2.2 * len(datasets))
    panels = figure.subplots(len(datasets), len(EVALUATIONS), squeeze=False)
    for row, dataset in zip(panels, datasets, strict=True):
        rows = results[results["dataset"] == dataset]
        rows = rows[rows["split"] == rows["split"].iloc[0]]
        for axes, evaluation in zip(row, EVALUATIONS, strict=True):
            _draw_folds(axes, rows, evaluation)
            named = [display.datasets[dataset]] if evaluation == EVALUATIONS[0] else []
            kind = f"{evaluation} values"
            axes.set_title(", ".join([*named, kind if named else kind.capitalize()]))
    for axes in panels[-1]:
        axes.set_xlabel("Ratings of each strip, in the order of the folds (%)")
    for row in panels:
        row[0].set_ylabel("Fold")
    letter_panels(panels.ravel())
    for part, colour in FILLS.items():
        panels[0, 0].add_patch(Rectangle((0, 0), 0, 0, facecolor=colour, label=part))
    legend_below(figure)
    return figure


def _draw_folds(axes: Axes, rows: pd.DataFrame, evaluation: str) -> None:
    def by_part(values: pd.Series) -> pd.DataFrame:
        keys = [rows["evaluation"], rows["fold"], rows["part"]]
        return values.groupby(keys).sum().unstack(fill_value=0)  # noqa: PD010 - keys are series

    chosen = by_part(rows["known_ratings"])
    drawn = by_part(rows["ratings"] - rows["known_ratings"])
    folds = drawn.loc[evaluation].index
    n_chosen, n_drawn = (strip.loc[(evaluation, folds[0])].sum() for strip in (chosen, drawn))
    upper = BAND * n_chosen / (n_chosen + n_drawn)
    parts = {
        "chosen": _parts(chosen.loc["observed"][OBSERVED_TEST] / max(n_chosen, 1)),
        "drawn": _parts(drawn.loc["real"][UNBIASED_TEST] / max(n_drawn, 1)),
    }
    for index, fold in enumerate(folds):
        top = index + (1 - BAND) / 2
        for name, strip, start, height in (
            ("chosen", chosen, top, upper),
            ("drawn", drawn, top + upper, BAND - upper),
        ):
            ratings = strip.loc[(evaluation, fold)]
            _draw_strip(axes, (start, height), parts[name][fold], ratings, TESTS[evaluation])
    ratings = rows[rows["evaluation"] == evaluation].set_index(["fold", "part"])["ratings"]
    for index, fold in enumerate(folds):
        trains, tests = ratings[fold, TRAIN_PART], ratings[fold, TESTS[evaluation]]
        _print_beside(axes, index + 0.5, f"{trains:,}\n{tests:,}", va="center")
    _print_beside(axes, -0.05, f"{TRAIN_PART}\n{TESTS[evaluation]}", va="bottom", style="italic")
    axes.set_xlim(0, 100)
    axes.set_ylim(len(folds), 0)
    axes.set_yticks([index + 0.5 for index in range(len(folds))], [str(fold) for fold in folds])
    axes.tick_params(axis="y", length=0)
    axes.grid(False)
    axes.spines["left"].set_visible(False)


def _parts(shares: pd.Series) -> dict[int, tuple[float, float]]:
    """Return the start and width of each fold's own part of a strip."""
    # Folds partition a strip, or each has the whole strip.
    whole = shares.sum() > 1 + 1e-9
    starts = 0 * shares if whole else shares.cumsum() - shares
    return {fold: (starts[fold], shares[fold]) for fold in shares.index}


def _draw_strip(
    axes: Axes,
    band: tuple[float, float],
    part: tuple[float, float],
    ratings: pd.Series,
    test: str,
) -> None:
    """Draw one strip of a fold: the fold's own part, and the parts before and after it."""
    bottom, height = band
    around = TRAIN_PART if ratings[TRAIN_PART] > 0 else UNUSED
    inside = test if ratings[test] > 0 else UNUSED
    end = part[0] + part[1]
    pieces = [(0.0, part[0], around), (*part, inside), (end, 1 - end, around)]
    if inside == around:
        pieces = [(0.0, 1.0, around)]
    for start, width, name in pieces:
        if width < 1e-9:
            continue
        axes.add_patch(
            Rectangle(
                (100 * start, bottom),
                100 * width,
                height,
                facecolor=FILLS[name],
                edgecolor="white",
                linewidth=0.4,
            )
        )


def _print_beside(axes: Axes, height: float, text: str, **style: Any) -> None:
    axes.text(102, height, text, fontsize=6.5, color=INK, **style)
