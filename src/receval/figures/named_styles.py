# SPDX-License-Identifier: MIT
"""Display styles of systems and metrics, as in ``config/display.yaml``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SystemStyle:
    """Title, short title, colour and marker of a system."""

    title: str
    colour: str
    marker: str
    short_title: str | None = None


@dataclass(frozen=True)
class MetricStyle:
    """Colour and marker of a metric."""

    colour: str
    marker: str
