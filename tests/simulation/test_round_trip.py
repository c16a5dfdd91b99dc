# SPDX-License-Identifier: MIT
"""The twins travel the ordinary path: parser, counts, canonical table."""

from __future__ import annotations

import numpy as np
import pytest
from simulation.twin_folders import ROOT, TwinFolder

from receval.data.ratings import Ratings
from reproduction.config.reading import load_datasets
from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import RawFile, RawFiles
from reproduction.datasets.spec import DatasetSpec, ExpectedCounts
from reproduction.simulation.observation import DAY
from reproduction.simulation.spec import WRITERS
from reproduction.simulation.twins import Simulation, parsed_rows

DATASETS = [*WRITERS]
DAYS = {"netflix"}
"""Datasets whose raw files have dates alone."""


@pytest.fixture(scope="module")
def registry() -> dict[str, DatasetSpec]:
    return load_datasets(ROOT / "config" / "datasets.yaml")


@pytest.fixture(scope="module")
def prepared(
    registry: dict[str, DatasetSpec],
    small_twins: dict[str, TwinFolder],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[Ratings, dict[str, object]]]:
    base = tmp_path_factory.mktemp("prepared")
    results = {}
    for dataset in DATASETS:
        twin = small_twins[dataset]
        names = [*twin.written["files"]]
        variant = next(
            variant
            for variant in registry[dataset].variants
            if [file.name for file in variant.files] == names
        )
        raw = RawFiles(
            dataset=dataset,
            variant=variant.name,
            parser=variant.parser,
            files=tuple(RawFile.of(twin.folder / name) for name in names),
            source="twin",
            expected=ExpectedCounts(**twin.written["expected"]),
        )
        summary = prepare(raw, registry[dataset], base / dataset)
        results[dataset] = Ratings.read(base / dataset), summary
    return results


def sorted_rows(
    users: np.ndarray, items: np.ndarray, *columns: np.ndarray
) -> list[tuple[object, ...]]:
    return sorted(zip(users.tolist(), items.tolist(), *(c.tolist() for c in columns), strict=True))


@pytest.mark.costly
@pytest.mark.parametrize("dataset", DATASETS)
def test_every_rating_comes_back_through_the_parser(
    prepared: dict[str, tuple[Ratings, dict[str, object]]],
    small_simulations: dict[str, Simulation],
    dataset: str,
) -> None:
    ratings, summary = prepared[dataset]
    assert summary["counts_checked"]
    simulation = small_simulations[dataset]
    seen, rows = simulation.observation, parsed_rows(simulation.observation)
    expected = [seen.values[rows]]
    found = [ratings.values.astype(np.float32)]
    if seen.timestamps is not None:
        times = seen.timestamps[rows]
        expected.append(times // DAY * DAY if dataset in DAYS else times)
        found.append(ratings.timestamps)
    else:
        assert ratings.timestamps is None
    if seen.known is not None:
        expected.append(seen.known[rows])
        found.append(ratings.known)
    else:
        assert ratings.known is None
    assert sorted_rows(
        ratings.user_ids[ratings.users], ratings.item_ids[ratings.items], *found
    ) == sorted_rows(
        simulation.user_ids[seen.users[rows]], simulation.item_ids[seen.items[rows]], *expected
    )


@pytest.mark.costly
def test_collapsed_and_dropped_rows_are_those_that_the_twin_added(
    prepared: dict[str, tuple[Ratings, dict[str, object]]],
    small_simulations: dict[str, Simulation],
) -> None:
    beer, books, songs = (
        prepared[dataset][1] for dataset in ("beeradvocate", "librarything", "yahoo-r3")
    )
    repeated = small_simulations["beeradvocate"].observation.repeated
    assert beer["repeats_collapsed"] == repeated.sum() > 0
    notes = books["notes"]
    extra = notes["distinct (user, work, rating) triples"] - notes["distinct (user, work) pairs"]
    assert extra == small_simulations["librarything"].observation.repeated.sum() > 0
    seen = small_simulations["yahoo-r3"].observation
    dropped = len(seen) - len(parsed_rows(seen))
    assert songs["dropped"] == {"train ratings of users without test ratings": dropped}
    assert dropped > 0


@pytest.mark.parametrize("dataset", ["ml-1m", "yahoo-r3", "cm100k", "beeradvocate"])
def test_truth_gives_every_parsed_rating_by_its_raw_identifiers(
    prepared: dict[str, tuple[Ratings, dict[str, object]]],
    small_twins: dict[str, TwinFolder],
    dataset: str,
) -> None:
    ratings, _ = prepared[dataset]
    with np.load(small_twins[dataset].folder / "truth.npz") as truth:
        row = {identifier: i for i, identifier in enumerate(truth["user_ids"].tolist())}
        column = {identifier: i for i, identifier in enumerate(truth["item_ids"].tolist())}
        rows = np.array([row[identifier] for identifier in ratings.user_ids.tolist()])
        columns = np.array([column[identifier] for identifier in ratings.item_ids.tolist()])
        relevance = truth["relevance"]
    assert (relevance[rows[ratings.users], columns[ratings.items]] == ratings.values).all()
