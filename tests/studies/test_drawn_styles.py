# SPDX-License-Identifier: MIT
"""That figures which are not drawn in the display styles, or not worded alike, are noticed."""

from __future__ import annotations

import re

import pytest
from matplotlib.patches import Rectangle
from studies.drawn_styles import alike_problems, held_labels, style_problems
from studies.drawn_words import panels_without_title, wording_problems

from receval.figures.display import DisplayStyle
from receval.figures.style import (
    DOUBLE_COLUMN,
    INK,
    MetricStyle,
    SystemStyle,
    figure_style,
    new_figure,
    shaded,
)

KNN, MF, PRECISION = "#0072b2", "#d55e00", "#0b0d86"
DISPLAY = DisplayStyle(
    title="",
    caption="",
    systems={
        "knn-3": SystemStyle("kNN, k = 3", KNN, "o"),
        "mf": SystemStyle("Matrix factorisation", MF, "s", short_title="MF"),
    },
    extra_systems=(),
    datasets={"ml-1m": "ML-1M"},
    experiments={},
    absence="",
    parameters={},
    metrics={"P": MetricStyle(PRECISION, "o")},
)


COLOURS = [
    ("kNN, k = 3", KNN, shaded(KNN, 0.5)),
    ("kNN, reduced", shaded(KNN, 0.5), MF),
    ("MF", MF, KNN),
    ("Matrix factorisation", "#7f7f7f", KNN),
    ("MF wins", MF, KNN),
    ("kNN significantly better (29.4 %)", KNN, MF),
    ("GP*", PRECISION, shaded(PRECISION, 0.5)),
    ("P@5", shaded(PRECISION, 0.5), MF),
    ("ML-1M", INK, MF),
    ("ML-1M, beyond", INK, MF),
]


@pytest.mark.each(
    ("label", "own", "other", "kind"),
    [*((*case, "line") for case in COLOURS), *((*COLOURS[0], kind) for kind in ("bars", "patch"))],
)
def test_another_colour_is_noticed(label: str, own: str, other: str, kind: str) -> None:
    for colour, is_own in ((own, True), (other, False)):
        with figure_style():
            figure = new_figure(DOUBLE_COLUMN, 2)
            axes = figure.subplots()
            if kind == "line":
                axes.plot([0, 1], [0, 1], color=colour, label=label)
            elif kind == "bars":
                axes.bar([0, 1], [1, 1], facecolor=colour, label=label)
            else:
                axes.add_patch(Rectangle((0, 0), 0, 0, facecolor=colour, label=label))
        assert held_labels(figure, DISPLAY) == {label}
        assert (style_problems(figure, DISPLAY) == []) is is_own


@pytest.mark.each(
    ("colour", "marker", "alike"),
    [(PRECISION, "o", True), ("#0f0b80", "o", True), (PRECISION, "s", False), (MF, "o", False)],
)
def test_two_names_that_look_alike_are_noticed(colour: str, marker: str, alike: bool) -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=PRECISION, marker="o", label="P")
        axes.plot([0, 1], [1, 0], color=colour, marker=marker, label="GP")
    assert bool(alike_problems(figure, DISPLAY)) is alike


def test_what_is_nobodys_is_not_held() -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        figure.subplots().plot([0, 1], color=MF, label="full top 10")
    assert held_labels(figure, DISPLAY) == set()


@pytest.mark.each(
    ("text", "problem"),
    [
        ("ratio 0.5", "a zero before the point"),
        ("from -5 on", "a hyphen for a minus"),
        ("ratio .5, from \N{MINUS SIGN}5 on", ""),
    ],
)
def test_words_of_another_style_are_noticed(text: str, problem: str) -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        axes = figure.subplots()
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_title(text)
        found = wording_problems(figure)
        assert [problem in sentence for sentence in found] == [True] * bool(problem)
        axes.set_title("", fontsize=4)
        axes.set_ylabel("share", fontsize=4)
        said = " ".join(wording_problems(figure))
        assert "does not begin with a capital" in said
        assert "4 points" in said


@pytest.mark.parametrize(
    ("titles", "without"),
    [
        (["(a) P", "(b) Recall"], []),
        (["(1) $f$ and $g$ agree", "(a) ML-1M\nwith a floor"], []),
        (["(a)", "(b) Recall"], ["(a)"]),
        (["(a) $x$", "Recall", ""], ["(a) $x$", "Recall", ""]),
    ],
)
def test_several_panels_need_letters_and_words(titles: list[str], without: list[str]) -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        grid = figure.subplots(1, len(titles), squeeze=False, sharex=True)
        for axes, title in zip(grid[0], titles, strict=True):
            axes.set_title(title)
        figure.colorbar(grid[0, 0].imshow([[0, 1]]), ax=grid[0, 0])
    said = "\n".join(panels_without_title(figure))
    assert re.findall(r"title '(.*)', not", said) == [repr(title)[1:-1] for title in without]


def test_strips_that_continue_the_panel_above_need_no_title() -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        figure.subplots(2, sharex=True)[0].set_title("All decisions")
        assert panels_without_title(figure) == []


@pytest.mark.parametrize(
    ("titles", "found"),
    [
        (["ML-1M"], True),
        (["Precision, ML-1M"], False),
        (["(a) ML-1M\nwith a floor", "(b) without"], True),
        (["(a) ML-1M", "(b) CM100k"], False),
    ],
)
def test_only_several_panels_have_the_titles_of_datasets_alone(
    titles: list[str], found: bool
) -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        for axes, title in zip(
            figure.subplots(1, len(titles), squeeze=False)[0], titles, strict=True
        ):
            axes.set_title(title)
        problems = wording_problems(figure, ["ML-1M", "CM100k"])
    assert any("does not say what the panel shows" in said for said in problems) == found
