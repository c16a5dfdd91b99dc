"""How names are shown: titles, colours and markers, the same in every figure and table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from receval.figures.style import SeriesStyle


@dataclass(frozen=True)
class SystemStyle:
    """Title, colour and marker of a system, and its title where there is little room."""

    title: str
    colour: str
    marker: str
    short_title: str | None = None


@dataclass(frozen=True)
class DisplayStyle:
    """What a drawing needs beside its numbers.

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
        """Return the style that a plan describes (:meth:`.ArtifactDescriptions.display`)."""
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
