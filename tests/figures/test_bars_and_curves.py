# SPDX-License-Identifier: MIT
"""Bars and curves show the numbers they are given, and refuse tables that are not clear."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.container import BarContainer

from receval.figures.curves import MARKERS_PER_LINE, cumulative_curve, line
from receval.figures.style import (
    SINGLE_COLUMN,
    SeriesStyle,
    figure_style,
    new_figure,
    series_styles,
)
from reproduction.studies._shared.bars import GAP, GROUP_WIDTH, grouped_bars

STYLES = series_styles(["pop", "wrmf"], extra=["wrmf"])
ROWS = [("ar", "pop", 0.08, 0.01), ("ar", "wrmf", 0.2, 0.02), ("1r", "pop", 0.05, 0.01)]


@pytest.fixture
def axes() -> Iterator[Axes]:
    """One panel in the style."""
    with figure_style():
        yield new_figure(SINGLE_COLUMN, 2).subplots()


def frame_of(*rows: tuple[str, str, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["protocol", "system", "value", "half"])


def draw(axes: Axes, frame: pd.DataFrame, **options: object) -> None:
    grouped_bars(
        axes,
        frame,
        group="protocol",
        series="system",
        value="value",
        **{"styles": STYLES, **options},
    )


def test_bars_have_heights_places_styles_and_intervals_of_the_table(axes: Axes) -> None:
    frame = frame_of(*ROWS, ("1r", "wrmf", 0.1, 0.03))
    draw(
        axes,
        frame.sample(frac=1, random_state=1),
        error="half",
        group_order=["1r", "ar"],
        series_labels={"pop": "Popularity"},
    )
    pop, wrmf = (part for part in axes.containers if isinstance(part, BarContainer))
    assert [container.get_label() for container in (pop, wrmf)] == ["Popularity", "wrmf"]
    assert [bar.get_height() for bar in pop] == [0.05, 0.08]
    assert [bar.get_height() for bar in wrmf] == [0.1, 0.2]
    edges = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in (pop[0], wrmf[0])]
    assert np.allclose(edges, [(-GROUP_WIDTH / 2, 0), (0, GROUP_WIDTH / 2)])
    assert same_color(pop[0].get_facecolor(), STYLES["pop"].colour)
    assert pop[0].get_hatch() in ("", None)
    assert wrmf[0].get_hatch() == STYLES["wrmf"].hatch
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1r", "ar"]
    segments = [s for collection in axes.collections for s in collection.get_segments()]
    assert np.allclose(
        [segment[:, 1] for segment in segments],
        [(0.04, 0.06), (0.07, 0.09), (0.07, 0.13), (0.18, 0.22)],
    )
    centres = [bar.get_x() + bar.get_width() / 2 for bar in (*pop, *wrmf)]
    assert np.allclose([segment[0, 0] for segment in segments], centres)
    assert axes.get_ylim()[0] == 0


def test_value_that_does_not_apply_is_a_dash_and_no_bar(axes: Axes) -> None:
    draw(axes, frame_of(*ROWS, ("1r", "wrmf", np.nan, np.nan)), error="half")
    assert len(axes.patches) == 3
    assert [text.get_text() for text in axes.texts] == ["\N{EN DASH}"]
    assert axes.texts[0].xy[0] == pytest.approx(1 + GROUP_WIDTH / 4)


def test_a_gap_parts_the_bars_of_a_group(axes: Axes) -> None:
    frame = frame_of(*ROWS, ("1r", "wrmf", 0.1, 0.03))
    draw(axes, frame, gaps=["wrmf"])
    pop, wrmf = (part for part in axes.containers if isinstance(part, BarContainer))
    width = GROUP_WIDTH / (2 + GAP)
    for first, second, middle in zip(pop, wrmf, (0, 1), strict=True):
        assert first.get_width() == pytest.approx(width)
        gap = second.get_x() - (first.get_x() + first.get_width())
        assert gap == pytest.approx(GAP * width)
        # The group stays in its middle.
        ends = (first.get_x(), second.get_x() + width)
        assert ends == pytest.approx((middle - GROUP_WIDTH / 2, middle + GROUP_WIDTH / 2))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (None, "no row of protocol 1r and system wrmf"),
        (("1r", "mf", 0.1, 0.0), "column system holds mf, which the figure does not draw"),
        (("1r", "pop", 0.1, 0.0), "several rows of protocol 1r and system pop"),
    ],
)
def test_missing_unknown_and_repeated_rows_are_refused(
    axes: Axes, row: tuple[str, str, float, float] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        draw(axes, frame_of(*ROWS, *([row] if row else [])))


def test_group_out_of_the_order_is_refused(axes: Axes) -> None:
    with pytest.raises(ValueError, match="column protocol holds 1r"):
        draw(axes, frame_of(*ROWS), group_order=["ar"])


def test_line_keeps_its_points_and_marks_about_ten(axes: Axes) -> None:
    x = np.arange(100)
    line(axes, x, x / 2, SeriesStyle("#0072B2", marker="x"), "half", error=np.ones(100))
    (drawn,) = axes.lines
    assert np.array_equal(drawn.get_xydata(), np.column_stack((x, x / 2)))
    assert drawn.get_markevery() == 100 // MARKERS_PER_LINE
    # A white rim would hide a cross, which is nothing but rim.
    assert same_color(drawn.get_markeredgecolor(), "#0072B2")
    (band,) = axes.collections
    assert band.get_datalim(axes.transData).bounds == pytest.approx((0, -1, 99, 51.5))


def test_a_band_reaches_from_its_lower_to_its_upper_end(axes: Axes) -> None:
    low, high = [0.5, 0.25, 0.0], [1.0, 0.75, 0.25]
    line(axes, [1, 2, 3], [0.9, 0.5, 0.1], SeriesStyle("#0072B2"), "tau", band=(low, high))
    (band,) = axes.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    expected = [(x, end) for ends in (low, high) for x, end in zip((1, 2, 3), ends, strict=True)]
    assert corners == set(expected)
    assert same_color(band.get_facecolor()[0][:3], "#0072B2")
    # Faint: many bands lie upon each other.
    assert band.get_alpha() < 0.1
    assert len(axes.get_legend_handles_labels()[1]) == 1


def test_a_band_of_another_length_is_refused(axes: Axes) -> None:
    style = SeriesStyle("#0072B2")
    message = r"band of the curve tau has the shape \(1,\), but there are 2 points"
    with pytest.raises(ValueError, match=message):
        line(axes, [1, 2], [0.9, 0.5], style, "tau", band=([0.5, 0.4], [1.0]))
    with pytest.raises(ValueError, match=message):
        line(axes, [1, 2], [0.9, 0.5], style, "tau", error=[0.1])


def test_a_band_has_a_gap_where_the_line_has(axes: Axes) -> None:
    nan = np.nan
    ends = ([0.1, nan, 0.1, 0.1], [0.3, nan, 0.3, 0.3])
    line(axes, [1, 2, 3, 4], [0.2, nan, 0.2, 0.2], SeriesStyle("#0072B2"), band=ends)
    (band,) = axes.collections
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    assert not (corners[:, 0] == 2).any()
    assert {3.0, 4.0} <= set(corners[:, 0])


def test_cumulative_curve_steps_at_each_value_from_zero(axes: Axes) -> None:
    cumulative_curve(axes, [1, 10, 100], [0.25, 0.5, 1.0], SeriesStyle("#0072B2"))
    (drawn,) = axes.lines
    assert drawn.get_drawstyle() == "steps-post"
    assert drawn.get_xydata().tolist() == [[1, 0], [1, 0.25], [10, 0.5], [100, 1]]
    assert axes.get_xscale() == "log"
    assert axes.xaxis.get_major_formatter()(1000, 0) == "1,000"
    assert axes.yaxis.get_major_formatter()(0.2, 0) == "20"


@pytest.mark.costly
@pytest.mark.each(
    ("values", "shares", "message"),
    [
        ([0, 1], [0.5, 1], "not a cumulative distribution"),
        ([1, 2], [0.5, 0.4], "not a cumulative distribution"),
        ([1, 2], [0.5, 1.1], "not a cumulative distribution"),
        ([2, 1], [0.5, 1], "do not increase"),
        ([1, 2], [0.5], "one y per x"),
        ([], [], "at least one point"),
    ],
)
def test_points_of_no_distribution_are_refused(
    axes: Axes, values: list[float], shares: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        cumulative_curve(axes, values, shares, SeriesStyle("#0072B2"))
