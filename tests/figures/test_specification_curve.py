# SPDX-License-Identifier: MIT
from __future__ import annotations

import io
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from figures.sample_figures import multiverse
from figures.text_problems import text_problems
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, StepPatch

from receval.figures.point_labels import LEADER
from receval.figures.specification_curve import (
    MIDDLE,
    NEVER,
    SHADES,
    Decision,
    MarkedUniverse,
    draw_tiles,
    level_shades,
    shade_colour,
    specification_curve,
    steps_and_bins,
)
from receval.figures.style import FIRST_WINS, INK, NO_WINNER, SECOND_WINS, figure_style, new_figure

VALUES = (0.5, -1.0, 0.1, 2.0)
VERDICTS = (0, -1, 0, 1)


def curve(
    values: Any = VALUES, verdicts: Any = VERDICTS, codes: Any = (0, 1, 0, 1), **options: Any
) -> Figure:
    """Draw universes of one decision of two levels, and a third level that no universe has."""
    decisions = [Decision("Split", ("random", "temporal", "predefined"), np.array(codes))]
    with figure_style():
        return specification_curve(
            values,
            verdicts,
            options.pop("decisions", decisions),
            first="MF",
            second="kNN",
            value_label="Difference",
            **options,
        )


@cache
def plain_curve() -> Figure:
    """Return the curve of four universes, for looking at alone."""
    return curve()


def steps_of(patch: StepPatch) -> tuple[list[float], list[float]]:
    """Return values and edges of a curve of steps."""
    data = patch.get_data()
    return data.values.tolist(), data.edges.tolist()


def filled(figure: Figure, panel: int) -> list[StepPatch]:
    return [
        patch
        for patch in figure.axes[panel].patches
        if isinstance(patch, StepPatch) and patch.get_fill()
    ]


def texts_of(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


# The curve and the verdicts


def test_universes_are_in_the_order_of_their_values() -> None:
    figure = plain_curve()
    (line,) = (
        patch
        for patch in figure.axes[0].patches
        if isinstance(patch, StepPatch) and not patch.get_fill()
    )
    assert steps_of(line) == ([-1, 0.1, 0.5, 2], [0, 0.25, 0.5, 0.75, 1])


def test_the_area_has_the_colour_of_the_verdict() -> None:
    areas = filled(plain_curve(), 0)
    assert [(*steps_of(area), to_hex(area.get_facecolor()).upper()) for area in areas] == [
        ([-1], [0, 0.25], SECOND_WINS),
        ([0.1, 0.5], [0.25, 0.5, 0.75], NO_WINNER),
        ([2], [0.75, 1], FIRST_WINS),
    ]


@pytest.mark.costly
def test_the_strip_stacks_the_shares_of_the_verdicts_of_each_bin() -> None:
    # 2,400 universes are 20 a bin, of which every second is significant in the first half.
    values = np.arange(1, 2401)
    verdicts = np.where(values > 1200, 1, values % 2)
    lower, middle, upper = filled(curve(values, verdicts, np.zeros(2400, int)), 1)
    assert set(steps_of(lower)[0]) == {0}
    assert steps_of(middle)[0] == [0.5] * 60 + [0] * 60
    assert steps_of(upper)[0] == [1] * 120
    assert upper.get_data().baseline.tolist() == steps_of(middle)[0]


def test_in_short_names_of_decisions_are_headings_and_no_numbers_stand_beside_the_rows() -> None:
    figure = curve(in_short=True)
    assert texts_of(figure)[-1] == "Split"
    assert not any(text.isdigit() for text in texts_of(figure))
    assert len(figure.legends[0].texts) == 3
    assert text_problems(figure) == []


def test_shares_of_verdicts_and_of_signs_are_printed() -> None:
    figure = plain_curve()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.texts][::2] == [
        "MF significantly better (25.0 %)",
        "no significant difference (50.0 %)",
        "kNN significantly better (25.0 %)",
    ]
    assert {"kNN\nahead in 25.0 %", "MF\nahead in 75.0 %"} <= set(texts_of(figure))


