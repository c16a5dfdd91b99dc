# SPDX-License-Identifier: MIT
"""Accepted figures, drawn again: no text in another's way, and everyone's own look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from studies.accepted_results import ROOT
from studies.drawn_styles import held_labels, style_problems
from studies.drawn_words import wording_problems
from studies.prepared import display_of, drawn, module_of, problems_of

from receval.config.settings import load_settings
from receval.storage.files import read_results

pytestmark = pytest.mark.costly

RESULTS = ROOT / "results"

STUDIES = sorted(folder.name for folder in (RESULTS / "full").iterdir() if folder.is_dir())

NOBODY = {
    "bellogin2017": ("fig01", "fig06"),
    "canamares2020": ("fig01",),
    "followups": (
        *("inference_families", "inference_power", "interval_decisions", "sampled_corrections"),
        "time_leaks",
    ),
    "menamaldonado2021": (
        *("fig02", "fig03", "fig04", "fig05", "fig06", "fig07", "fig08", "fig09", "fig10"),
        *("fig11", "fig15"),
    ),
    "multiverse": ("explained",),
    "systems": ("implementations",),
    "valcarce2018": ("fig01", "fig05"),
    "valcarce2020": ("fig01", "fig09"),
}
"""Figures of items, toys, tests, packages and heat maps, without a colour of a system or metric."""

HEAT_MAPS = {"valcarce2018": ("fig01", "fig05"), "valcarce2020": ("fig01", "fig09")}


@dataclass(frozen=True)
class Results:
    """Results of an edition from which a study's figures are drawn.

    Attributes
    ----------
    edition, study : str
        Whose figures they are.
    folder : Path
        Where the results of the edition's studies lie.
    """

    edition: str
    study: str
    folder: Path

    def figures(self) -> list[str]:
        """Return the figures of which there are results."""
        artifacts = load_settings(ROOT / "config", self.edition).studies[self.study].artifacts
        return [
            name
            for name, artifact in artifacts.items()
            if artifact.kind == "figure" and self._file(name).is_file()
        ]

    def of(self, artifact: str) -> pd.DataFrame:
        return read_results(self._file(artifact))

    def families(self) -> Iterator[tuple[list[str], tuple[str, ...]]]:
        """Return the figures of each module with the same datasets, the fullest first."""
        families: dict[tuple[str, tuple[str, ...]], dict[str, int]] = {}
        for artifact in self.figures():
            results = self.of(artifact)
            there = tuple(dict.fromkeys(results.get("dataset", pd.Series(dtype=str))))
            family = (module_of(self.study, artifact).__name__, there)
            families.setdefault(family, {})[artifact] = len(results)
        for (_, there), rows in families.items():
            yield sorted(rows, key=lambda artifact: -rows[artifact]), there

    def _file(self, artifact: str) -> Path:
        return self.folder / self.study / f"{artifact}.csv"


@dataclass(frozen=True)
class Seen:
    """What a figure shows: drawing it takes far longer than looking.

    Attributes
    ----------
    problems : list of str
        Of its texts, styles and words, and whether anything in it has a style of its own.
    scales : frozenset of tuple
        Of its images: the name of the colours, and the values of the first and the last.
    """

    problems: list[str]
    scales: frozenset[tuple[str, float, float]]


@cache
def seen(of: Results, artifact: str, missing: str = "") -> Seen:
    """Draw a figure and look at it, once."""
    results = of.of(artifact)
    if missing:
        results = results[results["dataset"] != missing].reset_index(drop=True)
    display = display_of(of.study, artifact, [missing] if missing else [], of.edition)
    figure = drawn(module_of(of.study, artifact), results, display)
    problems = [*problems_of(figure), *style_problems(figure, display), *wording_problems(figure)]
    has_own_styles = bool(held_labels(figure, display))
    if has_own_styles is (artifact in NOBODY.get(of.study, ())):
        problems.append(f"Something has a style of its own: {has_own_styles}.")
    images = [image for axes in figure.axes for image in axes.get_images()]
    return Seen(problems, frozenset((image.get_cmap().name, *image.get_clim()) for image in images))


def problems_by_figure(of: Results, *, whole_families: bool) -> dict[tuple[str, str], list[str]]:
    """Return the problems of the figures that have any, by artifact and missing dataset.

    Figures of one family are drawn alike: the fullest one stands for the others, unless all are
    asked for, and it alone is drawn without each dataset.
    """
    cases = [
        (artifact, "")
        for family, _ in of.families()
        for artifact in (family if whole_families else family[:1])
    ]
    cases += [
        (family[0], dataset)
        for family, there in of.families()
        if len(there) > 1
        for dataset in there
    ]
    assert cases
    return {case: found for case in cases if (found := seen(of, *case).problems)}


@pytest.mark.parametrize("study", STUDIES)
def test_nothing_is_in_the_way_and_everyone_has_the_own_look(study: str) -> None:
    of = Results("full", study, RESULTS / "full")
    assert problems_by_figure(of, whole_families=False) == {}


@pytest.mark.parametrize("study", STUDIES)
def test_so_it_is_in_every_figure_of_both_editions(study: str, demo_edition: Path) -> None:
    demo = Results("demo", study, demo_edition / "artifacts")
    for of in (demo, Results("full", study, RESULTS / "full")):
        assert problems_by_figure(of, whole_families=True) == {}, of.edition


@pytest.mark.parametrize(("study", "maps"), HEAT_MAPS.items())
def test_the_same_colour_is_the_same_value_in_all_heat_maps_of_a_paper(
    study: str, maps: tuple[str, ...]
) -> None:
    assert_one_scale(Results("full", study, RESULTS / "full"), maps)


@pytest.mark.parametrize(("study", "maps"), HEAT_MAPS.items())
def test_so_it_is_in_heat_maps_of_the_demo_edition(
    study: str, maps: tuple[str, ...], demo_edition: Path
) -> None:
    assert_one_scale(Results("demo", study, demo_edition / "artifacts"), maps)


def assert_one_scale(of: Results, maps: tuple[str, ...]) -> None:
    scales = [seen(of, artifact).scales for artifact in maps]
    assert all(scales)
    assert len(frozenset.union(*scales)) == 1
