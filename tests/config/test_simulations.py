# SPDX-License-Identifier: MIT
"""Simulations in the configuration: their names, their values, their labels."""

from __future__ import annotations

import pytest
from config.copied_config import CONFIG, CopiedConfig

from receval.metrics.registry import parse
from receval.recommenders.base import make
from reproduction.config.settings import EDITIONS, load_settings

FILE = "simulations.yaml"
NAME = "skewed-popularity"

SETTINGS = {edition: load_settings(CONFIG, edition) for edition in EDITIONS}
SIMULATIONS = [(edition, name) for edition in EDITIONS for name in SETTINGS[edition].simulations]


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("dataset", "ml-2m", "the simulation skewed-popularity names the dataset ml-2m, which is"),
        ("systems", ["pop", "ease"], "the simulation skewed-popularity names the system ease"),
        ("systems", ["pop", "pop"], "the system pop is named twice"),
        (
            "systems",
            ["librec-plsa"],
            "has the system librec-plsa, which learns from grades in the order of appearance: "
            "simulations train on ratings",
        ),
        ("systems", [], r"skewed-popularity\.systems: "),
        ("metrics", ["P@10", "P@10"], "the metric P@10 is named twice"),
        ("metrics", [], r"skewed-popularity\.metrics: "),
        ("skewness", [1, 0], "the values of skewness must increase, but they are 1, 0"),
        ("skewness", [1, 1], "must increase, but they are 1, 1"),
        ("skewness", [-1], r"skewness.*greater than or equal to 0"),
        ("skewness", [21], r"skewness.*less than or equal to 20"),
        ("skewness", [], r"skewed-popularity\.skewness: "),
        ("repetitions", 0, r"skewed-popularity\.repetitions: "),
        ("train_ratio", 1, r"train_ratio: .*less than 1"),
        ("protocols", [], r"skewed-popularity\.protocols: "),
        ("alphas", [1], r"skewed-popularity\.alphas: "),
    ],
)
def test_a_simulation_that_cannot_be_is_refused_by_its_name(
    config: CopiedConfig, key: str, value: object, sentence: str
) -> None:
    config.change(FILE, NAME, key, value=value)
    with pytest.raises(ValueError, match=sentence):
        load_settings(config.folder, "full")


def test_an_artifact_cannot_read_a_simulation_that_there_is_not(config: CopiedConfig) -> None:
    path = ("studies/bellogin2017.yaml", "artifacts", "fig05", "simulations")
    config.change(*path, value=["skewness"])
    with pytest.raises(
        ValueError,
        match="the artifact fig05 of bellogin2017 names the simulation skewness, which is not "
        "defined; defined are skewed-popularity",
    ):
        load_settings(config.folder, "full")


@pytest.mark.parametrize(("edition", "name"), SIMULATIONS)
def test_every_simulation_is_read_and_can_be_measured(edition: str, name: str) -> None:
    settings = SETTINGS[edition]
    simulation = settings.simulations[name]
    artifacts = [a for study in settings.studies.values() for a in study.artifacts.values()]
    assert any(name in artifact.simulations for artifact in artifacts)
    for label in simulation.metrics:
        assert parse(label).label == label
    for system in simulation.systems:
        spec = settings.systems[system]
        assert not make(spec.recommender, spec.parameters, seed=0).reads_test


@pytest.mark.parametrize("edition", EDITIONS)
def test_figure_5_draws_what_is_measured_and_has_a_threshold_for_every_curve(edition: str) -> None:
    artifact = SETTINGS[edition].studies["bellogin2017"].artifacts["fig05"]
    simulation = SETTINGS[edition].simulations[NAME]
    assert simulation.skewness[0] == 0
    assert simulation.skewness[-1] == 2
    assert artifact.parameters["metric"] in simulation.metrics
    protocols = [p for spec in simulation.protocols for p in spec.protocols(5)]
    assert artifact.parameters["protocol"] in {protocol.name for protocol in protocols}
    curves, thresholds = artifact.parameters["curves"], artifact.parameters["thresholds"]
    assert curves == artifact.datasets
    assert isinstance(thresholds, tuple)
    assert len(thresholds) == len(artifact.datasets)
