# SPDX-License-Identifier: MIT
"""Accepted figures, drawn again: no text in another's way, and everyone's own look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from figures.axis_problems import axis_problems
from studies.accepted_results import ROOT
from studies.drawn_styles import alike_problems, held_labels, style_problems
from studies.drawn_words import wording_problems
from studies.prepared import display_of, drawn, family_of, problems_of

from receval.storage.files import read_results
from reproduction.config.settings import load_settings

pytestmark = pytest.mark.repository

RESULTS = ROOT / "results"

DATASETS = load_settings(ROOT / "config", "full").datasets

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
    "rampisela2024": ("joint_agreement",),
    "rampisela2025": ("between_and_within",),
    "shehzad2023": ("tuning_trials",),
    "systems": ("implementations",),
    "valcarce2018": ("fig01", "fig05"),
    "valcarce2020": ("fig01", "fig09"),
    "wegmeth2023": ("split_seeds",),
}
"""Figures of items, toys, tests, packages and heat maps, without a colour of a system or metric."""

HEAT_MAPS = (("valcarce2018", "fig05"), ("valcarce2020", "fig01"), ("valcarce2020", "fig09"))
"""Those of metrics; that of the cut-offs of one metric has a scale of its own."""


Named = tuple[str, str]
"""Study and artifact."""


@dataclass(frozen=True)
class Results:
    """The results of an edition, in the folder of its studies, from which figures are drawn."""

    edition: str
    folder: Path

    def of(self, study: str, artifact: str) -> pd.DataFrame:
        return read_results(self._file(study, artifact))

    def figures(self) -> list[Named]:
        """Return all figures of which there are results."""
        studies = load_settings(ROOT / "config", self.edition).studies
        return [
            (study, name)
            for study, spec in studies.items()
            for name, artifact in spec.artifacts.items()
            if artifact.kind == "figure" and self._file(study, name).is_file()
        ]

    def _file(self, study: str, artifact: str) -> Path:
        return self.folder / study / f"{artifact}.csv"


ACCEPTED = Results("full", RESULTS / "full")


@dataclass(frozen=True)
class Family:
    """Figures of one module with the same datasets, drawn alike: how many results each has."""

    datasets: tuple[str, ...]
    rows: dict[Named, int]

    def of(self, study: str) -> list[Named]:
        """Return the figures of a study, the fullest first."""
        own = [figure for figure in self.rows if figure[0] == study]
        return sorted(own, key=lambda figure: -self.rows[figure])


@cache
def families(of: Results) -> list[Family]:
    found: dict[tuple[str, tuple[str, ...]], Family] = {}
    for figure in of.figures():
        results = of.of(*figure)
        datasets = tuple(dict.fromkeys(results.get("dataset", pd.Series(dtype=str))))
        family = (family_of(*figure).__name__, datasets)
        found.setdefault(family, Family(datasets, {})).rows[figure] = len(results)
    return list(found.values())


@dataclass(frozen=True)
class Seen:
    """What a figure shows: drawing it takes far longer than looking.

    Problems are of texts, styles, words and axes; a scale is an image's colours and two ends.
    """

    problems: list[str]
    scales: frozenset[tuple[str, float, float]]


@cache
def seen(of: Results, study: str, artifact: str, missing: str = "") -> Seen:
    """Draw a figure and look at it, once."""
    results = of.of(study, artifact)
    if missing:
        results = results[results["dataset"] != missing].reset_index(drop=True)
    display = display_of(study, artifact, [missing] if missing else [], of.edition)
    figure = drawn(family_of(study, artifact), results, display)
    problems = [*problems_of(figure), *style_problems(figure, display)]
    problems += wording_problems(figure, list(display.datasets.values()))
    problems += alike_problems(figure, display)
    problems += axis_problems(figure)
    has_own_styles = bool(held_labels(figure, display))
    if has_own_styles is (artifact in NOBODY.get(study, ())):
        problems.append(f"Something has a style of its own: {has_own_styles}.")
    images = [image for axes in figure.axes for image in axes.get_images()]
    scales = frozenset((image.get_cmap().name, *image.get_clim()) for image in images)
    return Seen(problems, scales)


def problems_by_figure(
    of: Results, study: str, *, all_cases: bool = False
) -> dict[tuple[str, str], list[str]]:
    """Return the problems of a study's figures that have any, by artifact and missing dataset.

    Of each family the fullest figure of the study stands for the others, and the first figure of
    all studies is drawn without its last dataset; unless all figures and datasets are asked for.
    """
    cases = []
    for family in families(of):
        own = family.of(study)
        cases += [(artifact, "") for _, artifact in (own if all_cases else own[:1])]
        (first_study, first), *_ = family.rows
        if first_study == study and len(family.datasets) > 1:
            # What is generated on the way is never missing.
            known = [name for name in family.datasets if name in DATASETS]
            missing = known if all_cases else known[-1:]
            cases += [(first, dataset) for dataset in missing]
    assert cases
    return {case: found for case in cases if (found := seen(of, study, *case).problems)}


@pytest.mark.parametrize("study", STUDIES)
def test_nothing_is_in_the_way_and_everyone_has_the_own_look(study: str) -> None:
    assert problems_by_figure(ACCEPTED, study) == {}


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_so_it_is_in_every_accepted_figure_without_any_of_its_datasets(
    study: str, edition: str
) -> None:
    assert problems_by_figure(Results(edition, RESULTS / edition), study, all_cases=True) == {}


def test_the_same_colour_is_the_same_value_in_all_heat_maps_of_metrics() -> None:
    scales = [seen(ACCEPTED, *figure).scales for figure in HEAT_MAPS]
    assert all(scales)
    assert len(frozenset.union(*scales)) == 1
