# SPDX-License-Identifier: MIT
"""Models of ``config/display.yaml``: the one registry of how systems and metrics are shown."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from receval.spec_types import Identifier, Model, NonEmptyText

Colour = Annotated[str, Field(pattern=r"^#[0-9a-f]{6}$")]

Marker = Annotated[str, Field(min_length=1, max_length=2)]


class MetricStyleSpec(Model):
    """How a metric is shown.

    Attributes
    ----------
    colour : str
        Hexadecimal, in small letters.
    marker : str
        Matplotlib's name.
    """

    colour: Colour
    marker: Marker


class DisplaySpec(Model):
    """The display styles of all figures.

    Attributes
    ----------
    families : dict of str to str
        The hue of each family of systems, as its colour of shade 0.
    metrics : dict of str to MetricStyleSpec
        By the names in print.
    """

    families: Annotated[dict[Identifier, Colour], Field(min_length=1)]
    metrics: Annotated[dict[NonEmptyText, MetricStyleSpec], Field(min_length=1)]
