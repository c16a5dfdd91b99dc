# SPDX-License-Identifier: MIT
"""Heat maps carry their numbers, and each can be read on its cell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from figures.colours import SMALL_TEXT, contrast, luminance
from figures.text_problems import text_problems
from matplotlib import colormaps
from matplotlib.axes import Axes

from receval.figures.style import SINGLE_COLUMN, figure_style, new_figure
from reproduction.studies._shared.heat_map import COLOUR_MAP, SIGNED_COLOUR_MAP, heat_map


@pytest.fixture
def axes() -> Iterator[Axes]:
    """One panel in the style."""
    with figure_style():
        yield new_figure(SINGLE_COLUMN, SINGLE_COLUMN).subplots()


def numbers_on(axes: Axes) -> dict[tuple[float, float], str]:
    """Return the texts by (row, column)."""
    return {
        (text.get_position()[1], text.get_position()[0]): text.get_text() for text in axes.texts
    }


def test_every_cell_has_its_number_and_every_row_and_column_its_name(axes: Axes) -> None:
    values = [[1.0, 0.5, -0.25], [0.12, 1.0, 0.999], [-0.3, 0.0, -1.0]]
    image = heat_map(axes, values, ["P", "MAP", "RR"], lowest=-1)
    assert numbers_on(axes) == {
        (0, 0): "1.00",
        (0, 1): ".50",
        (0, 2): "\N{MINUS SIGN}.25",
        (1, 0): ".12",
        (1, 1): "1.00",
        (1, 2): "1.00",
        (2, 0): "\N{MINUS SIGN}.30",
        (2, 1): ".00",
        (2, 2): "\N{MINUS SIGN}1.00",
    }
    assert image.get_array().tolist() == values
    assert image.get_clim() == (-1, 1)
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        assert [label.get_text() for label in labels] == ["P", "MAP", "RR"]
    # The first row is above.
    low, high = axes.get_ylim()
    assert low > high


@pytest.mark.parametrize(
    ("lowest", "colours", "ends"),
    [(0.6, COLOUR_MAP, (0.6, 1)), (0, COLOUR_MAP, (0, 1)), (-0.2, SIGNED_COLOUR_MAP, (-1, 1))],
)
def test_a_scale_with_a_sign_has_its_middle_at_zero(
    axes: Axes, lowest: float, colours: str, ends: tuple[float, float]
) -> None:
    image = heat_map(axes, [[0.8]], ["P"], lowest=lowest)
    assert image.get_cmap().name == colours
    assert image.get_clim() == ends


@pytest.mark.parametrize(
    # Without a sign if it rounds to zero; all may be missing; rounding errors are on the scale.
    ("value", "lowest", "printed"),
    [(-0.004, -1, ".00"), (np.nan, 0, "\N{EN DASH}"), (1 + 1e-15, 0, "1.00")],
)
def test_a_single_cell_has_its_number(
    axes: Axes, value: float, lowest: float, printed: str
) -> None:
    heat_map(axes, [[value]], ["a"], lowest=lowest)
    assert numbers_on(axes) == {(0, 0): printed}


def test_a_missing_value_is_a_dash_on_a_blank_cell(axes: Axes) -> None:
    image = heat_map(axes, [[1, np.nan], [np.nan, 1]], ["a", "b"])
    assert numbers_on(axes)[0, 1] == numbers_on(axes)[1, 0] == "\N{EN DASH}"
    assert image.to_rgba(image.get_array())[0, 1, 3] == 0
    (dash,) = {text.get_color() for text in axes.texts if text.get_text() == "\N{EN DASH}"}
    assert luminance(dash) < 0.05


@pytest.mark.costly
@pytest.mark.parametrize(("lowest", "colours"), [(0.2, COLOUR_MAP), (-1.0, SIGNED_COLOUR_MAP)])
def test_numbers_stand_out_from_every_colour(axes: Axes, lowest: float, colours: str) -> None:
    values = np.linspace(lowest, 1, 144).reshape(12, 12)
    heat_map(axes, values, [str(number) for number in range(12)], lowest=lowest)
    inks = set()
    for text in axes.texts:
        column, row = text.get_position()
        share = (values[int(row), int(column)] - lowest) / (1 - lowest)
        assert contrast(colormaps[colours](share)[:3], text.get_color()) >= SMALL_TEXT
        inks.add(text.get_color())
    assert len(inks) == 2


@pytest.mark.each(
    ("values", "message"),
    [
        (np.zeros((2, 3)), r"shape \(2, 3\), but there are 2 names"),
        (np.zeros((3, 3)), r"shape \(3, 3\), but there are 2 names"),
        (np.zeros(2), r"shape \(2,\)"),
        ([[0.4, 1.0], [1.0, 1.0]], "from 0.4 to 1, beyond the colour scale from 0.5 to 1"),
        ([[1.0, 1.1], [np.nan, 1.0]], "from 1 to 1.1, beyond"),
    ],
)
def test_what_is_no_square_or_off_the_scale_is_refused(
    axes: Axes, values: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        heat_map(axes, values, ["a", "b"], lowest=0.5)  # type: ignore[arg-type]


@pytest.mark.costly
def test_numbers_of_eleven_metrics_do_not_touch() -> None:
    with figure_style():
        figure = new_figure(4.2, 3.6)
        values = np.full((11, 11), -0.24)
        heat_map(figure.subplots(), values, [f"nDCG@{10 * n}" for n in range(11)], lowest=-1)
        assert text_problems(figure) == []
