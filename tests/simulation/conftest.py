# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from simulation.twin_folders import ROOT, ROOT_SEED, TwinFolder, shrink

from receval.config.reading import load_twins
from receval.simulation.spec import TwinSpec
from receval.simulation.twins import Simulation, simulate, write_simulation, write_twin


@pytest.fixture(scope="session")
def specs() -> dict[str, TwinSpec]:
    return load_twins(ROOT / "config" / "twins.yaml")


@pytest.fixture(scope="session")
def small_specs(specs: dict[str, TwinSpec]) -> dict[str, TwinSpec]:
    return {dataset: shrink(spec) for dataset, spec in specs.items()}


@pytest.fixture(scope="session")
def simulations(specs: dict[str, TwinSpec]) -> dict[str, Simulation]:
    return {dataset: simulate(dataset, spec, ROOT_SEED) for dataset, spec in specs.items()}


@pytest.fixture(scope="session")
def twins(
    simulations: dict[str, Simulation], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, TwinFolder]:
    base = tmp_path_factory.mktemp("twins")
    return {
        dataset: TwinFolder(
            base / dataset, write_simulation(dataset, simulation, ROOT_SEED, base / dataset)
        )
        for dataset, simulation in simulations.items()
    }


@pytest.fixture(scope="session")
def small_twins(
    small_specs: dict[str, TwinSpec], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, TwinFolder]:
    base = tmp_path_factory.mktemp("small-twins")
    return {
        dataset: TwinFolder(base / dataset, write_twin(dataset, spec, ROOT_SEED, base / dataset))
        for dataset, spec in small_specs.items()
    }
