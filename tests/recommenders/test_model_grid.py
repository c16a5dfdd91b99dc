# SPDX-License-Identifier: MIT
"""Settings that share work: to the last bit what each becomes, and scores, alone."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from recommenders.matrices import generated_matrix
from recommenders.promises import SEED
from recommenders.systems import SYSTEMS
from scipy.sparse import csr_array

from receval.protocols.evaluation import rank_judged, rank_judged_together
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender, make
from receval.recommenders.model_grid import ModelGrid, model_grids
from receval.recommenders.non_personalised import OptimalRanking
from receval.splits.split import Fold, Judgments

# Settings of every class that shares work, in an order in which nothing grows or falls.
GRIDS: dict[str, list[dict[str, list[Any]]]] = {
    "biased_mf:BiasedMF": [
        {"factors": [5], "epochs": [4, 9, 1], "regularisation": [0.1, 0.02]},
        {"factors": [1, 5], "epochs": [4, 2], "initial_deviation": [0.3], "decay": [0.9, 1.0]},
    ],
    "bprmf:BPRMF": [
        {"factors": [5, 3], "epochs": [4, 9, 1], "user_regularisation": [0.1, 0.02]},
        {"factors": [5, 1], "initial_deviation": [0.3], "epochs": [2, 4]},
    ],
    "centred_item_neighbourhood:CentredItemNeighbourhood": [
        {
            "neighbours": [5, 200, 1, 12, 16],
            "cosine": ["full", "common"],
            "shrinkage": [0.0, 2.0],
            "user_regularisation": [0.0, 10.0],
        },
        {"neighbours": [3, 8], "baseline": ["item", "global"]},
    ],
    "centred_neighbourhood:CentredNeighbourhood": [
        {"neighbours": [5, 200, 1], "shrinkage": [0.0, 2.0], "user_regularisation": [0.0, 10.0]}
    ],
    "hitting_time:HittingTime": [{"steps": [4, 15], "nearest_items": [20, None, 30, 5]}],
    "language_model_neighbourhood:LanguageModelNeighbourhood": [
        {"over": ["users", "items"], "neighbours": [10, 200, 3], "strength": [0.5, 0.9]}
    ],
    "plsa:PLSA": [
        {"topics": [4, 1], "iterations": [6, 15, 1]},
        {"topics": [3], "iterations": [5, 2], "librec_seed": [1, 2]},
    ],
    "relevance_model:RelevanceModel": [
        {"model": ["rm1", "rm2"], "neighbours": [10, 200, 3], "strength": [0.5, 0.01]}
    ],
    "rocchio:Rocchio": [
        {
            "weighting": ["kld", "rw", "chi2", "rsv"],
            "neighbours": [10, 200, 3],
            "length_normalised": [True, False],
        }
    ],
    "slim:SLIM": [{"neighbours": [5, 12, None], "l2": [50.0, 5.0], "l1": [1.0, 8.0]}],
    "user_item_relevance:UserItemRelevance": [{"smoothing": [0.9, 0.5, 1.0]}],
}


def settings_of(class_path: str) -> list[dict[str, Any]]:
    return [
        dict(zip(grid, values, strict=True))
        for grid in GRIDS[class_path]
        for values in product(*grid.values())
    ]


def made(class_path: str) -> list[Recommender]:
    full = f"receval.recommenders.{class_path}"
    return [make(full, setting, SEED) for setting in settings_of(class_path)]


def bytes_of(model: Recommender, folder: Path) -> bytes:
    model.save(folder / "model.npz")
    return (folder / "model.npz").read_bytes()


@pytest.mark.costly
@pytest.mark.parametrize("class_path", GRIDS)
def test_settings_become_and_score_together_what_they_do_alone(
    class_path: str, tmp_path: Path
) -> None:
    train = generated_matrix()
    users = np.random.default_rng(3).permutation(60)
    together, alone = made(class_path), made(class_path)
    grouped = model_grids(together)
    assert sorted(position for group in grouped for position in group) == [*range(len(alone))]
    assert len(grouped) < len(alone)
    for group in grouped:
        family = ModelGrid([together[position] for position in group]).fit(train)
        scores = family.score(users)
        for position, own in zip(group, scores, strict=True):
            expected = alone[position].fit(train)
            assert own.tobytes() == expected.score(users).tobytes(), expected.parameters
            assert bytes_of(together[position], tmp_path) == bytes_of(expected, tmp_path)
            # Nor does it need its family any more.
            assert together[position].score(users).tobytes() == own.tobytes()


NEIGHBOURHOODS = [name for name, grids in GRIDS.items() if "neighbours" in grids[0]]


@pytest.mark.parametrize("class_path", [name for name in NEIGHBOURHOODS if "slim" not in name])
@tries(10)
@given(
    numbers=st.lists(st.integers(1, 9), min_size=1, max_size=4, unique=True),
    seed=st.integers(0, 10_000),
    alike=st.booleans(),
)
def test_any_numbers_of_neighbours_score_together_what_each_does_alone(
    class_path: str, numbers: list[int], seed: int, alike: bool
) -> None:
    # Where a user rates all items alike, every item is similar to all of a profile.
    generator = np.random.default_rng(seed)
    rated = generator.random((12, 9)) < 0.5
    rated[0, 0] = True
    train = csr_array((rated * generator.integers(1, 6, (12, 1 if alike else 9))).astype("f4"))
    full = f"receval.recommenders.{class_path}"
    family = ModelGrid([make(full, {"neighbours": number}, SEED) for number in numbers]).fit(train)
    for number, scores in zip(numbers, family.score(np.arange(12)), strict=True):
        alone = make(full, {"neighbours": number}, SEED).fit(train)
        assert scores.tobytes() == alone.score(np.arange(12)).tobytes()


def test_every_class_that_shares_work_has_a_grid_here() -> None:
    sharing = {system.class_path for system in SYSTEMS if type(system.make()).SHARED_OVER}
    assert sharing == set(GRIDS)
    for class_path in sharing:
        first, *_ = made(class_path)
        assert set(type(first).SHARED_OVER) <= set(first.parameters)


def test_settings_are_ranked_together_as_they_are_alone() -> None:
    train = generated_matrix()
    rated = train.toarray() != 0
    users, items = np.nonzero(~rated)
    data = Fold(train, Judgments.from_pairs(users, items, np.ones(len(users)), n_users=60))
    protocols = [Protocol(), Protocol(candidates="train")]
    models = [make("receval.recommenders.plsa:PLSA", {"iterations": n}, SEED) for n in (3, 9)]
    found = rank_judged_together(
        ModelGrid(models).fit(train), data, protocols, lambda *names: np.random.default_rng(7)
    )
    for model, outcomes in zip(models, found, strict=True):
        expected = rank_judged(model, data, protocols, lambda *names: np.random.default_rng(7))
        for one, other in zip(outcomes, expected, strict=True):
            np.testing.assert_array_equal(one.ranks, other.ranks)
            np.testing.assert_array_equal(one.lengths, other.lengths)
            np.testing.assert_array_equal(one.candidates, other.candidates)


def test_what_cannot_be_trained_together_is_refused() -> None:
    plsa = [make("receval.recommenders.plsa:PLSA", {"topics": n}, SEED) for n in (2, 3)]
    for models in (plsa, [], [OptimalRanking(knowledge="judged")]):
        with pytest.raises(ValueError, match="A family must consist of at least one recommender"):
            ModelGrid(models)


def test_a_family_refuses_what_one_of_it_refuses() -> None:
    models = [make("receval.recommenders.biased_mf:BiasedMF", {"epochs": n}, SEED) for n in (1, 2)]
    nothing = csr_array((60, 45), dtype=np.float32)
    with pytest.raises(ValueError, match="without any rating"):
        ModelGrid(models).fit(nothing)
