# SPDX-License-Identifier: MIT
"""Deviations over the seeds of the split, on few interactions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from studies.prepared import display_of, generated_ratings, inputs_of, ratings_of, saved

from receval.figures.tables import to_markdown
from receval.storage.files import write_results
from receval.top_lists import NO_ITEM, TopLists
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.wegmeth2023 import seed_effects, split_seeds

STUDY = "wegmeth2023"
SETTINGS = {"neighbours": 3, "factors": 2, "iterations": 2, "alpha": 40, "regularisation": 0.1}
DATA = {"ml-1m": 2}
BOUNDS = {"hold_out_bound": 6.35, "cross_bound": 2.35}


RELEASED = json.loads((Path(__file__).parent / "fixtures" / "wegmeth2023.json").read_text("utf-8"))


@pytest.mark.parametrize("cutoff", sorted(RELEASED["values"]))
def test_values_of_lists_are_those_of_the_released_code(cutoff: str) -> None:
    tested, listed = RELEASED["tested"], RELEASED["lists"]
    test = np.zeros((len(tested), 12), dtype=np.float32)
    for user, own in enumerate(tested):
        test[user, own] = 1
    items = np.array([[*own, *[NO_ITEM] * 10][:10] for own in listed], dtype=np.int32)
    lists = TopLists(np.arange(len(tested)), items, np.ones(items.shape))
    hits = split_seeds.hits_of(lists, csr_array(test))
    values = split_seeds.precision_and_ndcg(hits, lists.lengths, int(cutoff))
    released = RELEASED["values"][cutoff]
    assert values["P"].mean() == pytest.approx(released["precision"], abs=1e-12)
    assert values["nDCG"].mean() == pytest.approx(released["ndcg"], abs=1e-12)


def test_missing_items_of_the_last_user_are_no_hits() -> None:
    # User 1's missing item would be item 2 of user 0, if codes alone were compared.
    lists = TopLists(np.array([1]), np.array([[NO_ITEM]], dtype=np.int32), np.ones((1, 1)))
    test = csr_array(np.array([[0, 0, 1], [0, 0, 0]], dtype=np.float32))
    assert not split_seeds.hits_of(lists, test).any()


def test_interactions_are_a_core_of_the_positive_ratings_that_users_chose() -> None:
    # Five users with the same five items; user 5 has one item of them, and item 5 is disliked.
    pairs = [(user, item, 4.0) for user in range(5) for item in range(5)]
    rows = [*pairs, (5, 0, 5.0), (0, 5, 1.0)]
    left = split_seeds.interactions(ratings_of(rows, 6, 6), 4)
    assert (len(left), left.n_users, left.n_items) == (25, 5, 5)
    assert set(left.values) == {1.0}
    with pytest.raises(ValueError, match="leaves none"):
        split_seeds.interactions(ratings_of(rows, 6, 6, known=[False, *[True] * 26]), 4)


def test_every_interaction_tests_once_and_seeds_differ() -> None:
    one, other = (split_seeds.fold_numbers(23, 5, 7, "ml-1m", seed) for seed in (0, 1))
    assert np.bincount(one).tolist() == [5, 5, 5, 4, 4]
    assert (one != other).any()
    assert (one == split_seeds.fold_numbers(23, 5, 7, "ml-1m", 0)).all()


def test_train_and_test_divide_the_interactions() -> None:
    played = split_seeds.interactions(generated_ratings(), 1)
    fold_of = split_seeds.fold_numbers(len(played), 4, 7, "ml-1m", 0)
    train, test = split_seeds.train_and_test(played, fold_of, 2)
    assert test.sum() == (fold_of == 2).sum()
    assert (train + test).sum() == len(played)
    assert (train + test).max() == 1


def test_spreads_by_hand() -> None:
    # Two seeds and two folds; the second fold is always the first one mirrored at .2.
    values = np.array([[0.1, 0.3], [0.3, 0.1]])
    # Each fold has the variance .02 over the seeds: a deviation of .1414 of a mean of .2.
    assert split_seeds.spread_of_one(values) == pytest.approx(70.7107, abs=1e-3)
    assert split_seeds.spread_of_means(values) == pytest.approx(0, abs=1e-12)
    assert split_seeds.largest(values[:, 0]) == pytest.approx(50)


def seeds_table(values: dict[str, list[list[float]]]) -> pd.DataFrame:
    """Return rows of split_seeds from values by system, seed and fold, for P@1 alone."""
    rows = [
        ("ml-1m", "split", system, seed, fold, "P", 1, value, 0.01, 50)
        for system, table in values.items()
        for seed, folds in enumerate(table)
        for fold, value in enumerate(folds)
    ]
    columns = ["dataset", "varied", "system", "seed", "fold", "metric", "cutoff", "value", "error"]
    return pd.DataFrame(rows, columns=[*columns, "users"])


def summed_up(
    data: Callable[[ArtifactInputs], pd.DataFrame],
    results: pd.DataFrame,
    folder: Path,
    **parameters: object,
) -> pd.DataFrame:
    """Return the results of an artifact that sums up those of split_seeds."""
    path = folder / "split_seeds.csv"
    write_results(results, path)
    inputs = inputs_of(folder, results={"split_seeds": path}, **parameters)
    return data(inputs)


def test_deviations_by_hand(tmp_path: Path) -> None:
    results = seeds_table({"pop": [[0.2, 0.2], [0.3, 0.1], [0.4, 0.0]]})
    (row,) = summed_up(split_seeds.data, results, tmp_path, draws=4, **BOUNDS).to_dict("records")
    # First folds are .2, .3 and .4, a third of .3 apart; all means over folds are .2.
    assert row["hold_out_largest"] == pytest.approx(100 / 3)
    assert row["cross_largest"] == pytest.approx(0, abs=1e-9)
    assert row["interval"] == pytest.approx(1.96 * 0.01 / 0.2 * 100)
    # First folds deviate by a third, second folds by all of their mean, both beyond 9.8 %, at two
    # of the three seeds.
    assert row["outside"] == pytest.approx(400 / 6)
    assert (row["cross_within"], row["seeds"]) == (3, 3)
    assert row["drawn_lowest"] <= row["drawn_highest"]
    assert np.isnan(row["training_largest"])


def test_shares_of_drawn_folds_and_seeds_by_hand(tmp_path: Path) -> None:
    # The folds of the second seed differ: half of the draws have .2 and .2, within the bound, and
    # half .2 and .3, 20 % off. By cross-validation .2 and .25 are 11 % off.
    first = seeds_table({"pop": [[0.2, 0.2], [0.2, 0.3]]})
    # At k = 5 a tenth of this deviates. Half of the draws of two seeds have one seed twice, and
    # nothing that could fall.
    fifth = first.assign(cutoff=5, value=0.18 + 0.1 * first["value"])
    results = pd.concat([first, fifth])
    table = summed_up(split_seeds.data, results, tmp_path, draws=10_000, **BOUNDS)
    one, five = table.to_dict("records")
    assert one["drawn_within"] == pytest.approx(0.5, abs=0.02)
    assert one["smaller"] == pytest.approx(0.5, abs=0.02)
    assert five["drawn_within"] == 1
    assert np.isnan(one["cross_sd_down"])
    for column in ("hold_out_sd_down", "cross_sd_down", "cross_largest_down"):
        assert five[column] == pytest.approx(0.5, abs=0.02), column
    # First folds do not deviate at any cut-off.
    assert five["hold_out_largest_down"] == 0


def test_pairs_of_systems_by_hand(tmp_path: Path) -> None:
    results = seeds_table({"pop": [[0.2, 0.4], [0.1, 0.5]], "als": [[0.25, 0.2], [0.05, 0.3]]})
    table = summed_up(seed_effects.data_orders, results, tmp_path).set_index("scheme")
    held, crossed = table.loc["hold-out"], table.loc["cross-validation"]
    # Pop has a mean of .3 and ALS one of .2. By first folds ALS is ahead with the seed 0, and with
    # its seed 0 against the seed 1 of Pop; its means are behind all of Pop's.
    assert (held["ahead"], held["behind"]) == ("pop", "als")
    assert held["difference"] == pytest.approx(100 / 3)
    assert (held["same_seed"], held["other_seeds"], held["possible"]) == (50, 50, 1)
    assert (crossed["same_seed"], crossed["other_seeds"], crossed["possible"]) == (0, 0, 0)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    inputs = inputs_of(
        tmp_path_factory.mktemp("data"),
        {"ml-1m": generated_ratings()},
        seeds=3,
        folds=2,
        **SETTINGS,
        **DATA,
    )
    return split_seeds.data(inputs)


@pytest.mark.costly
def test_precision_and_ndcg_at_one_are_the_same(results: pd.DataFrame) -> None:
    first = results[results["cutoff"] == 1]
    values = [first[first["metric"] == name]["value"].to_numpy() for name in ("P", "nDCG")]
    np.testing.assert_array_equal(*values)


@pytest.mark.costly
def test_seeds_of_the_training_alone_move_als_on_one_split(results: pd.DataFrame) -> None:
    retrained = results[results["varied"] == "training"]
    assert set(retrained["system"]) == {"als"}
    assert len(retrained) == 3 * 6
    assert len(set(retrained[retrained["cutoff"] == 10]["value"])) > 1


@pytest.mark.costly
def test_tables(results: pd.DataFrame, tmp_path: Path) -> None:
    table = summed_up(split_seeds.data, results, tmp_path, draws=2, **BOUNDS)
    text = to_markdown(
        split_seeds.tabulate(saved(table, tmp_path), display_of(STUDY, "seed_deviations"))
    )
    assert "| nDCG@1 " not in text
    assert text.count("ML-1M twin") == 15
    pairs = summed_up(seed_effects.data_orders, results, tmp_path)
    text = to_markdown(
        seed_effects.tabulate_orders(saved(pairs, tmp_path), display_of(STUDY, "seed_orders"))
    )
    assert text.count("ML-1M twin") == 9


@pytest.mark.costly
def test_as_many_hold_outs_as_folds_have_less_spread_by_the_root(tmp_path: Path) -> None:
    inputs = inputs_of(
        tmp_path, {"cm100k": generated_ratings()}, seeds=3, folds=[2, 4], **SETTINGS, cm100k=2
    )
    table = seed_effects.data_by_folds(inputs)
    assert table.groupby("folds").size().to_dict() == {2: 18, 4: 18}
    np.testing.assert_allclose(
        table["repeated_sd"] ** 2 * table["folds"], table["hold_out_sd"] ** 2
    )
    text = to_markdown(
        seed_effects.tabulate_by_folds(
            saved(table, tmp_path), display_of(STUDY, "numbers_of_folds")
        )
    )
    assert text.count("CM100k twin") == 18
