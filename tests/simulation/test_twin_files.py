# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from simulation.twin_folders import ROOT, ROOT_SEED, TwinFolder

from reproduction.config.reading import load_datasets
from reproduction.simulation.observation import DAY, Observation
from reproduction.simulation.spec import WRITERS, TwinSpec
from reproduction.simulation.twins import TRUTH_FILE, Simulation, write_twin
from reproduction.simulation.writers import lastfm, netflix

DATASETS = [name for name in WRITERS if name != "dated-twin"]
"""All twins; the dated twin has the raw format of another one."""


def checksums(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.each("dataset", DATASETS)
def test_files_are_named_as_in_the_original_and_nothing_else_is_left(
    small_twins: dict[str, TwinFolder], dataset: str
) -> None:
    twin = small_twins[dataset]
    variants = load_datasets(ROOT / "config" / "datasets.yaml")[dataset].variants
    files = [file.name for file in variants[0].files]
    assert twin.written["files"] == files
    assert {path.name for path in twin.folder.iterdir()} == {*files, TRUTH_FILE}


@pytest.mark.costly
@pytest.mark.parametrize("dataset", DATASETS)
def test_same_seed_gives_same_bytes_and_another_seed_other_ones(
    small_twins: dict[str, TwinFolder],
    small_specs: dict[str, TwinSpec],
    tmp_path: Path,
    dataset: str,
) -> None:
    twin, spec = small_twins[dataset], small_specs[dataset]
    again = write_twin(dataset, spec, ROOT_SEED, tmp_path / "again")
    assert again == twin.written
    assert checksums(tmp_path / "again") == checksums(twin.folder)
    write_twin(dataset, spec, ROOT_SEED + 1, tmp_path / "other")
    other = checksums(tmp_path / "other")
    assert all(other[name] != digest for name, digest in checksums(twin.folder).items())


@pytest.mark.each("block", [1, 2, 3, 6])
@pytest.mark.each("writer, size", [(lastfm, "_BLOCK_PLAYS"), (netflix, "_BLOCK_RATINGS")])
def test_lines_in_blocks_are_the_bytes_of_one_block(
    writer: ModuleType, size: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The items have one, four, two and no ratings.
    users, items = np.int32([[0, 1, 2, 2, 1, 0, 3], [1, 1, 1, 2, 2, 0, 1]])
    values, times = np.float32([1, 2, 3, 4, 5, 1, 2]), 10**9 + 9 * DAY * np.arange(7)
    seen = Observation(users, items, values, times, None, np.zeros(7, dtype=bool))
    ids = writer.identifiers(4, 4, np.random.default_rng(1))

    def written(folder: Path) -> dict[str, str]:
        folder.mkdir()
        writer.write(folder, seen, *ids, np.random.default_rng(2))
        return checksums(folder)

    whole = written(tmp_path / "whole")
    monkeypatch.setattr(writer, size, block)
    assert written(tmp_path / "blocks") == whole


@pytest.mark.processes
@pytest.mark.costly
def test_bytes_depend_neither_on_the_process_nor_on_threads(
    small_twins: dict[str, TwinFolder], tmp_path: Path
) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from reproduction.config.reading import load_twins\n"
        "from reproduction.simulation.twins import write_twin\n"
        "from simulation.twin_folders import shrink\n"
        "specs = load_twins(Path(sys.argv[1]))\n"
        "for name in ('ml-1m', 'cm100k'):\n"
        "    write_twin(name, shrink(specs[name]), int(sys.argv[2]), Path(sys.argv[3]) / name)\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}",
        "PYTHONHASHSEED": "12345",
        "OMP_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
    }
    arguments = [str(ROOT / "config" / "twins.yaml"), str(ROOT_SEED), str(tmp_path)]
    subprocess.run([sys.executable, "-c", program, *arguments], env=environment, check=True)
    for dataset in ("ml-1m", "cm100k"):
        assert checksums(tmp_path / dataset) == checksums(small_twins[dataset].folder)


@pytest.mark.each("dataset", DATASETS)
def test_truth_holds_the_complete_relevance_with_raw_identifiers(
    small_twins: dict[str, TwinFolder], small_simulations: dict[str, Simulation], dataset: str
) -> None:
    simulation = small_simulations[dataset]
    with np.load(small_twins[dataset].folder / TRUTH_FILE) as truth:
        assert truth["relevance"].dtype == np.float32
        assert (truth["relevance"] == simulation.world.ratings()).all()
        assert (truth["user_ids"] == simulation.user_ids).all()
        assert (truth["item_ids"] == simulation.item_ids).all()
        assert len(np.unique(truth["user_ids"])) == len(truth["user_ids"])
        assert len(np.unique(truth["item_ids"])) == len(truth["item_ids"])


NO_PERIOD = {"period": None, "sessions": None}


@pytest.mark.each(
    ("dataset", "changes", "message"),
    [
        ("trec-qrels", {}, r"no raw format .* twin of trec-qrels.*ml-1m"),
        ("ml-1m", {"repeated_share": 0.1}, "twin of ml-1m has a repeated_share of 0.1"),
        ("netflix", {"repeated_share": 0.1}, "twin of netflix has a repeated_share of 0.1"),
        ("yahoo-r3", {"repeated_share": 0.1}, "twin of yahoo-r3 has a repeated_share of 0.1"),
        ("cm100k", {"repeated_share": 0.1}, "twin of cm100k has a repeated_share of 0.1"),
        ("ml-1m", NO_PERIOD, "MovieLens ratings have timestamps. Give the synthetic twin a period"),
        ("netflix", NO_PERIOD, "Netflix ratings have dates. Give the synthetic twin a period"),
        ("beeradvocate", NO_PERIOD, "Beer reviews have times. Give the synthetic twin a period"),
        ("yahoo-r3", {"random_sample": None}, "Give the synthetic twin a random_sample"),
        ("cm100k", {"random_sample": None}, "Give the synthetic twin a random_sample"),
    ],
)
def test_what_a_raw_format_cannot_hold_is_refused(
    small_specs: dict[str, TwinSpec],
    tmp_path: Path,
    dataset: str,
    changes: dict[str, object],
    message: str,
) -> None:
    spec = small_specs.get(dataset, small_specs["ml-1m"]).model_copy(update=changes)
    with pytest.raises(ValueError, match=message):
        write_twin(dataset, spec, 1, tmp_path)
    assert not list(tmp_path.iterdir())
