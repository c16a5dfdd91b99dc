# SPDX-License-Identifier: MIT
"""Make lighter and darker shades of a colour that keep its hue."""

from __future__ import annotations

from functools import cache
from math import atan2, cos, hypot, sin

# Björn Ottosson, "A perceptual color space for image processing" (2020): matrices from linear RGB
# to cone responses, and from their cube roots to lightness and two opponent axes.
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)

_LIGHTEST = 0.92
_DARKEST = 0.22
_STEPS_TO_GAMUT = 24


@cache
def shaded(colour: str, shade: float) -> str:
    """Return a colour of the same hue, lighter or darker.

    In OKLCH, the shade moves the lightness towards .92 or .22, and the chroma is reduced as far as
    a screen requires. Greys stay grey.

    Parameters
    ----------
    shade : float
        From -1 (darkest) to 1 (lightest); 0 is the colour itself.

    Notes
    -----
    Source: B. Ottosson, "A perceptual color space for image processing", 2020.

    Examples
    --------
    >>> shaded("#0072b2", 0), shaded("#0072b2", 0.5), shaded("#0072b2", -0.5)
    ('#0072b2', '#55aef3', '#00456e')
    """
    if not -1 <= shade <= 1:
        raise ValueError(f"The shade is {shade:g}: it must be from -1 (darkest) to 1 (lightest).")
    if shade == 0:
        return colour.lower()
    lightness, chroma, hue = oklch(colour)
    end = max(lightness, _LIGHTEST) if shade > 0 else min(lightness, _DARKEST)
    lightness += abs(shade) * (end - lightness)
    low, high = 0.0, chroma
    for _ in range(_STEPS_TO_GAMUT):
        middle = (low + high) / 2
        low, high = (middle, high) if _shown(lightness, middle, hue) else (low, middle)
    rgb = _rgb(lightness, chroma if _shown(lightness, chroma, hue) else low, hue)
    return "#" + "".join(f"{round(255 * _encoded(part)):02x}" for part in rgb)


def oklch(colour: str) -> tuple[float, float, float]:
    """Return lightness (0..1), chroma and hue (radians) of a hexadecimal colour."""
    linear = tuple(_decoded(int(colour[start : start + 2], 16) / 255) for start in (1, 3, 5))
    cones = tuple(part ** (1 / 3) for part in _times(_TO_CONES, linear))
    lightness, a, b = _times(_TO_LAB, cones)
    return lightness, hypot(a, b), atan2(b, a)


def _rgb(lightness: float, chroma: float, hue: float) -> tuple[float, ...]:
    lab = (lightness, chroma * cos(hue), chroma * sin(hue))
    return _times(_FROM_CONES, tuple(part**3 for part in _times(_FROM_LAB, lab)))


def _shown(lightness: float, chroma: float, hue: float) -> bool:
    return all(-1e-6 <= part <= 1 + 1e-6 for part in _rgb(lightness, chroma, hue))


def _times(
    matrix: tuple[tuple[float, float, float], ...], vector: tuple[float, ...]
) -> tuple[float, ...]:
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def _decoded(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _encoded(part: float) -> float:
    part = min(max(part, 0.0), 1.0)
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
