# SPDX-License-Identifier: MIT
"""A result is saved in a folder and loaded again, with the same tables and the same bytes."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval as rv
from receval.cli.main import main
from receval.evaluation.saved_results import SAVED
from receval.storage.files import DamagedFileError


@pytest.fixture(scope="module")
def result() -> rv.EvaluationResult:
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((25, 20)) < 0.5)
    ratings = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    data = rv.split(rv.read_ratings(ratings), "k-fold", folds=2)
    return rv.evaluate(
        data,
        {"Pop": rv.Popularity(), "kNN": rv.UserKNN(neighbours=5)},
        protocols=["AR AI-AN", "1R TI-NN sampled=4"],
        metrics=["RR", "P@5"],
    )


def test_every_field_is_saved_or_has_a_default() -> None:
    left_out = [own for own in fields(rv.EvaluationResult) if own.name not in SAVED]
    for own in left_out:
        assert own.default is not MISSING or own.default_factory is not MISSING, own.name


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_a_loaded_result_has_the_same_tables_notes_and_bytes(
    result: rv.EvaluationResult, tmp_path: Path
) -> None:
    result.save(tmp_path / "one")
    found = rv.load_result(tmp_path / "one")
    for table in ("summary", "compare", "groups", "per_user"):
        # To the last digit, which depends on the order in which users are added.
        assert getattr(found, table)().equals(getattr(result, table)())
    assert [(note.code, note) for note in found.notes] == [
        (note.code, note) for note in result.notes
    ]
    assert found.words == result.words
    assert found.reading == result.reading
    assert found.settings == json.loads(json.dumps(result.settings))
    assert str(found) == str(result)
    assert found.as_report().page() == result.as_report().page()
    found.save(tmp_path / "two")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
@pytest.mark.processes
def test_lists_and_tuning_are_saved_with_a_result(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: the extra sklearn has it")
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((25, 20)) < 0.5)
    data = rv.split(rv.read_ratings({"user": users, "item": items}), "user-ratio", train_ratio=0.7)
    grids = {"kNN": (rv.UserKNN, {"neighbours": [2, 5]})}
    tuned = rv.tune(data, grids, metric="P@5", budget=2, jobs=1)
    result = rv.evaluate(data, tuned.systems, metrics=["P@5", "Gini@5"], lists=5)

    result.save(tmp_path)
    found = rv.load_result(tmp_path)

    pd.testing.assert_frame_equal(found.lists(), result.lists())
    assert found.tuning == result.tuning
    assert found.as_report().page() == result.as_report().page()


@pytest.mark.parametrize("version", ["0.3.1", "2.0.0"])
def test_another_major_version_is_refused(
    version: str, result: rv.EvaluationResult, tmp_path: Path
) -> None:
    result.save(tmp_path)
    path = tmp_path / "result.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"receval": version}
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=f"saved by receval {version}, but this is receval"):
        rv.load_result(tmp_path)


def test_a_result_of_an_earlier_state_of_this_version_is_to_be_saved_again(
    result: rv.EvaluationResult, tmp_path: Path
) -> None:
    result.save(tmp_path)
    saved = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    del saved["content"]["reading"][0]["shape"]
    (tmp_path / "result.json").write_text(json.dumps(saved), encoding="utf-8")
    assert rv.load_result(tmp_path).reading == result.reading
    del saved["content"]["lists"]
    (tmp_path / "result.json").write_text(json.dumps(saved), encoding="utf-8")
    words = rf"earlier state of receval {rv.__version__}, .* \(lists\)\. Save the result again"
    with pytest.raises(ValueError, match=words):
        rv.load_result(tmp_path)


@pytest.mark.each("part", ["weighted_means", "tuning", "reading", "lists"])
def test_a_result_of_an_older_version_is_refused_with_its_name(
    part: str, result: rv.EvaluationResult, tmp_path: Path
) -> None:
    """Of the content, a part is missing or has another form."""
    result.save(tmp_path)
    path = tmp_path / "result.json"
    content = json.loads(path.read_text(encoding="utf-8")) | {"receval": "1.0.0"}
    for other in (None, {"kNN": {"seeds": 3}}, [["AR AI-AN", 4]]):
        content["content"].pop(part, None)
        if other is not None:
            content["content"][part] = other
        path.write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ValueError, match=r"was saved by receval 1\.0\.0, and this receval"):
            rv.load_result(tmp_path)


def test_damaged_files_and_those_of_others_are_named(
    result: rv.EvaluationResult, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"it has no result\.json"):
        rv.load_result(tmp_path)
    result.save(tmp_path)
    (tmp_path / "values.npz").write_bytes(b"damaged")
    with pytest.raises(DamagedFileError, match=r"values\.npz is damaged"):
        rv.load_result(tmp_path)
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"not of a saved result: mine\.txt"):
        result.save(tmp_path)


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_the_command_repeats_what_the_library_has_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((25, 20)) < 0.5)
    table = {"who": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    pd.DataFrame(table).to_csv("r.csv", index=False)
    data = rv.split(rv.read_ratings("r.csv", user="who"), "user-ratio", train_ratio=0.6, seed=7)
    systems = {
        "near": rv.UserKNN(neighbours=5),
        "factors": rv.WRMF(factors=3, seed=11),
        "Pop": rv.Popularity(),
    }
    counts = pd.DataFrame(table).groupby("item").size()
    rows = [(user, item, score) for user in range(25) for item, score in counts.items()]
    pd.DataFrame(rows, columns=["user", "item", "score"]).to_csv("mine.csv", index=False)
    protocols = ["AR AI-AN ties=index", "1R TI-AN", "P1R TI-AN percentiles=3"]
    metrics = ["RR", "nDCG@5"]
    result = rv.evaluate(
        data,
        systems,
        runs={"mine": "mine.csv"},
        protocols=protocols,
        metrics=metrics,
        relevant=3,
        depth="whole",
        lists=2,
    )
    result.save("saved")
    assert main(["evaluate", "--settings", "saved/settings.json", "--out", "again"]) == 0
    assert "other-data" not in capsys.readouterr().err
    lists = pd.read_csv("again/lists.csv").astype(dict(result.lists().dtypes))
    pd.testing.assert_frame_equal(lists, result.lists(), rtol=1e-6)
    averages = pd.read_csv("again/averages.csv")
    assert averages["system"].unique().tolist() == [*systems, "mine"]
    np.testing.assert_allclose(averages["mean"], result.summary()["mean"], rtol=1e-9)


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_the_command_repeats_a_result_of_a_split_that_was_given_and_of_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((40, 20)) < 0.6)
    table = pd.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    table["split"] = rng.choice(["train", "validation", "test"], len(users))
    table.to_csv("r.csv", index=False)
    pd.DataFrame({"item": range(20), "genre": ["a", "b"] * 10, "year": range(20)}).to_csv(
        "films.csv", index=False
    )
    for part, own in table.groupby("split"):
        own.drop(columns="split").to_csv(f"{part}.csv", index=False)
    train = rv.read_ratings("train.csv")
    files = {"test": "test.csv", "validation": "validation.csv", "trained_pairs": "drop"}
    metrics = ["RR", "ILD(feature=genre)@5"]
    systems = {"Pop": rv.Popularity()}
    how = {"metrics": metrics, "item_groups": "genre"}
    for data in (
        rv.split(train, "predefined", use_validation="train", **files),
        rv.split("r.csv", "predefined", part="split", use_validation="train"),
    ):
        result = rv.evaluate(data, systems, item_features="films.csv", **how)
        result.save("saved")

        again = ["evaluate", "--settings", "saved/settings.json", "--out", "again", "--force"]
        assert main(again) == 0

        averages = pd.read_csv("again/averages.csv")
        np.testing.assert_allclose(averages["mean"], result.summary()["mean"], rtol=1e-9)
        assert "_ratings=" not in result.methods()
        assert ".csv" not in result.methods()
    in_memory = rv.split(train, "predefined", test=pd.read_csv("test.csv"), trained_pairs="drop")
    rv.evaluate(in_memory, systems, metrics="RR").save("saved")
    assert not Path("saved/settings.json").exists()
    for given in (
        rv.read_features("films.csv", bins={"year": 4}),
        ["films.csv", pd.DataFrame({"item": [0], "price": ["low"]})],
    ):
        rv.evaluate(data, systems, item_features=given, **how).save("saved")
        assert not Path("saved/settings.json").exists()


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("temporal", {"cut": "2003-06-01"}),
        ("temporal", {"cut": 0.6, "gap": 2}),
        ("time-windows", {"windows": 2, "cut": "2003-04-01T12:00", "days": 60}),
        ("time-windows", {"windows": 2}),
    ],
)
def test_the_command_repeats_splits_by_time_with_the_same_random_order_of_ties(
    kind: str, parameters: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((40, 20)) < 0.6)
    days = rng.permutation(len(users)) % 365
    table = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    table["timestamp"] = (1_041_379_200 + 86_400 * days).tolist()
    pd.DataFrame(table).to_csv("r.csv", index=False)
    data = rv.split(rv.read_ratings("r.csv"), kind, **parameters)
    result = rv.evaluate(data, {"Pop": rv.Popularity()}, metrics="RR", relevant=3)
    result.save("saved")

    assert main(["evaluate", "--settings", "saved/settings.json", "--out", "again"]) == 0

    averages = pd.read_csv("again/averages.csv")
    np.testing.assert_allclose(averages["mean"], result.summary()["mean"], rtol=1e-9)


def test_a_date_that_a_command_takes_for_a_number_is_not_written(tmp_path: Path) -> None:
    table = {"user": [1, 1, 2, 2], "item": [1, 2, 1, 2], "time": [1e9, 2e9, 1e9, 2e9]}
    pd.DataFrame(table).to_csv(tmp_path / "r.csv", index=False)
    ratings = rv.read_ratings(tmp_path / "r.csv", user="user", item="item", timestamp="time")
    data = rv.split(ratings, "temporal", cut="20150101", equal_times="random")
    rv.evaluate(data, {"Pop": rv.Popularity()}, metrics="RR").save(tmp_path / "saved")

    assert not (tmp_path / "saved" / "settings.json").exists()


def test_what_no_command_can_repeat_has_no_settings_of_a_command(
    result: rv.EvaluationResult, tmp_path: Path
) -> None:
    result.save(tmp_path)
    assert not (tmp_path / "settings.json").exists()
