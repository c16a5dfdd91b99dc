# SPDX-License-Identifier: MIT
"""Every module that the configuration names exists and has what is asked of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from config.copied_config import CONFIG, ROOT

from receval.metrics.registry import METRICS, parse_any
from receval.recommenders.base import Recommender, make
from receval.splits.kinds import SPLITTERS
from reproduction.config.settings import load_settings
from reproduction.datasets.reports import ParseReport
from reproduction.simulation.twins import WRITERS
from reproduction.workflow.plan.plan import Plan
from reproduction.workflow.provenance.code_digest import CodeSnapshot

SETTINGS = load_settings(CONFIG, "full")
PLAN = Plan(SETTINGS, ROOT)
PARSERS = sorted(
    {variant.parser for spec in SETTINGS.datasets.values() for variant in spec.variants}
)
ARTIFACTS = [
    (study, artifact) for study, spec in SETTINGS.studies.items() for artifact in spec.artifacts
]


def found(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


@pytest.mark.each("path", PARSERS)
def test_a_parser_takes_files_and_a_report(path: str) -> None:
    bound = inspect.signature(found(path)).bind([], report=ParseReport())
    assert bound.arguments["report"] is not None


@pytest.mark.each("name", SETTINGS.systems)
def test_a_system_can_be_made_with_its_parameters(name: str) -> None:
    spec = SETTINGS.systems[name]
    system = make(spec.recommender, spec.parameters, seed=1)
    assert isinstance(system, Recommender)
    assert {key: system.parameters[key] for key in spec.parameters} == spec.parameters


@pytest.mark.parametrize("what", [("title",), ("family", "printed_name", "marker")])
def test_no_two_systems_look_alike(what: tuple[str, ...]) -> None:
    styles = {
        name: tuple(str(getattr(spec, part)).lower() for part in what)
        for name, spec in SETTINGS.systems.items()
        # The points of one curve look alike.
        if what == ("title",) or not name.startswith("knn-overlap-")
    }
    alike = [f"{a}, {b}" for a in styles for b in styles if a < b and styles[a] == styles[b]]
    # One ranking by two thresholds, which no panel has both of.
    assert alike == ([] if what == ("title",) else ["optimal-real, optimal-real-from-3"])


def test_a_printed_name_has_one_colour_in_all_figures_of_all_studies() -> None:
    studies = PLAN.studies.specs
    colours: dict[str, set[str]] = {}
    for study in studies:
        for artifact in PLAN.artifacts.studies[study].artifacts:
            display = PLAN.descriptions.display(study, artifact)
            for style in display["systems"].values():
                name = style["short_title"] or style["title"]
                colours.setdefault(name, set()).add(style["colour"])
    assert {name: found for name, found in colours.items() if len(found) > 1} == {}
    assert len({*colours["SLIM"], *colours["HT"], *colours["PureSVD"], *colours["WRMF"]}) == 4


@pytest.mark.each("study", SETTINGS.studies)
def test_an_artifact_has_its_data_and_what_shows_it(study: str) -> None:
    for artifact in SETTINGS.studies[study].artifacts:
        data = found(PLAN.artifacts.computing_function(study, artifact))
        shows = found(PLAN.artifacts.showing_function(study, artifact))
        assert list(inspect.signature(data).parameters) == ["inputs"], artifact
        assert list(inspect.signature(shows).parameters) == ["results", "display"], artifact


def test_no_module_of_a_study_shows_what_no_artifact_is() -> None:
    named = {PLAN.artifacts.showing_function(*names) for names in ARTIFACTS}
    for module in {PLAN.artifacts.module(*names) for names in ARTIFACTS}:
        shows = {
            f"{module}:{name}"
            for name, function in inspect.getmembers(import_module(module), inspect.isfunction)
            if re.fullmatch("(draw|tabulate|write)(_[a-z0-9]+)*", name)
            and [*inspect.signature(function).parameters] == ["results", "display"]
            and function.__module__ == module
        }
        assert shows <= named


def test_every_module_of_a_study_is_in_its_configuration() -> None:
    folder = ROOT / "src" / "reproduction" / "studies"
    modules = {
        f"reproduction.studies.{path.parent.name}.{path.stem}"
        for path in folder.glob("*/*.py")
        if path.parent.name in SETTINGS.studies and path.stem != "__init__"
    }
    assert modules - {PLAN.artifacts.module(*names) for names in ARTIFACTS} == set()


def test_every_twin_has_a_writer() -> None:
    assert set(SETTINGS.twins) == set(WRITERS)
    for name, module in WRITERS.items():
        assert callable(import_module(module).write), name


def test_every_split_has_a_splitter() -> None:
    for name, spec in SETTINGS.splits.items():
        assert callable(found(SPLITTERS[spec.kind])), name


@pytest.mark.each("study", SETTINGS.studies)
def test_metrics_that_an_artifact_names_exist(study: str) -> None:
    for artifact, spec in SETTINGS.studies[study].artifacts.items():
        one = spec.parameters.get("metric", ())
        for label in (one,) if isinstance(one, str) else spec.parameters.get("metrics", ()):
            assert parse_any(label).label == label, artifact


@pytest.mark.each("name", METRICS)
def test_a_metric_has_the_name_it_is_found_by(name: str) -> None:
    assert found(METRICS[name]).name == name  # type: ignore[attr-defined]


BY_RESULTS = {("shehzad2023", "tuning_trials"), ("shehzad2023", "released_values")}
"""Artifacts that call the library as its users do; its results can draw themselves."""


@pytest.mark.costly
def test_numbers_do_not_depend_on_how_they_are_drawn() -> None:
    code = CodeSnapshot(ROOT)
    for names in set(ARTIFACTS) - BY_RESULTS:
        parts = code.parts(PLAN.artifacts.computing_function(*names))
        assert parts, names
        assert [part for part in parts if part.startswith("receval.figures")] == [], names
