# SPDX-License-Identifier: MIT
"""Splits are saved, loaded and written for other tools."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

import receval as rv
from receval import __version__
from receval.splits.split_ratings import select_ratings
from receval.storage.files import DamagedFileError


@pytest.fixture(scope="module")
def ratings() -> rv.Ratings:
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((12, 9)) < 0.6)
    return rv.read_ratings(
        {
            "user": users + 100,
            "item": [f"i{item}" for item in items],
            "rating": rng.integers(1, 6, len(users)),
            "timestamp": rng.permutation(len(users)) * 1000,
        }
    )


SPLITS = {
    "user-ratio": {"train_ratio": (0.5, 0.8), "selection": {"min_user_ratings": 3}},
    "temporal": {"cut": 0.5},
    "held-out-users": {"folds": 2},
}


@pytest.mark.parametrize("kind", SPLITS)
def test_a_loaded_split_is_the_saved_one(kind: str, ratings: rv.Ratings, tmp_path: Path) -> None:
    data = rv.split(ratings, kind, seed=3, **SPLITS[kind])
    data.save(tmp_path / "one")
    found = rv.load_split(tmp_path / "one")
    assert (found.name, found.seed, found.notes) == (data.name, data.seed, data.notes)
    assert [note.code for note in found.notes] == ["selection"] * (kind == "user-ratio")
    assert found.parameters == data.parameters
    assert found.reading == data.reading
    assert found.ratings.digest() == data.ratings.digest()
    for own, other in zip(found.parts.codes, data.parts.codes, strict=True):
        np.testing.assert_array_equal(own, other)
    drawn = found.generator_for(1)("ties").random(), data.generator_for(1)("ties").random()
    assert drawn[0] == drawn[1]
    assert found.relevance("auto").threshold == data.relevance("auto").threshold
    found.save(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_selected_items_are_candidates_if_all_their_ratings_are_in_a_gap() -> None:
    table = {"user": [1, 1, 1], "item": [1, 2, 3], "timestamp": [0, 86_400 * 5, 86_400 * 9]}
    by_time = {"cut": "1970-01-10", "gap": 7, "selection": {"min_item_ratings": 1}}
    data = rv.split(rv.read_ratings(table), "temporal", **by_time)
    assert data.ratings.n_items == 3
    assert data.notes[0].startswith("The selection keeps 3 of 3 ratings")


def test_a_selected_share_is_the_same_for_splits_by_time(ratings: rv.Ratings) -> None:
    share = {"share": 0.5}
    found = rv.split(ratings, "temporal", selection=share, seed=2).ratings
    assert found.digest() == select_ratings(ratings, share, 2)[0].digest()


def test_a_saved_split_replaces_its_own_files_and_no_others(
    ratings: rv.Ratings, tmp_path: Path
) -> None:
    data = rv.split(ratings, "user-ratio")
    data.save(tmp_path)
    data.save(tmp_path)
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"not of a saved split: mine\.txt"):
        data.save(tmp_path)


@pytest.mark.each(("version", "refused"), [("0.9.0", True), ("2.0.0", True), ("1.99.0", False)])
def test_only_another_major_version_is_refused(
    version: str, refused: bool, ratings: rv.Ratings, tmp_path: Path
) -> None:
    assert __version__.startswith("1.")
    rv.split(ratings, "user-ratio").save(tmp_path)
    path = tmp_path / "split.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"receval": version}
    path.write_text(json.dumps(content), encoding="utf-8")
    if not refused:
        rv.load_split(tmp_path)
        return
    with pytest.raises(ValueError, match=f"saved by receval {version}, but this is receval"):
        rv.load_split(tmp_path)


def test_a_split_that_an_older_version_saved_in_another_form_is_refused_with_its_name(
    ratings: rv.Ratings, tmp_path: Path
) -> None:
    rv.split(ratings, "user-ratio").save(tmp_path)
    path = tmp_path / "split.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"receval": "1.0.0"}
    del content["content"]["other_reading"]
    path.write_text(json.dumps(content), encoding="utf-8")
    words = r"saved by receval 1\.0\.0, and this receval .* in another form \(other_reading\)"
    with pytest.raises(ValueError, match=words):
        rv.load_split(tmp_path)


def test_damaged_or_missing_files_are_named(ratings: rv.Ratings, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"it has no split\.json"):
        rv.load_split(tmp_path)
    rv.split(ratings, "user-ratio").save(tmp_path)
    (tmp_path / "users.parquet").write_bytes(b"damaged")
    with pytest.raises(DamagedFileError, match=r"users\.parquet is damaged"):
        rv.load_split(tmp_path)
    (tmp_path / "users.parquet").unlink()
    with pytest.raises(DamagedFileError, match=r"users\.parquet is missing"):
        rv.load_split(tmp_path)


def test_files_of_recbole_have_typed_columns_and_three_parts(
    ratings: rv.Ratings, tmp_path: Path
) -> None:
    data = rv.split(ratings, "temporal")
    data.export(tmp_path, "recbole", name="mine")
    settings = yaml.safe_load((tmp_path / "mine.yaml").read_text(encoding="utf-8"))
    assert settings["benchmark_filename"] == ["train", "valid", "test"]
    assert settings["eval_step"] == 0
    assert settings["load_col"] == {"inter": ["user_id", "item_id", "rating", "timestamp"]}
    frames = data.to_frames()
    for part, frame in (("train", frames.train), ("valid", frames.test), ("test", frames.test)):
        found = pd.read_csv(tmp_path / "mine" / f"mine.{part}.inter", sep="\t")
        types = ["user_id:token", "item_id:token", "rating:float", "timestamp:float"]
        assert found.columns.tolist() == types
        assert found.to_numpy().tolist() == frame.to_numpy().tolist()
    back = rv.read_ratings(tmp_path / "mine" / "mine.train.inter")
    assert len(back) == len(frames.train)


def test_a_validation_part_is_used_by_the_tools_that_have_one(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"user": [1, 1, 1], "item": [1, 2, 3], "split": ["train", "test", "validation"]}
    )
    data = rv.split(table, "predefined", part="split")
    data.export(tmp_path, "recbole")
    valid = pd.read_csv(tmp_path / "ratings" / "ratings.valid.inter", sep="\t")
    assert valid["item_id:token"].tolist() == [3]
    assert "eval_step" not in (tmp_path / "ratings.yaml").read_text(encoding="utf-8")
    data.export(tmp_path, "elliot")
    assert (tmp_path / "validation.tsv").read_text(encoding="utf-8") == "1\t3\t1.0\n"


def test_files_of_elliot_have_no_header_and_the_strategy_is_fixed(
    ratings: rv.Ratings, tmp_path: Path
) -> None:
    data = rv.split(ratings, "k-fold", folds=2)
    data.export(tmp_path, "elliot")
    frames = data.to_frames()
    for fold in range(2):
        own = tmp_path / f"fold-{fold}"
        settings = yaml.safe_load((own / "elliot.yml").read_text(encoding="utf-8"))
        config = settings["experiment"]["data_config"]
        assert config["strategy"] == "fixed"
        # As the tool reads it.
        names = ["userId", "itemId", "rating", "timestamp"]
        found = pd.read_csv(config["test_path"], sep="\t", header=None, names=names)
        expected = frames.test[frames.test["fold"] == fold].drop(columns="fold")
        assert found.to_numpy().tolist() == expected.to_numpy().tolist()


def test_files_of_lenskit_are_interactions_and_item_lists_by_user(
    ratings: rv.Ratings, tmp_path: Path
) -> None:
    data = rv.split(ratings, "user-ratio", train_ratio=0.5)
    data.export(tmp_path, "lenskit")
    train = pd.read_parquet(tmp_path / "train.parquet")
    assert train.columns.tolist() == ["user_id", "item_id", "rating", "timestamp"]
    assert train["timestamp"].dtype.kind == "M"
    lists = pq.read_table(tmp_path / "test.parquet").to_pydict()
    expected = data.to_frames().test.groupby("user")["item"].apply(list)
    assert lists["user_id"] == expected.index.tolist()
    assert [[own["item_id"] for own in items] for items in lists["items"]] == expected.tolist()


def test_files_of_rectools_have_its_columns(ratings: rv.Ratings, tmp_path: Path) -> None:
    data = rv.split(ratings, "held-out-users")
    files = data.export(tmp_path, "rectools")
    assert sorted(path.name for path in files) == ["fold_in.csv", "test.csv", "train.csv"]
    train = pd.read_csv(tmp_path / "train.csv")
    assert train.columns.tolist() == ["user_id", "item_id", "weight", "datetime"]
    moments = train["datetime"].astype("datetime64[ns]").astype("int64") // 10**9
    assert moments.tolist() == data.to_frames().train["timestamp"].tolist()


def test_means_of_whole_ratings_keep_their_fractions() -> None:
    table = {"user": [1, 1, 1, 2], "item": [1, 1, 2, 1], "rating": [3, 4, 2, 1]}
    ratings = rv.read_ratings(table, duplicates="mean")
    whole = rv.split(ratings, "user-ratio", train_ratio=0.5).to_frames()
    assert sorted([*whole.train["rating"], *whole.test["rating"]]) == [1, 2, 3.5]


def test_csv_files_hold_the_frames(ratings: rv.Ratings, tmp_path: Path) -> None:
    data = rv.split(ratings, "leave-out", short_profiles="train")
    data.export(tmp_path, "csv")
    found = pd.read_csv(tmp_path / "test.csv")
    pd.testing.assert_frame_equal(found, data.to_frames().test, check_dtype=False)
    again = rv.split(
        rv.read_ratings(tmp_path / "train.csv"), "predefined", test=tmp_path / "test.csv"
    )
    assert again.ratings.digest() == data.ratings.digest()


def test_what_a_format_cannot_hold_is_refused(ratings: rv.Ratings, tmp_path: Path) -> None:
    data = rv.split(ratings, "held-out-users")
    for tool in ("recbole", "elliot"):
        with pytest.raises(ValueError, match=f"Files of {tool} cannot say which ratings"):
            data.export(tmp_path, tool)
    table = {"user": ["a\tb", "a\tb"], "item": ["x", "y"]}
    tabs = rv.split(rv.read_ratings(table), "user-ratio", train_ratio=0.5)
    with pytest.raises(ValueError, match="has a tab, a line end or a quote mark"):
        tabs.export(tmp_path, "recbole")
    with pytest.raises(ValueError, match="cannot be part of the name of a file"):
        tabs.export(tmp_path, "csv", name="a/b")
    with pytest.raises(ValueError, match="format is 'mine'; it must be 'csv'"):
        tabs.export(tmp_path, "mine")
