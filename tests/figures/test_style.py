# SPDX-License-Identifier: MIT
"""One style: bundled fonts, series that can be told apart, texts that do not overlap."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from figures.sample_figures import SAMPLES
from figures.text_problems import text_problems
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from receval.figures.finish import legend_below, note
from receval.figures.style import (
    COLOURS,
    DOUBLE_COLUMN,
    EXTRA_HATCH,
    HATCHES,
    SINGLE_COLUMN,
    figure_style,
    new_figure,
    ordered_styles,
    series_styles,
)


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_fonts_are_bundled_with_matplotlib(weight: str) -> None:
    with figure_style():
        families = mpl.rcParams["font.family"]
        assert mpl.rcParams["mathtext.fontset"] == "dejavusans"
    for family in families:
        font = font_manager.FontProperties(family=family, weight=weight)
        path = Path(font_manager.findfont(font, fallback_to_default=False))
        assert path.is_relative_to(mpl.get_data_path())


def test_style_ends_with_its_block() -> None:
    before = dict(mpl.rcParams)
    with figure_style():
        assert mpl.rcParams["axes.spines.top"] is False
    assert dict(mpl.rcParams) == before


def test_colours_differ_in_lightness_or_hue_under_colour_vision_deficiency() -> None:
    # Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
    deuteranopia = np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.01182, 0.04294, 0.968881],
        ]
    )
    linear = np.array([to_rgb(colour) for colour in COLOURS]) ** 2.2
    for matrix in (np.eye(3), deuteranopia):
        seen = np.clip(linear @ matrix.T, 0, 1) ** (1 / 2.2)
        distances = np.linalg.norm(seen[:, None] - seen[None], axis=2)
        assert distances[~np.eye(len(COLOURS), dtype=bool)].min() > 0.15


def test_styles_are_distinct_and_only_extra_series_are_hatched() -> None:
    names = ["a", "x", "b", "y", "c"]
    styles = series_styles(names, extra=["x", "y"])
    assert list(styles) == names
    assert len(set(styles.values())) == len(names)
    assert [bool(style.hatch) for style in styles.values()] == [False, True, False, True, False]
    assert styles["x"].hatch == EXTRA_HATCH
    assert styles["x"].line != "-"


def test_extra_series_leave_the_styles_of_the_others_alone() -> None:
    plain = series_styles(["a", "b"])
    assert series_styles(["x", "a", "b"], extra=["x"]).items() >= plain.items()


def test_too_many_or_repeated_series_are_refused() -> None:
    most = len(COLOURS) * len(HATCHES)
    assert len(set(series_styles([str(i) for i in range(most)]).values())) == most
    with pytest.raises(ValueError, match=f"no style left for the series {most}"):
        series_styles([str(i) for i in range(most + 1)])
    with pytest.raises(ValueError, match="repeat a name"):
        series_styles(["a", "a"])


@pytest.mark.parametrize("number", [1, 2, 11])
def test_series_with_an_order_go_from_light_to_dark_with_markers_in_turn(number: int) -> None:
    names = [f"nDCG@{place}" for place in range(number)]
    styles = ordered_styles(names)
    assert list(styles) == names
    light = [np.dot(to_rgb(style.colour), (0.299, 0.587, 0.114)) for style in styles.values()]
    assert all(later < earlier for earlier, later in pairwise(light))
    assert light[-1] < 0.2
    assert len({style.marker for style in styles.values()}) == min(number, 7)
    assert {style.line for style in styles.values()} == {"-"}


def test_no_series_have_no_styles_and_repeated_ones_are_refused() -> None:
    assert ordered_styles([]) == {}
    with pytest.raises(ValueError, match="repeat a name"):
        ordered_styles(["a", "a"])


# The multiverse is drawn in test_specification_curve.py.
@pytest.mark.costly
@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "multiverse"])
def test_no_text_overlaps_or_is_cut_off(name: str) -> None:
    with figure_style():
        assert text_problems(SAMPLES[name]()) == []


@pytest.mark.costly
@pytest.mark.parametrize("note_first", [True, False])
def test_legend_of_sixteen_systems_fits_a_single_column_above_the_note(note_first: bool) -> None:
    names = [f"System {i}" for i in range(16)]
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 3.2)
        axes = figure.subplots()
        for name in names:
            axes.plot([0, 1], [0, 1], label=name)
        axes.set_xlabel("Cut-off")
        if note_first:
            remark = note(figure, "Absent: Netflix, Yahoo! R3 and Last.fm 1K (see README)")
        legend = legend_below(figure)
        if not note_first:
            remark = note(figure, "Absent: Netflix, Yahoo! R3 and Last.fm 1K (see README)")
        assert text_problems(figure) == []
        assert [text.get_text() for text in legend.get_texts()] == names
        assert remark.get_window_extent().y1 < legend.get_window_extent().y0
        assert legend.get_window_extent().y1 < axes.get_tightbbox().y0


def test_legend_names_each_series_of_several_panels_once() -> None:
    with figure_style():
        figure = new_figure(DOUBLE_COLUMN, 2)
        for axes, labels in zip(figure.subplots(1, 2), (["a", "b"], ["b", "c"]), strict=True):
            for label in labels:
                axes.plot([0, 1], label=label)
        assert [text.get_text() for text in legend_below(figure).get_texts()] == ["a", "b", "c"]


def test_legend_that_cannot_fit_or_has_no_series_is_refused() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        with pytest.raises(ValueError, match="no labelled series"):
            legend_below(figure)
        axes.plot([0, 1], label="a name " * 20)
        with pytest.raises(ValueError, match="wider than the figure"):
            legend_below(figure)
        assert figure.legends == []
        with pytest.raises(ValueError, match="no constrained layout"):
            note(Figure(), "text")


def test_overlapping_and_cut_texts_are_found() -> None:
    with figure_style():
        figure = new_figure(SINGLE_COLUMN, 2)
        axes = figure.subplots()
        axes.set_xticks([0, 0.02, 1], ["first label", "second label", "third"])
        axes.set_xlim(0, 1)
        figure.text(0.98, 0.5, "too far right")
        problems = text_problems(figure)
    assert "'first label' overlaps 'second label'." in problems
    assert "'too far right' is cut off at the edge of the figure." in problems
    assert not any("third" in problem for problem in problems)