@pytest.mark.costly
def test_a_system_that_is_nowhere_ahead_is_not_said_to_be() -> None:
    shown = texts_of(curve(np.arange(4.0), np.zeros(4)))
    assert "MF\nahead in 75.0 %" in shown
    assert not any(text.startswith("kNN\nahead") for text in shown)
    assert not any("ahead in" in text for text in texts_of(curve(np.zeros(4), np.zeros(4))))


@pytest.mark.costly
@pytest.mark.parametrize("behind", [5, 95])
def test_where_few_universes_are_on_one_side_the_other_side_has_the_text(behind: int) -> None:
    values = np.arange(100) - behind + 0.5
    figure = curve(values, np.zeros(100), np.zeros(100, int))
    (text,) = (text for text in figure.axes[0].texts if "ahead" in text.get_text())
    assert text.get_text() == f"kNN ahead in {behind}.0 %,\nMF in {100 - behind}.0 %"
    assert text.get_ha() == ("right" if behind > 50 else "left")
    assert text.get_position()[0] == pytest.approx(behind / 100, abs=0.02)
    assert text_problems(figure) == []


@pytest.mark.costly
@pytest.mark.parametrize(("marked", "own"), [(55, 0.5), (45, 0.5), (80, None), (20, None)])
def test_a_text_beyond_the_marked_universe_is_led_to_the_line_of_its_own_side(
    marked: int, own: float | None
) -> None:
    values = np.arange(100) - 49.5
    figure = curve(values, np.zeros(100), np.zeros(100, int), marked=MarkedUniverse(marked, "x"))
    leaders = [line for line in figure.axes[0].lines if line.get_label() == LEADER]
    texts = {text.get_text()[:3]: text.get_position()[0] for text in figure.axes[0].texts}
    assert texts["MF\n"] >= 0.5 >= texts["kNN"]
    assert len(leaders) == (own is not None)
    for leader in leaders:
        start, end = leader.get_xdata()
        assert start == own
        assert min(start, end) < (marked + 0.5) / 100 < max(start, end)
        assert abs(end - texts["MF\n" if marked > 50 else "kNN"]) < 0.012
    assert text_problems(figure) == []


@pytest.mark.costly
def test_extremes_of_thousands_of_universes_are_shown() -> None:
    values = np.random.default_rng(3).normal(size=7001)
    figure = curve(values, np.zeros(7001), np.zeros(7001, int))
    (line,) = (patch for patch in figure.axes[0].patches if patch.get_edgecolor()[3] > 0)
    shown, edges = steps_of(line)
    assert (shown[0], shown[-1]) == (values.min(), values.max())
    assert shown == sorted(shown)
    assert len(shown) == 600
    assert (edges[0], edges[-1]) == (0, 1)
    # Each step has the value of a universe within it.
    ordered = np.sort(values)
    for value, low, high in list(zip(shown, edges[:-1], edges[1:], strict=True))[1:-1]:
        assert ordered[round(low * 7001)] <= value <= ordered[round(high * 7001) - 1]


@pytest.mark.parametrize("index", [0, 1])
def test_the_marked_universe_is_where_its_value_is(index: int) -> None:
    figure = curve(marked=MarkedUniverse(index, "the paper"))
    (diamond,) = (line for line in figure.axes[0].lines if line.get_marker() == "D")
    rank = sorted(VALUES).index(VALUES[index])
    assert diamond.get_xydata().tolist() == [[(rank + 0.5) / 4, VALUES[index]]]
    assert "the paper" in texts_of(figure)
    for axes in figure.axes:
        assert any(line.get_xdata()[0] == (rank + 0.5) / 4 for line in axes.lines)


