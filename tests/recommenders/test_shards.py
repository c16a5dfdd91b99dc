# SPDX-License-Identifier: MIT
"""Users divided into shards, and the judged ranks of systems that are ranked shard by shard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared_files import table_in
from hypothesis import given
from hypothesis import strategies as st

from receval.data.ratings import Ratings
from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, TRAIN, UNBIASED, Split
from receval.storage.files import DamagedFileError
from reproduction.workflow.jobs.systems import (
    folds_and_users,
    join_shards,
    rank_shard,
    rank_system,
    train_system,
    user_shards,
)

NAMES = ("twin", "folds", "system")
KNN = "receval.recommenders.knn:UserKNN"
PURESVD = "receval.recommenders.puresvd:PureSVD"
WRMF = "receval.recommenders.wrmf:WRMF"
ORACLE = "receval.recommenders.non_personalised:OptimalRanking"
PROTOCOLS = [
    Protocol(),
    Protocol("1R", "TI", 3, 4.0),
    Protocol("AR", "AI", 4, 4.0, non_computable="random"),
    Protocol("1R", "TI", 2, 4.0, percentiles=2),
]

counts = st.lists(st.integers(0, 50), min_size=1, max_size=40)


@given(counts, st.integers(1, 40))
def test_shards_are_all_users_in_their_order_at_least_one_a_shard(
    ratings: list[int], n_shards: int
) -> None:
    n_shards = min(n_shards, len(ratings))
    shards = user_shards(ratings, n_shards)
    assert len(shards) == n_shards
    assert all(len(shard) for shard in shards)
    assert [user for shard in shards for user in shard] == list(range(len(ratings)))


@given(counts, st.integers(1, 8))
def test_no_shard_costs_more_than_its_part_and_one_user(ratings: list[int], n_shards: int) -> None:
    n_shards = min(n_shards, len(ratings))
    total = max(1, sum(ratings))
    costs = [1 / len(ratings) + number / total for number in ratings]
    for shard in user_shards(ratings, n_shards):
        if len(shard) > 1:
            allowed = sum(costs) / n_shards + max(costs)
            assert sum(costs[user] for user in shard) <= allowed + 1e-9


@pytest.mark.each(
    ("ratings", "expected"),
    [
        ([3, 3, 3, 3], [2, 2]),
        ([9, 1, 1, 1, 1, 1, 1, 1], [3, 5]),
        ([0, 0, 0], [2, 1]),
        ([1, 1, 1, 90], [3, 1]),
        ([90, 1, 1, 1], [1, 3]),
    ],
)
def test_half_of_the_cost_is_of_users_and_half_of_their_ratings(
    ratings: list[int], expected: list[int]
) -> None:
    assert [len(shard) for shard in user_shards(ratings, 2)] == expected


def test_more_shards_than_users_are_refused() -> None:
    with pytest.raises(ValueError, match="3 users cannot be divided into 4 shards"):
        user_shards([1, 2, 3], 4)


def test_more_shards_than_users_of_all_folds_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"9 folds of 2 users cannot be divided into 27 shards\. Use at most 18"
    ):
        folds_and_users(9, [1, 2], (1, 27))
    assert folds_and_users(9, [1, 2], (18, 18)) == [(8, range(1, 2))]


@given(counts, st.integers(1, 9), st.integers(1, 40))
def test_shards_are_all_folds_of_all_users_once(
    ratings: list[int], n_folds: int, n_shards: int
) -> None:
    n_shards = min(n_shards, n_folds * len(ratings))
    shards = [folds_and_users(n_folds, ratings, (n, n_shards)) for n in range(1, n_shards + 1)]
    assert all(shards)
    of_folds: dict[int, list[int]] = {}
    for shard in shards:
        for number, users in shard:
            of_folds.setdefault(number, []).extend(users)
    assert of_folds == {number: list(range(len(ratings))) for number in range(n_folds)}


@given(st.integers(1, 9), st.integers(1, 40))
def test_folds_are_shared_out_evenly_and_before_users(n_folds: int, n_shards: int) -> None:
    shards = [folds_and_users(n_folds, [1] * 50, (n, n_shards)) for n in range(1, n_shards + 1)]
    if n_shards <= n_folds:
        assert {users for shard in shards for _, users in shard} == {range(50)}
        assert max(map(len, shards)) - min(map(len, shards)) <= 1
    else:
        parts = [sum(shard[0][0] == number for shard in shards) for number in range(n_folds)]
        assert parts == sorted(parts)
        assert parts[-1] - parts[0] <= 1


# --- jobs -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ratings of 30 users and 20 items in two folds, of which the second has unbiased ones."""
    folder = tmp_path_factory.mktemp("prepared")
    generator = np.random.default_rng(1)
    pairs = np.flatnonzero(generator.random(600) < 0.4)
    ratings = Ratings(
        users=(pairs // 20).astype(np.int32),
        items=(pairs % 20).astype(np.int32),
        values=generator.integers(1, 6, len(pairs)).astype(np.float32),
        user_ids=np.array([f"u{number:02}" for number in range(30)]),
        item_ids=np.array([f"i{number:02}" for number in range(20)]),
    )
    ratings.write(folder)
    uses = np.array([TRAIN, TRAIN, TEST, UNBIASED], dtype=np.uint8)
    first, second = (uses[generator.integers(0, n, len(pairs))] for n in (3, 4))
    Split((first, second)).write(folder / "split.npz")
    return folder


def given_to(folder: Path, recommender: str, parameters: dict[str, Any]) -> dict[str, Any]:
    read = {"ratings": table_in(folder), "split": folder / "split.npz"}
    return {**read, "recommender": recommender, "parameters": parameters}


WHOLE_FOLDS = [
    (PURESVD, {"factors": 3}, {}),
    (WRMF, {"factors": 3, "iterations": 2}, {}),
    # The order of users and items differs by fold, and an oracle's test ratings are the unbiased
    # ones of the second alone.
    (WRMF, {"factors": 3, "iterations": 2}, {"order": "appearance"}),
    (ORACLE, {"knowledge": "test"}, {"grades_from": 4.0}),
    (WRMF, {"factors": 3, "iterations": 2, "weights": "rating"}, {"events": True}),
]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("recommender", "parameters", "fitted_by_shard"),
    [(KNN, {"neighbours": 4}, True), (KNN, {}, False), (PURESVD, {"factors": 3}, False)],
)
def test_joined_ranks_of_shards_have_the_bytes_of_one_job(
    prepared: Path,
    tmp_path: Path,
    recommender: str,
    parameters: dict[str, Any],
    fitted_by_shard: bool,
) -> None:
    common = given_to(prepared, recommender, parameters)
    whole = ranked_by_one_job(common, tmp_path)
    for number in (1, 2, 3, 8):
        assert ranked_by_shards(common, tmp_path, fitted_by_shard, number) == whole


