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
from reproduction.simulation.complete_judgments import relevance_of_twin
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
        variant = registry[dataset].variant_of(names)
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
    for name in ("timestamps", "known"):
        told, parsed = getattr(seen, name), getattr(ratings, name)
        assert (told is None) == (parsed is None)
        if told is not None:
            by_day = name == "timestamps" and dataset in DAYS
            expected.append(told[rows] // DAY * DAY if by_day else told[rows])
            found.append(parsed)
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
@pytest.mark.costly
def test_truth_gives_every_parsed_rating_by_its_raw_identifiers(
    prepared: dict[str, tuple[Ratings, dict[str, object]]],
    small_twins: dict[str, TwinFolder],
    dataset: str,
) -> None:
    ratings, _ = prepared[dataset]
    relevance = relevance_of_twin(small_twins[dataset].folder / "truth.npz", ratings)
    assert relevance.shape == (ratings.n_users, ratings.n_items)
    assert (relevance[ratings.users, ratings.items] == ratings.values).all()
