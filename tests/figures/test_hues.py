# SPDX-License-Identifier: MIT
"""Shades of one hue."""

from __future__ import annotations

from math import degrees

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_hex, to_rgb

from receval.figures.style import oklch, shaded

COLOURS = st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: to_hex(np.array(rgb) / 255))


def hue_distance(one: str, other: str) -> float:
    apart = abs(degrees(oklch(one)[2]) - degrees(oklch(other)[2])) % 360
    return min(apart, 360 - apart)


@pytest.mark.parametrize("colour", ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#d33ba3"])
def test_a_shade_keeps_the_hue_and_changes_the_lightness_in_its_order(colour: str) -> None:
    shades = [shaded(colour, shade) for shade in (-0.8, -0.4, 0, 0.4, 0.8)]
    light = [oklch(shade)[0] for shade in shades]
    assert light == sorted(light)
    assert len(set(shades)) == 5
    assert all(hue_distance(colour, shade) < 3 for shade in shades)


def test_a_grey_stays_grey() -> None:
    red, green, blue = to_rgb(shaded("#7f7f7f", 0.5))
    assert red == green == blue


def test_no_shade_is_the_colour_itself_in_small_letters() -> None:
    assert shaded("#0072B2", 0) == "#0072b2"


def test_black_and_white_have_no_chroma_and_are_the_ends_of_lightness() -> None:
    assert oklch("#000000")[0] == 0
    assert oklch("#ffffff")[:2] == pytest.approx((1, 0), abs=1e-6)


@given(COLOURS, st.floats(-1, 1))
def test_every_shade_of_every_colour_is_a_colour_of_the_screen(colour: str, shade: float) -> None:
    lightness, _, _ = oklch(shaded(colour, shade))
    own = oklch(colour)[0]
    end = max(own, 0.92) if shade > 0 else min(own, 0.22)
    assert lightness == pytest.approx(own + abs(shade) * (end - own), abs=0.02)


@pytest.mark.parametrize("shade", [-1.01, 2.0, float("nan")])
def test_a_shade_out_of_range_is_refused(shade: float) -> None:
    with pytest.raises(ValueError, match=r"must be from -1 \(darkest\) to 1"):
        shaded("#0072b2", shade)