@pytest.mark.costly
@pytest.mark.parametrize(("recommender", "parameters", "learning"), WHOLE_FOLDS)
def test_shards_that_train_whole_folds_have_the_bytes_of_one_job(
    prepared: Path,
    tmp_path: Path,
    recommender: str,
    parameters: dict[str, Any],
    learning: dict[str, Any],
) -> None:
    common = given_to(prepared, recommender, parameters) | learning
    whole = ranked_by_one_job(common, tmp_path)
    for number in (1, 2):
        assert ranked_by_shards(common, tmp_path, True, number) == whole


@pytest.mark.parametrize(
    "learning", [{"order": "appearance"}, {"grades_from": 4.0}, {"events": True}]
)
@pytest.mark.costly
def test_what_a_system_learns_from_changes_the_ranks_of_its_shards(
    prepared: Path, tmp_path: Path, learning: dict[str, Any]
) -> None:
    common = given_to(prepared, WRMF, {"factors": 3, "iterations": 2, "weights": "rating"})
    plain = ranked_by_shards(common, tmp_path, True, 2)
    assert ranked_by_shards(common | learning, tmp_path, True, 2) != plain


def ranked_by_one_job(common: dict[str, Any], folder: Path) -> bytes:
    """Train the models, rank by them, and return the bytes of the ranks."""
    models, whole = folder / "models", folder / "system" / "ranks.npz"
    protocols = [vars(protocol) for protocol in PROTOCOLS]
    train_system(**common, models=models, seed=7, names=NAMES)
    ranking = {name: common[name] for name in ("ratings", "split", "recommender")}
    rank_system(**ranking, models=models, ranks=whole, protocols=protocols, seed=8, names=NAMES[:2])
    return whole.read_bytes()


def ranked_by_shards(
    common: dict[str, Any], folder: Path, fitted_by_shard: bool, n_shards: int
) -> bytes:
    """Return the bytes of the ranks joined of shards, which fit models or read those there are."""
    models, protocols = folder / "models", [vars(protocol) for protocol in PROTOCOLS]
    shards = [folder / f"{number}.npz" for number in range(1, n_shards + 1)]
    for number, ranks in enumerate(shards, 1):
        rank_shard(
            **common,
            models=() if fitted_by_shard else (models,),
            ranks=ranks,
            protocols=protocols,
            system_seed=7,
            candidate_seed=8,
            names=NAMES,
            shard=(number, n_shards),
        )
    join_shards(shards=shards, ranks=folder / "joined.npz")
    return (folder / "joined.npz").read_bytes()


def test_a_shard_is_refused_whose_models_are_of_another_dataset(
    prepared: Path, tmp_path: Path
) -> None:
    small = Ratings(
        users=np.array([0, 1], dtype=np.int32),
        items=np.array([0, 0], dtype=np.int32),
        values=np.array([5, 4], dtype=np.float32),
        user_ids=np.array(["a", "b"]),
        item_ids=np.array(["x"]),
    )
    small.write(tmp_path)
    Split((np.array([TRAIN, TRAIN], dtype=np.uint8),)).write(tmp_path / "split.npz")
    models = tmp_path / "models"
    train_system(**given_to(tmp_path, KNN, {}), models=models, seed=7, names=NAMES)
    with pytest.raises(DamagedFileError, match="it was trained on 2 users and 1 items"):
        rank_shard(
            **given_to(prepared, KNN, {}),
            models=(models,),
            ranks=tmp_path / "1.npz",
            protocols=[vars(Protocol())],
            system_seed=7,
            candidate_seed=8,
            names=NAMES,
            shard=(1, 2),
        )
