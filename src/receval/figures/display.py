# SPDX-License-Identifier: MIT
"""Titles, names, coefficients and p-values as all figures and tables show them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from receval.figures.printed_numbers import fixed, p_value
from receval.figures.style import MetricStyle, SeriesStyle, SystemStyle, metric_styles

TWIN = " twin"
"""Ending of the short title of a synthetic twin."""


def absence_of(titles: Sequence[str], advice: str = "README: how to get the datasets") -> str:
    """Return a sentence that names absent datasets; empty if there are none."""
    return f"Absent: {', '.join(titles)} ({advice})." if titles else ""


@dataclass(frozen=True)
class DisplayStyle:
    """Titles, styles and parameters that a drawing needs in addition to its results.

    Systems, datasets (short titles) and experiments are by the names in the CSV, metrics by the
    names in print. The text of an experiment distinguishes it from others on the same dataset, and
    may be empty. ``extra_systems`` are not in the paper; ``absence`` is a sentence on absent
    datasets (:func:`absence_of`) or empty; the parameters are those of the artifact in the study's
    configuration.

    Examples
    --------
    >>> display = DisplayStyle(
    ...     title="Figure 1",
    ...     caption="Precision of two systems.",
    ...     systems={
    ...         "pop": SystemStyle("Popularity", "#000000", "o", short_title="Pop"),
    ...         "wrmf": SystemStyle("WRMF", "#0072b2", "s"),
    ...     },
    ...     extra_systems=("wrmf",),
    ...     datasets={"ml-1m": "MovieLens 1M"},
    ...     experiments={},
    ...     absence=absence_of(["Netflix"], advice="ask for it"),
    ...     parameters={},
    ... )
    >>> display.short_titles, display.absence
    ({'pop': 'Pop', 'wrmf': 'WRMF'}, 'Absent: Netflix (ask for it).')
    """

    title: str
    caption: str
    systems: Mapping[str, SystemStyle]
    extra_systems: tuple[str, ...]
    datasets: Mapping[str, str]
    experiments: Mapping[str, str]
    absence: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, MetricStyle] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> DisplayStyle:
        """Return the style described by a plan (:meth:`.ArtifactDescriptions.display`)."""
        systems = {name: SystemStyle(**style) for name, style in values["systems"].items()}
        metrics = {name: MetricStyle(**style) for name, style in values["metrics"].items()}
        extra_systems = tuple(values["extra_systems"])
        typed = {"systems": systems, "extra_systems": extra_systems, "metrics": metrics}
        return cls(**{**values, **typed})

    def styles(self, systems: Iterable[str]) -> dict[str, SeriesStyle]:
        """Return the style of each system; systems that the paper does not have are hatched."""
        return {
            name: SeriesStyle(
                colour=self.systems[name].colour,
                hatch="/////" if name in self.extra_systems else "",
                marker=self.systems[name].marker,
                line="--" if name in self.extra_systems else "-",
            )
            for name in systems
        }

    def is_real(self, dataset: str) -> bool:
        """Tell whether a dataset is real; twins are not compared with published values."""
        return not self.datasets[dataset].endswith(TWIN)

    def metric_styles(self, names: Sequence[str]) -> dict[str, SeriesStyle]:
        """Return the style of each metric of a figure (:func:`.metric_styles`)."""
        return metric_styles(names, self.metrics)

    @property
    def described(self) -> str:
        """The text below the figure in a document: the caption, and the absent datasets."""
        return " ".join(filter(None, (self.caption, self.absence)))

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


def panel_title(dataset: str, shown: str, *, alone: bool) -> str:
    """Return the title of a panel: its dataset, after what it shows if it is the only panel.

    Examples
    --------
    >>> panel_title("ML-1M", "nDCG by depth", alone=True)
    'nDCG by depth, ML-1M'
    >>> panel_title("ML-1M", "nDCG by depth", alone=False)
    'ML-1M'
    """
    return f"{shown}, {dataset}" if alone else dataset


def coefficient_text(symbol: str, value: float) -> str:
    """Format a coefficient with three digits, such as r = .929; a dash if it has no value."""
    return f"{symbol} = {fixed(value, 3)}"


def p_value_text(value: float) -> str:
    """Format a p-value with three digits, such as p = .064 or p < .001; a dash without a value."""
    text = p_value(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


_KINDS = {"fig": "Figure", "table": "Table"}


def printed_name(artifact: str) -> str:
    """Return ``Figure 2`` for ``fig02``, ``Figure 8, relations`` for ``fig08_relations``.

    The result is empty for an artifact that is not numbered in a paper.
    """
    named = re.fullmatch(r"(fig|table)0*(\d+)(?:_(\w+))?", artifact)
    if named is None:
        return ""
    kind, number, part = named.groups()
    of_it = f", {part.replace('_', ' ')}" if part else ""
    return f"{_KINDS[kind]} {number}{of_it}"


def heading(artifact: str, title: str) -> str:
    """Return the printed name and the title, as in ``Figure 2: Precision by sparsity``."""
    return ": ".join(part for part in (printed_name(artifact), title) if part)
