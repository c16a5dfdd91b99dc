"""How names and coefficients are shown, the same in every figure and table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from receval.figures.style import SeriesStyle, ordered_styles, series_styles

STANDARD = ("P", "Recall", "MAP", "nDCG", "MRR", "bpref", "infAP", "F1", "ERR")
"""Metrics of the papers by name: each has the same colour and marker in every figure."""


@dataclass(frozen=True)
class SystemStyle:
    """Title, colour and marker of a system, and its title where there is little room."""

    title: str
    colour: str
    marker: str
    short_title: str | None = None


@dataclass(frozen=True)
class DisplayStyle:
    """What a drawing needs beside its results.

    Attributes
    ----------
    title, caption : str
        Of the artifact.
    systems : mapping of str to SystemStyle
        By the names in the CSV.
    extra_systems : tuple of str
        Systems that the paper does not have.
    datasets : mapping of str to str
        Short titles by the names in the CSV.
    experiments : mapping of str to str
        What tells an experiment from others on the same dataset, by its name; may be empty.
    absent : tuple of str
        Short titles of the datasets that are not there.
    parameters : mapping
        The artifact's parameters from the study's configuration.
    """

    title: str
    caption: str
    systems: Mapping[str, SystemStyle]
    extra_systems: tuple[str, ...]
    datasets: Mapping[str, str]
    experiments: Mapping[str, str]
    absent: tuple[str, ...]
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> DisplayStyle:
        """Return the style that a plan describes (:meth:`.Plan.display`)."""
        return cls(
            title=values["title"],
            caption=values["caption"],
            systems={name: SystemStyle(**display) for name, display in values["systems"].items()},
            extra_systems=tuple(values["extra_systems"]),
            datasets=values["datasets"],
            experiments=values["experiments"],
            absent=tuple(values["absent"]),
            parameters=values["parameters"],
        )

    def styles(self, systems: Iterable[str]) -> dict[str, SeriesStyle]:
        """Return the style of each system; those that the paper does not have are hatched."""
        return {
            name: SeriesStyle(
                colour=self.systems[name].colour,
                hatch="/////" if name in self.extra_systems else "",
                marker=self.systems[name].marker,
                line="--" if name in self.extra_systems else "-",
            )
            for name in systems
        }

    @property
    def titles(self) -> dict[str, str]:
        """Title of each system."""
        return {name: display.title for name, display in self.systems.items()}

    @property
    def short_titles(self) -> dict[str, str]:
        """Short title of each system."""
        return {
            name: display.short_title or display.title for name, display in self.systems.items()
        }

    @property
    def absence(self) -> str:
        """A sentence that names the absent datasets; empty if there are none."""
        if not self.absent:
            return ""
        names = ", ".join(self.absent)
        return f"Absent: {names} (README: how to get the datasets)."


def metric_styles(names: Sequence[str]) -> dict[str, SeriesStyle]:
    """Return the style of each metric: that of its name where it is one of the papers' nine.

    ``GP`` or ``GMAP`` look like ``P`` or ``MAP``, and ``GF1*`` like ``F1`` but dotted. Other names,
    such as cut-offs of one metric, go from light to dark in their order.
    """
    plain = [_plain(name) for name in names]
    if not set(plain) <= set(STANDARD):
        return ordered_styles(names)
    styles = series_styles(STANDARD)
    return {
        name: replace(styles[own], line=":") if name.endswith("*") else styles[own]
        for name, own in zip(names, plain, strict=True)
    }


def _plain(name: str) -> str:
    return name if name in STANDARD else name.removeprefix("G").removesuffix("*")


def coefficient_text(symbol: str, value: float) -> str:
    """Print a coefficient with three digits, such as r = .929; a dash where it has no value."""
    if np.isnan(value):
        return f"{symbol} = \N{EN DASH}"
    digits = f"{abs(value):.3f}".removeprefix("0")
    minus = "\N{MINUS SIGN}" if value < 0 and float(digits) else ""
    return f"{symbol} = {minus}{digits}"


def p_value_text(value: float) -> str:
    """Print a p-value with three digits, such as p = .064 or p < .001; a dash without a value."""
    if np.isnan(value):
        return "p = \N{EN DASH}"
    if value < 0.001:
        return "p < .001"
    return f"p = {f'{value:.3f}'.removeprefix('0')}"
