# SPDX-License-Identifier: MIT
"""What colours look like: contrasts, and what people with colour vision deficiencies see."""

from __future__ import annotations

from math import degrees
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from receval.figures.style import oklch

SMALL_TEXT = 4.5
"""The contrast that W3C asks of small text."""

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


def linear_rgb(colour: Any) -> NDArray[np.float64]:
    parts = np.array(to_rgb(colour))
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(colour: Any) -> float:
    """Return W3C's relative luminance."""
    return float(linear_rgb(colour) @ (0.2126, 0.7152, 0.0722))


def contrast(one: Any, other: Any) -> float:
    """Return W3C's contrast ratio."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def seen(colour: str, deficiency: str) -> tuple[float, float, float]:
    """Return OKLab coordinates of what is seen."""
    linear = np.clip(DEFICIENCIES[deficiency] @ linear_rgb(colour), 0, 1)
    shown = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    lightness, chroma, hue = oklch("#" + "".join(f"{round(255 * part):02x}" for part in shown))
    return lightness, chroma * np.cos(hue), chroma * np.sin(hue)


def hues_apart(one: str, other: str) -> float:
    """Return the angle in degrees between the hues of two colours."""
    apart = abs(degrees(oklch(one)[2]) - degrees(oklch(other)[2])) % 360
    return min(apart, 360 - apart)
