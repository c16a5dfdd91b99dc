# SPDX-License-Identifier: MIT
"""Pages of text, and artifacts that go through a grid of decisions."""

from __future__ import annotations

import pytest
from plan.planned import demo, opened, plan_of, put_raw_files

from receval.multiverse.decisions import Configuration, DecisionGrid
from reproduction.experiments.universes import ExperimentUniverses

STUDY = "multiverse"


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_a_page_is_markdown_beside_its_numbers(edition: str) -> None:
    put_raw_files("ml-1m")
    plan = plan_of(edition)
    assert "flips" in plan.artifacts.pages()
    stem = f"work/{edition}/artifacts/{STUDY}/flips"
    assert plan.artifacts.files(STUDY, "flips") == [f"{stem}.csv", f"{stem}.md"]
    assert f"{stem}.md" in plan.studies.all_files()
    assert f"{stem}.tex" not in plan.studies.all_files()


def test_figures_and_tables_are_no_pages() -> None:
    plan = demo()
    kinds = {
        name: spec.kind
        for study in plan.experiments.studies.values()
        for name, spec in study.artifacts.items()
    }
    assert set(plan.artifacts.pages()) == {name for name, kind in kinds.items() if kind == "page"}


@pytest.mark.costly
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_an_artifact_gets_its_grid_and_the_splits_of_its_experiments(edition: str) -> None:
    put_raw_files("ml-1m")
    plan = plan_of(edition)
    inputs = opened(plan, STUDY, "universes")
    assert inputs.decisions == plan.experiments.studies[STUDY].grids["movielens"]
    assert inputs.decisions.configurations()[0] == Configuration()
    for experiment in inputs.experiments.values():
        expected = plan.settings.splits[experiment.split].model_dump(mode="json")
        assert experiment.split_spec == expected


@pytest.mark.parametrize("artifact", ["universes", "pairs"])
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_every_universe_of_an_artifact_s_grid_has_its_split_systems_and_policies(
    edition: str, artifact: str
) -> None:
    put_raw_files("ml-1m")
    inputs = opened(plan_of(edition), STUDY, artifact)
    universes = ExperimentUniverses(inputs.experiments)
    systems = inputs.parameters.get("pair") or inputs.parameters["systems"]
    grid = inputs.decisions
    of_ranks = DecisionGrid(
        selection=grid.selection, split=grid.split, non_computable=grid.non_computable
    )
    for configuration in of_ranks.configurations():
        for system in systems:
            experiment, number = universes.experiment(configuration, system)
            assert number >= 0
            assert configuration.protocol.key in [p.key for p in experiment.protocols]


def test_an_artifact_s_code_has_the_metrics_of_its_grid() -> None:
    plan = demo()
    metrics = {metric.name for metric in plan.experiments.studies[STUDY].grids["movielens"].metric}
    assert metrics == {"nDCG", "P", "RBO"}
    assert plan.artifacts.metric_entries(STUDY, "universes") == [
        f"receval.metrics.{module}" for module in ("ndcg", "precision_and_recall", "rank_biased")
    ]
