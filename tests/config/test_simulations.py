# SPDX-License-Identifier: MIT
"""Simulations in the configuration: their names, their values, their labels."""

from __future__ import annotations

import pytest
from config.copied_config import CONFIG

from receval.metrics.registry import parse
from receval.recommenders.base import make
from reproduction.config.settings import EDITIONS, load_settings

NAME = "skewed-popularity"

SETTINGS = {edition: load_settings(CONFIG, edition) for edition in EDITIONS}
SIMULATIONS = [(edition, name) for edition in EDITIONS for name in SETTINGS[edition].simulations]


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
