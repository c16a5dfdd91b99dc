# SPDX-License-Identifier: MIT
"""Runs are measured on the folds of a split, in one table with systems that are trained on them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import receval as rv
from receval.data.reading import TableError

METRICS = ["RR", "P@5", "nDCG@5"]


@pytest.fixture(scope="module")
def table() -> dict[str, object]:
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((25, 20)) < 0.5)
    ratings = rng.integers(1, 6, len(users))
    return {"user": [f"u{own}" for own in users], "item": items + 50, "rating": ratings}


def run_of(data: rv.SplitRatings, fold: int, system: rv.Recommender, length: int | None = None):
    """Return the lists of a system as another program would write them, best item first."""
    train = list(data.folds())[fold].train
    scores = system.fit(train).score(np.arange(data.ratings.n_users))
    rows = []
    for user, own in enumerate(scores):
        order = [item for item in np.argsort(-own, kind="stable") if not np.isnan(own[item])]
        for item in order[:length]:
            rows.append((data.ratings.user_ids[user], data.ratings.item_ids[item], own[item]))
    return pd.DataFrame(rows, columns=["user", "item", "score"])


@pytest.mark.parametrize("protocol", ["AR AI-AN", "1R TI-AN", "1R AI-NN sampled=4"])
@pytest.mark.costly
def test_the_run_of_a_system_has_the_values_of_the_system(
    table: dict[str, object], protocol: str
) -> None:
    data = rv.split(rv.read_ratings(table), "user-ratio", train_ratio=0.6)
    runs = {"lists": run_of(data, 0, rv.UserKNN(neighbours=5))}
    result = rv.evaluate(
        data,
        {"Pop": rv.Popularity(), "kNN": rv.UserKNN(neighbours=5)},
        runs=runs,
        protocols=protocol,
        metrics=METRICS,
        relevant=3,
        depth="whole",
    )
    assert result.systems == ("Pop", "kNN", "lists")
    values = result.per_user().set_index(["system", "user"])[METRICS]
    pd.testing.assert_frame_equal(values.loc["lists"], values.loc["kNN"])
    pairs = result.compare()[["first", "second"]].drop_duplicates().to_numpy().tolist()
    assert ["kNN", "lists"] in pairs


@pytest.mark.costly
def test_several_folds_take_a_run_each(table: dict[str, object]) -> None:
    data = rv.split(rv.read_ratings(table), "k-fold", folds=2)
    lists = [run_of(data, fold, rv.ItemKNN(neighbours=5)) for fold in range(2)]
    result = rv.evaluate(
        data,
        {"kNN": rv.ItemKNN(neighbours=5)},
        runs={"lists": lists},
        metrics=METRICS,
        depth="whole",
    )
    means = result.summary().pivot_table(index="metric", columns="system", values="mean")
    np.testing.assert_array_equal(means["lists"], means["kNN"])
    for wrong in (lists[0], lists[:1]):
        with pytest.raises(ValueError, match="'lists' needs a list of 2 runs"):
            rv.evaluate(data, {}, runs={"lists": wrong})


def test_runs_alone_are_measured_on_a_split(table: dict[str, object]) -> None:
    data = rv.split(rv.read_ratings(table), "user-ratio")
    result = rv.evaluate(data, {}, runs={"mine": run_of(data, 0, rv.Popularity())}, metrics="P@5")
    assert result.systems == ("mine",)
    assert result.settings["runs"] == {"mine": ["the table"]}
    assert [own.source for own in result.reading] == ["the table", "the table"]
    with pytest.raises(ValueError, match="There is no system to evaluate"):
        rv.evaluate(data, {})


def test_items_and_users_that_are_not_in_the_ratings_are_told(table: dict[str, object]) -> None:
    data = rv.split(rv.read_ratings(table), "user-ratio")
    mine = run_of(data, 0, rv.Popularity(), 12)
    above = mine.groupby("user", as_index=False)["score"].max().assign(item="strange")
    above["score"] += 1
    more = pd.concat([above, mine, pd.DataFrame({"user": ["new"], "item": [50], "score": [1]})])
    result = rv.evaluate(data, {}, runs={"mine": mine, "more": more}, metrics="RR", depth="whole")
    told = {note.code: str(note) for note in result.notes}
    assert told["unknown-items"].startswith("more lists 1 item that")
    assert told["untested-users"] == "more has lists for 1 user without test ratings."
    means = result.summary()["mean"].tolist()
    assert means[0] == means[1]


def test_cut_lists_are_refused_where_metrics_look_below_the_cut(table: dict[str, object]) -> None:
    data = rv.split(rv.read_ratings(table), "user-ratio")
    mine = run_of(data, 0, rv.Popularity(), 12)
    with pytest.raises(ValueError, match="its lists are cut at 12"):
        rv.evaluate(data, {"Pop": rv.Popularity()}, runs={"mine": mine}, metrics="P@20")


def test_runs_of_other_data_or_with_the_name_of_a_system_are_refused(
    table: dict[str, object],
) -> None:
    data = rv.split(rv.read_ratings(table), "user-ratio")
    other = {"a": {"50": 1.0}}
    with pytest.raises(TableError, match="No user of the run 'mine' is in the test data"):
        rv.evaluate(data, {"Pop": rv.Popularity()}, runs={"mine": other}, metrics="P@1")
    with pytest.raises(ValueError, match="A system and a run are both called 'Pop'"):
        rv.evaluate(data, {"Pop": rv.Popularity()}, runs={"Pop": other}, metrics="P@1")
