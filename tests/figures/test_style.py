# SPDX-License-Identifier: MIT
"""One style: bundled fonts, shades of one hue, and series that can be told apart."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import dist
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from figures.colours import DEFICIENCIES, SMALL_TEXT, contrast, hues_apart, luminance, seen
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.colors import to_hex, to_rgb
from studies.accepted_results import ROOT

from receval.figures.style import (
    COLOURS,
    EXTRA_HATCH,
    FIRST_WINS,
    HATCHES,
    MOST_COLOURED,
    NO_WINNER,
    SECOND_WINS,
    MetricStyle,
    SeriesStyle,
    figure_style,
    ink_on,
    metric_styles,
    oklch,
    ordered_styles,
    series_styles,
    shaded,
    short_number,
    styles_of_many,
)
from reproduction.config.settings import load_settings

DISPLAY = load_settings(ROOT / "config", "full").display
METRICS = {name: MetricStyle(style.colour, style.marker) for name, style in DISPLAY.metrics.items()}
OF_2018 = ("P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP")
OF_2020 = ("P", "Recall", "F1", "MAP", "nDCG", "MRR", "ERR", "bpref", "infAP")
PLAIN = metric_styles(OF_2020, METRICS)


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


@pytest.mark.each(
    ("text", "printed"),
    [
        ("0.05", ".05"), ("\N{MINUS SIGN}0.50", "\N{MINUS SIGN}.50"), ("1.0", "1.0"), ("0.00", "0"),
        ("0", "0"), ("10", "10"), ("100.5", "100.5"), ("", ""),
    ],
)  # fmt: skip
def test_numbers_below_one_have_no_zero_before_the_point(text: str, printed: str) -> None:
    assert short_number(text) == printed


# Colours


@pytest.mark.each("colour", ["#0072b2", "#d55e00", "#009e73", "#e69f00", "#d33ba3"])
def test_a_shade_keeps_the_hue_and_changes_the_lightness_in_its_order(colour: str) -> None:
    shades = [shaded(colour, shade) for shade in (-0.8, -0.4, 0, 0.4, 0.8)]
    light = [oklch(shade)[0] for shade in shades]
    assert light == sorted(light)
    assert len(set(shades)) == 5
    assert all(hues_apart(colour, shade) < 3 for shade in shades)


def test_greys_stay_grey_and_no_shade_is_the_colour_itself_in_small_letters() -> None:
    red, green, blue = to_rgb(shaded("#7f7f7f", 0.5))
    assert red == green == blue
    assert shaded("#0072B2", 0) == "#0072b2"


def test_black_and_white_have_no_chroma_and_are_the_ends_of_lightness() -> None:
    assert oklch("#000000")[0] == 0
    assert oklch("#ffffff")[:2] == pytest.approx((1, 0), abs=1e-6)


@given(
    st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: to_hex(np.array(rgb) / 255)),
    st.floats(-1, 1),
)
def test_every_shade_of_every_colour_is_a_colour_of_the_screen(colour: str, shade: float) -> None:
    own = oklch(colour)[0]
    end = max(own, 0.92) if shade > 0 else min(own, 0.22)
    expected = own + abs(shade) * (end - own)
    assert oklch(shaded(colour, shade))[0] == pytest.approx(expected, abs=0.02)


@pytest.mark.each("shade", [-1.01, 2.0, float("nan")])
def test_a_shade_out_of_range_is_refused(shade: float) -> None:
    with pytest.raises(ValueError, match=r"must be from -1 \(darkest\) to 1"):
        shaded("#0072b2", shade)


@pytest.mark.each("colour", ["white", "black", "#0072B2", "#D55E00", "#C4C4C4", "#777777"])
def test_print_has_the_contrast_that_the_w3c_asks_of_small_text(colour: str) -> None:
    assert contrast(colour, ink_on(colour)) >= SMALL_TEXT


def test_verdicts_can_be_told_apart_in_greys() -> None:
    red, grey, blue = (luminance(colour) for colour in (SECOND_WINS, NO_WINNER, FIRST_WINS))
    assert grey - max(red, blue) > 0.25


@pytest.mark.each("deficiency", DEFICIENCIES)
def test_no_two_series_and_no_two_metrics_can_be_taken_for_each_other(deficiency: str) -> None:
    of_metrics = [style.colour for style in METRICS.values()]
    for palette, least in ((of_metrics, 0.12), (COLOURS, 0.07)):
        for one, other in combinations(palette, 2):
            assert dist(seen(one, deficiency), seen(other, deficiency)) > least, (one, other)
    assert len({style.marker for style in METRICS.values()}) == len(METRICS)


def test_metrics_of_nearly_one_hue_differ_in_lightness() -> None:
    for one, other in combinations((style.colour for style in METRICS.values()), 2):
        lightness = abs(oklch(one)[0] - oklch(other)[0])
        assert hues_apart(one, other) >= 15 or lightness >= 0.15, (one, other)


def test_no_metric_has_the_hue_of_a_system_that_has_one() -> None:
    for name, style in METRICS.items():
        for family in ("popularity", "knn", "matrix-factorisation", "topic-model"):
            apart = hues_apart(style.colour, DISPLAY.families[family])
            assert oklch(style.colour)[1] < 0.02 or apart >= 15, (name, family)


# Series


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


def test_more_series_than_styles_are_refused() -> None:
    most = len(COLOURS) * len(HATCHES)
    assert len(set(series_styles([str(i) for i in range(most)]).values())) == most
    with pytest.raises(ValueError, match=f"no style left for the series {most}"):
        series_styles([str(i) for i in range(most + 1)])


def test_of_many_series_the_first_have_colours_and_the_others_are_grey() -> None:
    names = [str(number) for number in range(300)]
    colours = [style.colour for style in styles_of_many(names).values()]
    assert NO_WINNER not in colours[:MOST_COLOURED]
    assert set(colours[MOST_COLOURED:]) == {NO_WINNER}


@pytest.mark.each("number", [0, 1, 2, 11])
def test_series_with_an_order_go_from_light_to_dark_with_markers_in_turn(number: int) -> None:
    names = [f"nDCG@{place}" for place in range(number)]
    styles = ordered_styles(names)
    assert list(styles) == names
    light = [luminance(style.colour) for style in styles.values()]
    assert all(later < earlier for earlier, later in pairwise(light))
    assert not light or light[-1] < 0.04
    assert len({style.marker for style in styles.values()}) == min(number, 7)
    assert {style.line for style in styles.values()} <= {"-"}


# Metrics


def test_a_metric_looks_the_same_in_every_figure() -> None:
    assert metric_styles(OF_2018, METRICS).items() <= PLAIN.items()
    assert metric_styles(["infAP", "P"], METRICS)["P"] == PLAIN["P"]
    assert metric_styles(["AP@10"], METRICS)["AP@10"] == PLAIN["MAP"]


def test_a_geometric_metric_looks_like_the_metric_and_its_released_form_is_dotted() -> None:
    geometric = metric_styles([f"G{name}" for name in OF_2020], METRICS)
    assert geometric == {f"G{name}": style for name, style in PLAIN.items()}
    styles = metric_styles(["GF1", "GMRR", "GF1*", "GMRR*"], METRICS)
    for name in ("F1", "MRR"):
        own = PLAIN[name]
        assert styles[f"G{name}"] == own
        assert own.line != ":"
        assert styles[f"G{name}*"] == SeriesStyle(own.colour, own.marker, ":", own.hatch)


def test_cut_offs_of_one_metric_are_shades_of_its_hue_from_light_to_dark() -> None:
    names = [f"nDCG@{cutoff}" for cutoff in (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)]
    styles = metric_styles(names, METRICS)
    assert list(styles) == names
    colours = [style.colour for style in styles.values()]
    light = [oklch(colour)[0] for colour in colours]
    assert light == sorted(light, reverse=True)
    assert max(hues_apart(colours[0], colour) for colour in colours) < 6
    own = METRICS["nDCG"].colour
    assert colours[1] == own
    assert (
        colours[-1] == shaded(own, -0.75) == metric_styles(["nDCG@100"], METRICS)["nDCG@100"].colour
    )


def test_cut_offs_of_one_metric_beside_others_are_shades_of_it_with_other_markers() -> None:
    styles = metric_styles(["P@10", "P@100", "MAP@100"], METRICS)
    assert styles["MAP@100"] == metric_styles(["MAP@100"], METRICS)["MAP@100"]
    alike = metric_styles(["P@10", "P@100"], METRICS)
    assert [styles[name].colour for name in alike] == [style.colour for style in alike.values()]
    assert len({style.marker for style in styles.values()}) == 3


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["P", "novelty"], "No display style is known for novelty: add a colour"),
        (["P", "GP", "MAP"], "would look alike"),
    ],
)
def test_metrics_that_could_not_be_told_apart_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric_styles(names, METRICS)


def test_names_that_are_repeated_are_refused() -> None:
    for styles in (series_styles, ordered_styles, lambda names: metric_styles(names, METRICS)):
        with pytest.raises(ValueError, match="P, P repeat a name"):
            styles(["P", "P"])
