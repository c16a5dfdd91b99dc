# SPDX-License-Identifier: MIT
"""Every accepted figure, drawn again: no text in another's way, and everyone's own look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pandas as pd
import pytest
from studies.accepted_results import ROOT
from studies.drawn_styles import held_labels, style_problems
from studies.drawn_words import wording_problems
from studies.prepared import display_of, drawn, module_of, problems_of

from receval.config.settings import EDITIONS, load_settings
from receval.storage.files import read_results

Case = tuple[str, str, str, str]
"""Edition, study, artifact, and the dataset that is not there; empty if all are."""


@cache
def results_of(edition: str, study: str, artifact: str) -> pd.DataFrame:
    return read_results(ROOT / "results" / edition / study / f"{artifact}.csv")


def figures(edition: str) -> list[tuple[str, str]]:
    studies = load_settings(ROOT / "config", edition).studies
    return [
        (study, artifact)
        for study, spec in studies.items()
        for artifact, of_it in spec.artifacts.items()
        if of_it.kind == "figure"
        and (ROOT / "results" / edition / study / f"{artifact}.csv").is_file()
    ]


def cases() -> list[Case]:
    """Return all figures with all data, and families of both editions without each dataset.

    Figures of one family with one set of datasets are drawn alike: one of them is enough.
    """
    found = [(edition, *figure, "") for edition in EDITIONS for figure in figures(edition)]
    families: set[tuple[str, str, tuple[str, ...]]] = set()
    for edition, study, artifact in [(e, *figure) for e in EDITIONS for figure in figures(e)]:
        results = results_of(edition, study, artifact)
        there = tuple(dict.fromkeys(results.get("dataset", pd.Series(dtype=str))))
        family = (edition, module_of(study, artifact).__name__, there)
        if len(there) > 1 and family not in families:
            families.add(family)
            found += [(edition, study, artifact, dataset) for dataset in there]
    return found


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


@dataclass(frozen=True)
class Seen:
    """What a figure shows: drawing it takes far longer than looking.

    Attributes
    ----------
    problems : list of str
        Of its texts, styles and words.
    has_own_styles : bool
        Whether anything in it has a style of its own.
    scales : frozenset of tuple
        Of its images: the name of the colours, and the values of the first and the last.
    """

    problems: list[str]
    has_own_styles: bool
    scales: frozenset[tuple[str, float, float]]


@cache
def seen(edition: str, study: str, artifact: str, missing: str) -> Seen:
    """Draw a figure and look at it, once."""
    results = results_of(edition, study, artifact)
    if missing:
        results = results[results["dataset"] != missing].reset_index(drop=True)
    display = display_of(study, artifact, [missing] if missing else [], edition)
    figure = drawn(module_of(study, artifact), results, display)
    images = [image for axes in figure.axes for image in axes.get_images()]
    return Seen(
        [*problems_of(figure), *style_problems(figure, display), *wording_problems(figure)],
        bool(held_labels(figure, display)),
        frozenset((image.get_cmap().name, *image.get_clim()) for image in images),
    )


@pytest.mark.parametrize(
    ("edition", "study", "artifact", "missing"), cases(), ids=lambda value: value or "all"
)
def test_nothing_is_in_the_way_and_everyone_has_the_own_look(
    edition: str, study: str, artifact: str, missing: str
) -> None:
    figure = seen(edition, study, artifact, missing)
    assert figure.problems == []
    assert figure.has_own_styles is (artifact not in NOBODY.get(study, ()))


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize(
    ("study", "maps"), [("valcarce2018", ("fig01", "fig05")), ("valcarce2020", ("fig01", "fig09"))]
)
def test_the_same_colour_is_the_same_value_in_all_heat_maps_of_a_paper(
    edition: str, study: str, maps: tuple[str, ...]
) -> None:
    scales = [seen(edition, study, artifact, "").scales for artifact in maps]
    assert all(scales)
    assert len(frozenset.union(*scales)) == 1
