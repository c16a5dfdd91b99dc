# SPDX-License-Identifier: MIT
"""Lists for users by their identifiers, from any system trained on all ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import receval as rv
from receval.cli.main import main
from receval.recommenders.adapters.adapt import adapt
from receval.top_lists import top_lists

TABLE = {
    "user": list("aaabbbccd"),
    "item": list("xyzxywxwx"),
    "rating": [5, 4, 3, 2, 1, 5, 4, 4, 2],
}
TRAIN = csr_array(np.array([[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 0, 1]], dtype=np.float32))

TruncatedSVD = pytest.importorskip(
    "sklearn.decomposition", reason="the extra sklearn has it"
).TruncatedSVD


@pytest.mark.costly
@pytest.mark.each(
    "system",
    [rv.Popularity(), rv.ItemKNN(neighbours=2), TruncatedSVD(2, random_state=1), np.eye(3, 4)],
    ids=["recommender", "nan", "sklearn", "array"],
)
def test_a_fitted_system_lists_the_items_with_the_highest_scores(system: object) -> None:
    own = adapt(system)
    own = own.fit(TRAIN)
    users = np.array([2, 0])

    found = own.recommend(users, 2, exclude=TRAIN)

    wanted = top_lists(own.score(np.array([0, 2])), np.array([0, 2]), 2, exclude=TRAIN)
    assert found.users.tolist() == [0, 2]
    assert found.items.tolist() == wanted.items.tolist()


def test_what_a_user_has_rated_is_left_out_unless_wanted() -> None:
    found = rv.recommend(TABLE, rv.Popularity(), n=2)
    assert found.groupby("user")["item"].agg(list).to_dict() == {
        "a": ["w"],
        "b": ["z"],
        "c": ["y", "z"],
        "d": ["w", "y"],
    }
    assert found["rank"].tolist() == [1, 1, 1, 2, 1, 2]
    everything = rv.recommend(TABLE, rv.Popularity(), users=["d", "a"], n=2, exclude=None)
    assert everything["item"].tolist() == ["x", "w", "x", "w"]
    assert everything["user"].tolist() == list("ddaa")


def test_the_order_of_rows_does_not_matter_to_equal_scores() -> None:
    shuffled = pd.DataFrame(TABLE).sample(frac=1, random_state=3)
    found = rv.recommend(shuffled, rv.Popularity(), users=list("abcd"))
    pd.testing.assert_frame_equal(found, rv.recommend(TABLE, rv.Popularity(), users=list("abcd")))


def test_a_fitted_system_is_used_as_it_is_and_others_are_not_changed() -> None:
    ratings = rv.read_ratings(TABLE)
    unfitted = rv.Popularity()
    rv.recommend(ratings, unfitted)
    with pytest.raises(ValueError, match="Popularity is not fitted"):
        rv.recommend(ratings, unfitted, train=False)
    of_others = csr_array(np.ones((4, 4), dtype=np.float32))
    fitted = rv.Popularity().fit(of_others)
    assert (rv.recommend(ratings, fitted, train=False)["score"] == 4).all()


@pytest.mark.each(
    ("options", "words"),
    [
        ({"users": ["e"]}, "no ratings of 'e'.*look like 'a'"),
        ({"users": ["a", "a"]}, "named twice"),
        ({"n": 0}, "n is 0, but it is the number of items"),
    ],
)
def test_unknown_users_and_empty_lists_are_refused(options: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rv.recommend(TABLE, rv.Popularity(), **options)


@pytest.mark.costly
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "run", "json"])
def test_the_command_writes_a_run_that_reads_back(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(TABLE).to_csv("ratings.csv", index=False)
    out = f"recs.{ending}"
    words = ["recommend", "ratings.csv", "--system", "pop", "--n", "1", "--users", "c"]

    assert main([*words, "--out", out]) == 0

    assert f"Written: {out} (1 list)" in capsys.readouterr().out
    run = rv.read_run(out)
    assert (run.user_ids.tolist(), run.item_ids.tolist()) == (["c"], ["y"])
    assert main([*words, "--out", out]) == 2
    assert "already exists" in capsys.readouterr().err
    assert main([*words, "--out", out, "--force"]) == 0
    assert main([*words, "--out", "ratings.csv", "--force"]) == 2
    assert "would overwrite it" in capsys.readouterr().err
    assert main([*words, "--out", "recs.xyz"]) == 2
    assert "ends in none of .csv, .tsv" in capsys.readouterr().err


def test_a_selection_decides_what_is_recommended_and_to_whom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    table = {"user": list("aaabbbccd"), "item": list("xyzxywxyw"), "rating": [1] * 9}
    pd.DataFrame(table).to_csv("ratings.csv", index=False)
    found = rv.recommend(table, rv.Popularity(), exclude=None, selection={"min_item_ratings": 3})
    assert set(found["item"]) == {"x", "y"}
    assert set(found["user"]) == {"a", "b", "c"}
    with pytest.raises(ValueError, match="new codes, which a system that was trained"):
        rv.recommend(table, rv.Popularity(), train=False, selection={"share": 0.5})
    words = ["recommend", "ratings.csv", "--system", "pop", "--exclude", "none", "--quiet"]
    assert main([*words, "--selection", "min_item_ratings=3"]) == 0
    assert "The selection keeps 6 of 9 ratings" in capsys.readouterr().err
    written = pd.read_csv("recommendations.csv")
    pd.testing.assert_frame_equal(
        written[["user", "item"]], found[["user", "item"]], check_dtype=False
    )


def test_the_command_needs_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend"]) == 2
    assert "give ratings" in capsys.readouterr().err
