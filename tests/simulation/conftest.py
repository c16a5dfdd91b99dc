# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from simulation.twin_folders import ROOT, ROOT_SEED, MadeOnce, TwinFolder, shrink

from reproduction.config.reading import load_twins
from reproduction.simulation.observation import Observation
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import (
    Simulation,
    observe_large_world,
    simulate,
    write_simulation,
)


@pytest.fixture(scope="session")
def specs() -> dict[str, TwinSpec]:
    return load_twins(ROOT / "config" / "twins.yaml")


@pytest.fixture(scope="session")
def small_specs(specs: dict[str, TwinSpec]) -> dict[str, TwinSpec]:
    return {dataset: shrink(spec) for dataset, spec in specs.items()}


@pytest.fixture(scope="session")
def simulations(specs: dict[str, TwinSpec]) -> dict[str, Simulation]:
    return MadeOnce(lambda dataset: simulate(dataset, specs[dataset], ROOT_SEED))


@pytest.fixture(scope="session")
def large_worlds_of(specs: dict[str, TwinSpec]) -> dict[str, Observation]:
    """What is observed of worlds that are drawn in blocks, as large ones are."""
    return MadeOnce(lambda dataset: observe_large_world(dataset, specs[dataset], ROOT_SEED))


@pytest.fixture(scope="session")
def observations(
    simulations: dict[str, Simulation], large_worlds_of: dict[str, Observation]
) -> dict[str, Observation]:
    """What is observed of whole worlds, and of large ones as ``netflix, large``."""

    def observed(name: str) -> Observation:
        dataset, _, large = name.partition(", ")
        return large_worlds_of[dataset] if large else simulations[dataset].observation

    return MadeOnce(observed)


@pytest.fixture(scope="session")
def small_simulations(small_specs: dict[str, TwinSpec]) -> dict[str, Simulation]:
    return MadeOnce(lambda dataset: simulate(dataset, small_specs[dataset], ROOT_SEED))


@pytest.fixture(scope="session")
def small_twins(
    small_simulations: dict[str, Simulation], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, TwinFolder]:
    base = tmp_path_factory.mktemp("small-twins")

    def written(dataset: str) -> TwinFolder:
        folder, simulation = base / dataset, small_simulations[dataset]
        return TwinFolder(folder, write_simulation(dataset, simulation, ROOT_SEED, folder))

    return MadeOnce(written)
