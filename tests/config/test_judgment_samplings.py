# SPDX-License-Identifier: MIT
"""Judgment samplings in the configuration: their levels, their names, their labels."""

from __future__ import annotations

import pytest
from config.copied_config import CONFIG

from receval.metrics.averages import QuasiArithmetic, parse_average
from receval.metrics.registry import parse
from reproduction.config.settings import EDITIONS, load_settings
from reproduction.config.studies import Levels

STUDIES = {edition: load_settings(CONFIG, edition).studies for edition in EDITIONS}
SAMPLINGS = [
    (edition, study, name)
    for edition, studies in STUDIES.items()
    for study, spec in studies.items()
    for name in spec.judgment_samplings
]


@pytest.mark.each(
    ("levels", "percents"),
    [
        ({"lowest": 80, "step": 5}, [100, 95, 90, 85, 80]),
        ({"lowest": 1, "step": 1}, list(range(100, 0, -1))),
        ({"lowest": 1, "step": 33}, [100, 67, 34, 1]),
        ({"highest": 50, "lowest": 20, "step": 10}, [50, 40, 30, 20]),
        ({"highest": 7, "lowest": 7, "step": 1}, [7]),
        # Tenths and thirds have no exact form: none is lost, and none has stray digits.
        (
            {"highest": 1, "lowest": 0.1, "step": 0.1},
            [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1],
        ),
    ],
)
def test_levels_fall_from_the_highest_by_steps(
    levels: dict[str, float], percents: list[float]
) -> None:
    assert Levels(**levels).percents == percents


@pytest.mark.each(("edition", "study", "name"), SAMPLINGS)
def test_labels_of_judgment_samplings_are_those_that_artifacts_look_for(
    edition: str, study: str, name: str
) -> None:
    judgment_sampling = STUDIES[edition][study].judgment_samplings[name]
    for average, metrics in judgment_sampling.averages.items():
        found = parse_average(average)
        assert isinstance(found, QuasiArithmetic)
        assert found.label == average
        assert [parse(metric).label for metric in metrics] == list(metrics)
        assert len(set(metrics)) == len(metrics)


@pytest.mark.each(("edition", "study", "name"), SAMPLINGS)
def test_every_judgment_sampling_is_read_and_can_be_measured(
    edition: str, study: str, name: str
) -> None:
    spec = STUDIES[edition][study]
    judgment_sampling = spec.judgment_samplings[name]
    assert any(name in artifact.judgment_samplings for artifact in spec.artifacts.values())
    # A metric equals itself at the first level, where nothing is removed.
    assert judgment_sampling.levels.percents[0] == 100
    for experiment in (spec.experiments[one] for one in judgment_sampling.experiments):
        assert experiment.evaluated_users == "tested"
        assert len(experiment.protocols) == 1
        assert experiment.protocols[0].relevant == "AR"
