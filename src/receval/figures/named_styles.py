# SPDX-License-Identifier: MIT
"""How a system and a metric are shown in every figure: ``config/display.yaml``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SystemStyle:
    """Title, colour and marker of a system, and its title where there is little room."""

    title: str
    colour: str
    marker: str
    short_title: str | None = None


@dataclass(frozen=True)
class MetricStyle:
    """Colour and marker of a metric."""

    colour: str
    marker: str
