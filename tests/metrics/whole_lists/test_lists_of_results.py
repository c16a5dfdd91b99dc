# SPDX-License-Identifier: MIT
"""Results keep lists, measure them, and write them as runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import receval as rv

TABLE = {
    "user": list("aaaabbbbcccc"),
    "item": list("wxyzwxyzwxyz"),
    "rating": [5, 4, 3, 2, 1, 5, 4, 4, 2, 3, 5, 1],
}


def _result(**options: object) -> rv.EvaluationResult:
    halves = rv.split(rv.read_ratings(TABLE), "user-ratio", train_ratio=0.5, seed=1)
    systems = {"Pop": rv.Popularity(), "Random": rv.Random(seed=2)}
    return rv.evaluate(halves, systems, relevant=3, **options)


def test_kept_lists_hold_no_training_items_and_are_in_the_order_of_the_scores() -> None:
    halves = rv.split(rv.read_ratings(TABLE), "user-ratio", train_ratio=0.5, seed=1)
    (fold,) = halves.folds()

    lists = rv.evaluate(halves, {"Pop": rv.Popularity()}, relevant=3, lists=2).lists()

    assert lists.groupby("user").size().tolist() == [2, 2, 2]
    assert lists["rank"].tolist() == [1, 2] * 3
    assert (lists["score"].to_numpy().reshape(3, 2) @ [1, -1] >= 0).all()
    trained = {
        (halves.ratings.user_ids[user], halves.ratings.item_ids[item])
        for user, item in zip(*fold.train.nonzero(), strict=True)
    }
    assert not trained & set(zip(lists["user"], lists["item"], strict=True))


@pytest.mark.each(
    "parts", ["1R TI-AN", "1R TI-NN sampled=1", "AR TI-NN sampled=1", "P1R TI-AN percentiles=2"]
)
def test_lists_under_a_protocol_of_parts_are_those_of_all_its_candidates(parts: str) -> None:
    result = _result(protocols=["AR TI-AN", "AR AI-AN", parts], metrics="P@1", lists=3)
    lists, name = result.lists().set_index("protocol"), list(result.values)[2]

    pd.testing.assert_frame_equal(
        lists.loc[name].reset_index(drop=True), lists.loc["AR TI-AN"].reset_index(drop=True)
    )
    (note,) = (str(own) for own in result.notes if own.code == "lists-of-all-candidates")
    assert note.startswith(f"The kept lists under {name} are what systems recommend from all")


def test_lists_in_an_order_that_no_scores_give_are_refused() -> None:
    with pytest.raises(ValueError, match=r"lists=3 cannot be had under AR AI-AN, NC by random"):
        _result(protocols=rv.Protocol(non_computable="random"), lists=3)


def test_values_are_the_same_whether_lists_are_kept_or_not() -> None:
    rng = np.random.default_rng(3)
    pairs = rng.permutation(20 * 15)[:180]
    ratings = {"user": pairs // 15, "item": pairs % 15, "rating": rng.integers(1, 6, 180)}
    halves = rv.split(rv.read_ratings(ratings), "user-ratio", train_ratio=0.5, seed=1)
    systems = {"Pop": rv.Popularity(), "kNN": rv.ItemKNN(neighbours=3), "Random": rv.Random(seed=2)}
    options = {"relevant": 3, "metrics": ["nDCG@5", "AP"], "protocols": ["AR AI-AN", "AR TI-AN"]}

    kept = rv.evaluate(halves, systems, **options, lists=4)

    pd.testing.assert_frame_equal(
        kept.per_user(), rv.evaluate(halves, systems, **options).per_user()
    )
    assert kept.summary()["mean"].nunique() > len(systems)


def test_metrics_of_lists_stand_beside_metrics_of_ranks_with_intervals_and_tests() -> None:
    result = _result(metrics=["nDCG@2", "ItemCoverage@2", "Gini@2"])

    summary = result.summary().set_index(["metric", "system"])
    assert summary.loc[("ItemCoverage@2", "Pop"), "mean"] <= 1
    # Everything is recommended, so that coverage has no interval.
    assert summary.loc["ItemCoverage@2", "low"].isna().all()
    told = summary.drop("ItemCoverage@2", level="metric")
    assert (told["low"] <= told["mean"]).all()
    assert set(result.compare()["metric"]) == {"nDCG@2", "ItemCoverage@2", "Gini@2"}
    assert "Gini@2" in result.less_is_better
    with pytest.raises(ValueError, match="The result has no lists"):
        result.lists()


@pytest.mark.parametrize(
    ("form", "ending"),
    [
        ("trec", "run"),
        ("ranx", "run"),
        ("table", "tsv"),
        ("json", "json"),
        ("parquet", "parquet"),
        ("recbole", "inter"),
        ("elliot", "tsv"),
    ],
)
def test_written_runs_give_the_same_values(form: str, ending: str, tmp_path: Path) -> None:
    metrics = ["nDCG@2", "ItemCoverage@2", "Gini@2"]
    trained = _result(metrics=metrics, lists=4)
    files = trained.write_runs(tmp_path / "new", form)
    halves = rv.split(rv.read_ratings(TABLE), "user-ratio", train_ratio=0.5, seed=1)
    (fold,) = halves.folds()
    test = pd.DataFrame(
        {
            "user": halves.ratings.user_ids[fold.test.users],
            "item": halves.ratings.item_ids[fold.test.items],
            "rating": fold.test.values,
        }
    )

    again = rv.evaluate_runs(
        test,
        {path.stem: path for path in files},
        metrics=metrics,
        relevant=3,
        ties="listed",
        depth="whole",
        lists=4,
    )

    assert [path.name for path in files] == [f"Pop.{ending}", f"Random.{ending}"]
    np.testing.assert_allclose(again.summary()["mean"], trained.summary()["mean"], rtol=1e-12)
    assert again.lists()["item"].tolist() == trained.lists()["item"].tolist()


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("recbole", ["user_id:token\titem_id:token\tscore:float", "a\ty\t2", "a\tz\t1"]),
        ("elliot", ["a\ty\t2", "a\tz\t1"]),
    ],
)
def test_files_have_the_columns_that_the_tools_read(
    form: str, lines: list[str], tmp_path: Path
) -> None:
    test = {"user": ["a"], "item": ["y"], "rating": [1]}
    result = rv.evaluate_runs(test, {"mine": {"a": {"y": 2.0, "z": 1.0}}}, metrics="RR", lists=5)

    (path,) = result.write_runs(tmp_path, form)

    assert path.read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.costly
@pytest.mark.each(("rows", "groups"), [(1, 3), (2, 3), (3, 2), (5, 1)])
@pytest.mark.parametrize("metrics", ["nDCG@2", ["nDCG@2", "ItemCoverage@3"]])
def test_lists_written_while_they_are_made_are_those_that_would_be_kept(
    metrics: list[str], rows: int, groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"metrics": metrics, "protocols": ["AR AI-AN", "AR TI-AN"], "users": "all"}
    kept = _result(**options, lists=2)
    # Each of the three users is scored alone, and has two rows.
    monkeypatch.setattr("receval.protocols.evaluation._BLOCK_ENTRIES", 4)
    monkeypatch.setattr("receval.evaluation.systems._LIST_ROWS", rows)

    result = _result(**options, lists=2, lists_to=tmp_path)

    assert [path.relative_to(tmp_path).as_posix() for path in result.lists_written] == [
        f"{protocol}/{system}.parquet"
        for system in ("Pop", "Random")
        for protocol in ("AR-AI-AN", "AR-TI-AN")
    ]
    columns = ["user", "item", "rank", "score"]
    lists = kept.lists()
    for path in result.lists_written:
        assert pq.ParquetFile(path).num_row_groups == groups
        own = lists[(lists["protocol"] == path.parent.name.replace("AR-", "AR ", 1))]
        own = own[own["system"] == path.stem][columns].sort_values(["user", "rank"])
        found = pd.read_parquet(path).sort_values(["user", "rank"])
        pd.testing.assert_frame_equal(
            found.reset_index(drop=True), own.reset_index(drop=True), check_dtype=False
        )
    pd.testing.assert_frame_equal(result.summary(), kept.summary())
    with pytest.raises(ValueError, match=r"in the files result\.lists_written"):
        result.lists()


def test_lists_of_runs_beside_systems_are_written_too(tmp_path: Path) -> None:
    runs = {"mine": {user: {"w": 4.0, "x": 3.0, "y": 2.0, "z": 1.0} for user in "abc"}}
    kept = _result(metrics="nDCG@2", runs=runs, depth="whole", lists=2)

    result = _result(metrics="nDCG@2", runs=runs, depth="whole", lists=2, lists_to=tmp_path)

    assert [path.name for path in result.lists_written][-1] == "mine.parquet"
    own = kept.lists().query("system == 'mine'")[["user", "item", "rank", "score"]]
    found = pd.read_parquet(tmp_path / "mine.parquet")
    pd.testing.assert_frame_equal(found, own.reset_index(drop=True), check_dtype=False)


def test_lists_are_written_only_with_their_length(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lists_to is given without lists"):
        _result(lists_to=tmp_path)


def test_systems_whose_lists_would_have_the_same_file_are_refused_before_training(
    tmp_path: Path,
) -> None:
    halves = rv.split(rv.read_ratings(TABLE), "user-ratio", train_ratio=0.5, seed=1)
    systems = {"a/b": rv.Popularity(), "a-b": rv.Popularity(), "c": rv.Popularity()}
    trained: list[str] = []

    with pytest.raises(ValueError, match=r"systems 'a/b', 'a-b' would overwrite each other"):
        rv.evaluate(
            halves,
            systems,
            lists=2,
            lists_to=tmp_path,
            progress=lambda name, *_: trained.append(name),
        )
    result = rv.evaluate(halves, systems, lists=2)
    with pytest.raises(ValueError, match=r"'a-b' for each. Rename all but one"):
        result.write_runs(tmp_path)

    assert not trained
    assert not list(tmp_path.iterdir())


def test_models_of_each_fold_are_kept_and_recommend() -> None:
    folds = rv.split(rv.read_ratings(TABLE), "k-fold", folds=2, seed=1)
    system = rv.ItemKNN(neighbours=2)

    models = rv.evaluate(folds, {"kNN": system}, relevant=3, keep_models=True).models

    for fold, model in zip(folds.folds(), models["kNN"], strict=True):
        assert model is not system
        users = np.arange(3)
        wanted = rv.ItemKNN(neighbours=2).fit(fold.train).score(users)
        np.testing.assert_array_equal(model.score(users), wanted)
        lists = rv.recommend(folds, model, train=False, exclude=None)
        assert len(lists) == np.isfinite(wanted).sum()
    assert not rv.evaluate(folds, {"kNN": system}, relevant=3).models


def test_runs_of_several_protocols_have_a_folder_each(tmp_path: Path) -> None:
    result = _result(metrics="nDCG@2", protocols=["AR AI-AN", "AR TI-AN"], lists=1)

    files = result.write_runs(tmp_path)

    assert {path.parent.name for path in files} == {"AR-AI-AN", "AR-TI-AN"}


def test_users_without_a_list_are_noted_and_count_as_0() -> None:
    test = {"user": list("ab"), "item": list("xy"), "rating": [1, 1]}
    runs = {"mine": {"a": {"x": 2.0, "y": 1.0}}}

    result = rv.evaluate_runs(test, runs, metrics=["ItemCoverage@2"], depth="whole")

    assert result.summary()["mean"].tolist() == [1.0]
    assert any("mine has an empty list for 1 averaged user" in str(note) for note in result.notes)


def test_lists_that_are_cut_above_the_cut_off_are_refused() -> None:
    test = {"user": list("ab"), "item": list("xy"), "rating": [1, 1]}
    runs = {"mine": {user: {"x": 2.0, "y": 1.0} for user in "ab"}}

    with pytest.raises(ValueError, match=r"ItemCoverage@3 looks at 3 items.*cut at 2"):
        rv.evaluate_runs(test, runs, metrics=["ItemCoverage@3"], depth=2)


@pytest.mark.parametrize("lists", [0, -1])
def test_lists_of_no_items_are_refused(lists: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        _result(lists=lists)


def test_all_users_have_lists_where_all_are_averaged() -> None:
    table = {
        key: [*values, *new]
        for (key, values), new in zip(TABLE.items(), (["d"], ["w"], [5]), strict=True)
    }
    halves = rv.split(rv.read_ratings(table), "user-ratio", train_ratio=0.5, seed=1)

    result = rv.evaluate(
        halves,
        {"Pop": rv.Popularity()},
        metrics=["ItemCoverage@1"],
        relevant=3,
        users="all",
        lists=1,
    )

    assert set(result.lists()["user"]) == set("abcd")


def test_a_mean_of_pseudo_values_is_within_the_bounds_of_its_metric() -> None:
    names = [str(number) for number in range(13)]
    test = {"user": names, "item": names, "rating": [1] * 13}
    run = {name: {name: 1.0} for name in names}
    result = rv.evaluate_runs(test, {"m": run}, metrics="ItemCoverage@1", depth="whole")
    (values,) = result.values.values()
    # Rounding takes it above 1.
    assert values.means.item() == pytest.approx(1, rel=1e-12)
    assert result.summary()["mean"].item() == 1