@pytest.mark.each(
    ("n_universes", "n_bins"), [(1, 1), (29, 29), (31, 30), (700, 35), (2399, 119), (2420, 120)]
)
def test_bins_hold_enough_universes_to_tell_shares_unless_universes_are_few(
    n_universes: int, n_bins: int
) -> None:
    steps, bins = steps_and_bins(n_universes)
    sizes = np.diff(bins)
    assert len(sizes) == n_bins
    assert (bins[0], bins[-1]) == (steps[0], steps[-1]) == (0, n_universes)
    assert sizes.max() - sizes.min() <= 1
    assert set(bins.tolist()) <= set(steps.tolist())


def test_the_curve_and_the_strip_have_these_steps_and_bins() -> None:
    figure = curve(np.arange(31), np.zeros(31), np.zeros(31, int))
    steps, bins = steps_and_bins(31)
    (line,) = (patch for patch in figure.axes[0].patches if patch.get_edgecolor()[3] > 0)
    assert steps_of(line)[1] == pytest.approx((steps / 31).tolist())
    assert steps_of(filled(figure, 1)[0])[1] == pytest.approx((bins / 31).tolist())


# The tiles


def test_shade_tells_how_far_a_share_is_between_nowhere_expected_and_everywhere() -> None:
    # Levels of 3/4 and 1/4 of the universes; bins of four universes.
    codes = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0])
    assert np.bincount(codes).tolist() == [12, 4]
    shades = level_shades(codes, 3, np.array([0, 4, 8, 12, 16]))
    # 4, 3, 2 and 3 of 4: everywhere, as expected, two thirds of a half.
    assert shades[0].tolist() == [SHADES - 1, MIDDLE, SHADES // 3, MIDDLE]
    # 0, 1, 2 and 1 of 4: nowhere, as expected, a half and a third of the other half.
    assert shades[1].tolist() == [0, MIDDLE, 2 * SHADES // 3, MIDDLE]
    assert shades[2].tolist() == [NEVER] * 4


def test_codes_may_be_of_a_small_type() -> None:
    codes = np.random.default_rng(1).integers(0, 5, 4000)
    edges = np.arange(0, 4001, 40)
    assert np.array_equal(
        level_shades(codes.astype(np.int8), 5, edges), level_shades(codes, 5, edges)
    )


@given(
    codes=st.lists(st.integers(-1, 3), min_size=1, max_size=60).map(np.array),
    n_bins=st.integers(1, 12),
)
def test_shades_grow_with_the_share_and_the_middle_is_the_share_of_all_universes(
    codes: np.ndarray, n_bins: int
) -> None:
    edges = np.unique(np.arange(n_bins + 1) * len(codes) // n_bins)
    shades = level_shades(codes, 4, edges)
    for level, row in enumerate(shades):
        overall = (codes == level).mean()
        within = [(codes[a:b] == level).mean() for a, b in pairwise(edges)]
        if overall == 0:
            assert (row == NEVER).all()
            continue
        assert ((row >= 0) & (row < SHADES)).all()
        assert (np.diff(row[np.argsort(within, kind="stable")]) >= 0).all()
        for shade, share in zip(row.tolist(), within, strict=True):
            assert shade == MIDDLE if share == overall else True
            assert shade == 0 if share == 0 else True
            assert shade == SHADES - 1 if share == 1 > overall else True


def test_neighbours_of_one_shade_are_one_tile() -> None:
    with figure_style():
        axes = new_figure(3, 1).subplots()
    shades = np.array([[8, 8, MIDDLE, 0], [8, MIDDLE, MIDDLE, 8], [NEVER] * 4])
    draw_tiles(axes, shades, [0, 1, 2], np.arange(5.0))
    found = {
        to_hex(patch.get_facecolor()): [
            (*corners.min(axis=0), *corners.max(axis=0))
            for corners in patch.get_path().vertices.reshape(-1, 5, 2).round(6).tolist()
            for corners in [np.array(corners)]
        ]
        for patch in axes.patches
        if isinstance(patch, PathPatch)
    }
    # The middle lies under the whole of each row that has universes.
    assert found == {
        shade_colour(MIDDLE): [(0, -0.42, 4, 0.42), (0, 0.58, 4, 1.42)],
        shade_colour(0): [(3, -0.42, 4, 0.42)],
        shade_colour(8): [(0, -0.42, 2, 0.42), (0, 0.58, 1, 1.42), (3, 0.58, 4, 1.42)],
    }
    # What lies over it is drawn later.
    assert to_hex(axes.patches[0].get_facecolor()) == shade_colour(MIDDLE)


def test_shades_darken_from_step_to_step() -> None:
    greys = [int(shade_colour(shade)[1:3], 16) for shade in range(SHADES)]
    assert all(lighter - darker >= 5 for lighter, darker in pairwise(greys))
    assert greys[MIDDLE] > 128


def test_rows_carry_the_share_of_universes_and_where_the_first_system_is_ahead() -> None:
    tiles = plain_curve().axes[2]
    numbers = {
        (round(float(text.xy[1])), round(text.get_position()[0])): text.get_text()
        for text in tiles.texts
        if text.get_text()[0] in "0123456789\N{EN DASH}"
    }
    left, right = sorted({column for _, column in numbers})
    assert [numbers[row, left] for row in range(3)] == ["50", "50", "0"]
    assert [numbers[row, right] for row in range(3)] == ["100", "50", "\N{EN DASH}"]
    assert [label.get_text() for label in tiles.get_yticklabels()] == [
        "random",
        "temporal",
        "predefined",
    ]


# The whole


@pytest.mark.costly
@pytest.mark.parametrize(
    ("n_universes", "shift", "marked"), [(1, 0.0, 0), (3, 2.0, 1), (700, 0.9, 2), (700, -0.8, 5)]
)
def test_texts_do_not_overlap_whatever_the_universes(
    n_universes: int, shift: float, marked: int
) -> None:
    with figure_style():
        assert text_problems(multiverse(n_universes, shift, marked)) == []


@pytest.mark.costly
def test_many_universes_make_a_small_file() -> None:
    generator = np.random.default_rng(4)
    codes = generator.integers(0, 5, (8, 20_000))
    decisions = [Decision(str(n), ("a", "b", "c", "d", "e"), row) for n, row in enumerate(codes)]
    values = generator.normal(size=20_000)
    figure = curve(values, np.sign(values), decisions=decisions)
    buffer = io.BytesIO()
    with figure_style():
        figure.savefig(buffer, format="svg")
    assert len(buffer.getvalue()) < 1_500_000


@pytest.mark.costly
def test_a_title_stands_above_the_name_of_the_marked_universe() -> None:
    figure = curve(title="MovieLens 1M", marked=MarkedUniverse(0, "here"))
    assert text_problems(figure) == []
    assert figure.axes[0].get_title(loc="left") == "MovieLens 1M"
    assert figure.axes[0].title.get_color() == INK


@pytest.mark.each(
    ("changed", "message"),
    [
        ({"values": []}, r"shape \(0,\), and there are 1 decisions"),
        ({"values": [VALUES]}, r"shape \(1, 4\)"),
        ({"decisions": []}, "0 decisions"),
        ({"values": [0, 1, np.inf, 2]}, "value of universe 2 is inf"),
        ({"verdicts": [0, 1]}, r"4 universes and verdicts of the shape \(2,\)"),
        ({"verdicts": [0, 1, 2, 0]}, "one of 1"),
        ({"codes": [0, 1, 3, 0]}, "decision Split has 3 levels.* from 0 to 3"),
        ({"codes": [0, 1, -2, 0]}, "from -2 to 1"),
        ({"codes": [0, 1]}, r"codes of the shape \(2,\)"),
        ({"decisions": [Decision("Split", (), np.full(4, -1))]}, "has 0 levels"),
        ({"marked": MarkedUniverse(4, "x")}, "Universe 4 cannot be marked.* 0 to 3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        curve(**changed)
