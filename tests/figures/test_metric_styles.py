# SPDX-License-Identifier: MIT
"""Each metric's one style."""

from __future__ import annotations

from itertools import combinations
from math import degrees, dist

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from studies.accepted_results import ROOT

from receval.figures.style import MetricStyle, SeriesStyle, metric_styles, oklch
from reproduction.config.settings import load_settings

DISPLAY = load_settings(ROOT / "config", "full").display
METRICS = {name: MetricStyle(style.colour, style.marker) for name, style in DISPLAY.metrics.items()}
OF_2018 = ("P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP")
OF_2020 = ("P", "Recall", "F1", "MAP", "nDCG", "MRR", "ERR", "bpref", "infAP")

# Machado, Oliveira and Fernandes 2009, severity 1: what linear RGB looks like with a deficiency.
DEFICIENCIES = {
    "none": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}


def seen(colour: str, deficiency: str) -> tuple[float, float, float]:
    """Return OKLab coordinates of what is seen."""
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    linear = np.clip(DEFICIENCIES[deficiency] @ linear, 0, 1)
    shown = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    lightness, chroma, hue = oklch("#" + "".join(f"{round(255 * part):02x}" for part in shown))
    return lightness, chroma * np.cos(hue), chroma * np.sin(hue)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_no_two_metrics_can_be_taken_for_each_other(deficiency: str) -> None:
    for one, other in combinations(METRICS, 2):
        apart = dist(seen(METRICS[one].colour, deficiency), seen(METRICS[other].colour, deficiency))
        assert apart > 0.12, (one, other)
    assert len({style.marker for style in METRICS.values()}) == len(METRICS)


def test_no_metric_has_the_hue_of_a_system_that_has_one() -> None:
    families = ("popularity", "knn", "matrix-factorisation", "topic-model")
    for name, style in METRICS.items():
        _, chroma, hue = oklch(style.colour)
        for family in families:
            apart = abs(degrees(hue) - degrees(oklch(DISPLAY.families[family])[2])) % 360
            assert chroma < 0.02 or min(apart, 360 - apart) >= 15, (name, family)


def test_a_metric_looks_the_same_in_every_figure() -> None:
    before, after = metric_styles(OF_2018, METRICS), metric_styles(OF_2020, METRICS)
    assert before.items() <= after.items()
    assert metric_styles(["infAP", "P"], METRICS)["P"] == after["P"]
    assert metric_styles(["AP@100"], METRICS)["AP@100"] == after["MAP"]


def test_a_geometric_metric_looks_like_the_metric() -> None:
    plain = metric_styles(OF_2020, METRICS)
    geometric = metric_styles([f"G{name}" for name in OF_2020], METRICS)
    assert list(geometric) == [f"G{name}" for name in OF_2020]
    assert list(geometric.values()) == list(plain.values())


def test_the_released_form_is_the_metric_dotted() -> None:
    styles = metric_styles(["GF1", "GMRR", "GF1*", "GMRR*"], METRICS)
    plain = metric_styles(OF_2020, METRICS)
    for name in ("F1", "MRR"):
        own = plain[name]
        assert styles[f"G{name}"] == own
        assert own.line != ":"
        assert styles[f"G{name}*"] == SeriesStyle(own.colour, own.marker, ":", own.hatch)


def test_cut_offs_of_one_metric_are_shades_of_its_hue_from_light_to_dark() -> None:
    names = [f"nDCG@{cutoff}" for cutoff in (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)]
    styles = metric_styles(names, METRICS)
    assert list(styles) == names
    light = [oklch(style.colour)[0] for style in styles.values()]
    assert light == sorted(light, reverse=True)
    hues = [degrees(oklch(style.colour)[2]) for style in styles.values()]
    assert max(hues) - min(hues) < 6


def test_cut_offs_of_one_metric_beside_others_are_shades_of_it_with_other_markers() -> None:
    styles = metric_styles(["P@10", "P@100", "MAP@100"], METRICS)
    assert styles["MAP@100"] == metric_styles(["MAP@100"], METRICS)["MAP@100"]
    alike = metric_styles(["P@10", "P@100"], METRICS)
    assert [styles[name].colour for name in alike] == [style.colour for style in alike.values()]
    assert len({style.marker for style in styles.values()}) == 3


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["P", "P"], "repeat a name"),
        (["P", "novelty"], "No display style is known for novelty: add a colour"),
        (["P", "GP", "MAP"], "would look alike"),
    ],
)
def test_metrics_that_could_not_be_told_apart_are_refused(names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric_styles(names, METRICS)
