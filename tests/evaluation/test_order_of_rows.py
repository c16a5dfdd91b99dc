# SPDX-License-Identifier: MIT
"""Values depend on the set of ratings, never on the order of their rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.cli.main import main
from receval.data.ratings import Ratings
from receval.data.ratings_table import read_ratings
from receval.diagnosis.diagnose import diagnose
from receval.evaluation.systems import evaluate_systems
from receval.multiverse.decisions import DecisionGrid
from receval.multiverse.explore_ratings import explore_ratings
from receval.recommenders.non_personalised import Popularity, Random
from receval.recommenders.wrmf import WRMF
from receval.splits.split_ratings import SplitRatings, split

KINDS: dict[str, dict[str, Any]] = {
    "random-ratio": {},
    "user-ratio": {"train_ratio": 0.7},
    "k-fold": {"folds": 2},
    "leave-out": {"short_profiles": "train"},
    "leave-last-out": {"short_profiles": "train", "equal_times": "random"},
    "temporal": {"equal_times": "random"},
    "uniform-test": {"folds": 1},
}
BY_TIME = ("leave-last-out", "temporal")


def table(*, n_times: int = 3) -> pd.DataFrame:
    """Return ratings of 25 users, in the order of the rows of a matrix, most of tied times."""
    rng = np.random.default_rng(4)
    users, items = np.nonzero(rng.random((25, 15)) < np.linspace(0.9, 0.3, 15))
    return pd.DataFrame(
        {
            "user": users,
            "item": [f"i{item}" for item in items],
            "rating": rng.integers(1, 6, len(users)),
            "time": 1_000_000_000 + rng.integers(0, n_times, len(users)),
        }
    )


def shuffled(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    return rows.sample(frac=1, random_state=seed)


def by_first_appearance(rows: pd.DataFrame) -> Ratings:
    """Return ratings as a person may build them."""
    users, user_ids = pd.factorize(rows["user"].astype(str))
    items, item_ids = pd.factorize(rows["item"].astype(str))
    return Ratings(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=rows["rating"].to_numpy(np.float32),
        user_ids=np.array(user_ids, dtype=np.str_),
        item_ids=np.array(item_ids, dtype=np.str_),
        timestamps=rows["time"].to_numpy(np.int64),
    )


def judged_pairs(data: SplitRatings, fold: int = 0) -> set[tuple[str, str]]:
    own = data.ratings
    rows = data.parts.codes[fold] == 2
    return set(
        zip(
            own.user_ids[own.users[rows]].tolist(),
            own.item_ids[own.items[rows]].tolist(),
            strict=True,
        )
    )


def arrays_of(ratings: Ratings) -> list[list[Any]]:
    names = ("users", "items", "values", "timestamps", "user_ids", "item_ids")
    return [getattr(ratings, name).tolist() for name in names]


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_changes_no_value(kind: str) -> None:
    values = []
    for rows in (table(), shuffled(table(), 1), table()[::-1]):
        data = split(read_ratings(rows), kind, **KINDS[kind])
        systems = {"MF": WRMF(factors=3, seed=1), "Pop": Popularity(), "Random": Random(1)}
        values.append(evaluate_systems(data, systems, metrics=["P@3", "nDCG@3"]).per_user())
    for own in values[1:]:
        pd.testing.assert_frame_equal(values[0], own, check_exact=True)


@pytest.mark.each("kind", KINDS)
def test_ratings_that_a_person_built_are_split_as_those_that_were_read(kind: str) -> None:
    read = split(read_ratings(table()), kind, **KINDS[kind])
    built = split(by_first_appearance(shuffled(table(), 2)), kind, **KINDS[kind])
    for fold in range(read.n_folds):
        assert judged_pairs(read, fold) == judged_pairs(built, fold)


def test_a_split_leaves_users_and_items_the_codes_that_a_person_gave_them() -> None:
    ratings = by_first_appearance(shuffled(table(), 2))
    own = split(ratings, "k-fold").ratings
    assert own.user_ids.tolist() == ratings.user_ids.tolist()
    assert own.item_ids.tolist() == ratings.item_ids.tolist()
    rows = np.lexsort((ratings.item_ids[ratings.items], ratings.user_ids[ratings.users]))
    assert own.users.tolist() == ratings.users[rows].tolist()
    assert own.items.tolist() == ratings.items[rows].tolist()


@given(seed=st.integers(0, 2**31))
def test_codes_that_are_read_do_not_depend_on_the_order_of_rows(seed: int) -> None:
    assert arrays_of(read_ratings(shuffled(table(), seed))) == arrays_of(read_ratings(table()))


@given(seed=st.integers(0, 2**31), duplicates=st.sampled_from(["sum", "mean", "max", "last"]))
def test_merged_rows_do_not_depend_on_the_order_of_rows(seed: int, duplicates: Any) -> None:
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(
        {"user": rng.integers(0, 3, 60), "item": rng.integers(0, 3, 60), "rating": rng.random(60)}
    )
    rows["time"] = 1_000_000_000 + rng.permutation(60)
    merged = [
        read_ratings(own, duplicates=duplicates, timestamp=time)
        for time in (("time", "-") if duplicates != "last" else ("time",))
        for own in (rows, shuffled(rows, seed))
    ]
    for first, second in zip(merged[::2], merged[1::2], strict=True):
        assert first.values.tolist() == second.values.tolist()


def test_rules_for_repeats_without_times_go_by_the_rows_of_the_table() -> None:
    rows = {"user": ["b", "a", "b"], "item": ["x", "x", "x"], "rating": [1, 2, 3]}
    assert read_ratings(rows, duplicates="first").values.tolist() == [2, 1]
    assert read_ratings(rows, duplicates="last").values.tolist() == [2, 3]


@given(seed=st.integers(0, 2**31))
def test_events_of_one_pair_are_put_in_one_order(seed: int) -> None:
    rng = np.random.default_rng(2)
    plays = replace(
        by_first_appearance(table(n_times=2)[:60]),
        users=rng.integers(0, 3, 60).astype(np.int32),
        items=rng.integers(0, 3, 60).astype(np.int32),
        events=True,
    )
    mixed = plays.reordered(np.random.default_rng(seed).permutation(60))
    in_order = plays.in_order_of_identifiers()
    assert arrays_of(mixed.in_order_of_identifiers()) == arrays_of(in_order)
    assert in_order.in_order_of_identifiers() is in_order


def test_what_is_in_order_stays_the_same_object() -> None:
    ratings = read_ratings(table())
    assert ratings.in_order_of_identifiers() is ratings
    assert split(ratings, "k-fold").ratings is ratings


def test_the_account_of_reading_is_kept_when_rows_are_sorted() -> None:
    ratings = read_ratings(table())
    mixed = ratings.reordered(np.arange(len(ratings))[::-1])
    in_order = mixed.in_order_of_identifiers()
    assert in_order.reading is ratings.reading
    assert split(mixed, "k-fold").ratings.reading is ratings.reading  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", BY_TIME)
def test_another_seed_orders_equal_times_otherwise(kind: str) -> None:
    ratings = read_ratings(table(n_times=1))
    drawn = [judged_pairs(split(ratings, kind, seed=seed, **KINDS[kind])) for seed in (1, 2, 1)]
    assert drawn[0] != drawn[1]
    assert drawn[0] == drawn[2]


@pytest.mark.parametrize("kind", BY_TIME)
def test_the_seed_changes_nothing_where_all_times_differ(kind: str) -> None:
    rows = table()
    rows["time"] = 1_000_000_000 + np.random.default_rng(5).permutation(len(rows))
    drawn = [
        judged_pairs(split(read_ratings(rows), kind, seed=seed, **KINDS[kind])) for seed in (1, 2)
    ]
    assert drawn[0] == drawn[1]


def test_equal_times_favour_no_item() -> None:
    users = np.repeat(np.arange(400), 4)
    rows = {"user": users, "item": np.tile(np.arange(4), 400), "time": np.full(1600, 10**9)}
    data = split(read_ratings(rows), "leave-last-out", equal_times="random")
    tested = np.bincount(data.ratings.items[data.parts.codes[0] == 2], minlength=4)
    # 100 each are expected, and 8.7 their standard deviation.
    assert tested.min() > 100 - 4 * 8.7
    assert tested.max() < 100 + 4 * 8.7


def timed(*times: int) -> Ratings:
    """Return ratings of two users, three of each, who rated at these times."""
    rows = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [1] * 6}
    return read_ratings(rows | {"time": [1_000_000_000 + time for time in times]})


@pytest.mark.each(
    ("times", "kind", "told"),
    [
        ((1, 2, 2, 1, 2, 3), "leave-last-out", "1 of 2 test ratings have the same time as a "
         "training rating of their user."),
        # Equal times that decide nothing.
        ((1, 1, 2, 1, 1, 2), "leave-last-out", None),
        # Two of six test: one of the time 4, one of 3, which two others have.
        ((1, 3, 3, 2, 3, 4), "temporal", "1 of 2 test ratings have the same time as a "
         "training rating. "),
    ],
)  # fmt: skip
def test_a_note_says_how_many_test_ratings_equal_times_leave_to_chance(
    times: tuple[int, ...], kind: str, told: str | None
) -> None:
    notes = split(
        timed(*times), kind, **({"test_share": 1 / 3} if kind == "temporal" else {})
    ).notes
    assert [note.code for note in notes] == ["tied-times"] * (told is not None)
    by_chance = "is random and depends on the seed"
    assert all(note.startswith(str(told)) and by_chance in note for note in notes)


@pytest.mark.parametrize("kind", BY_TIME)
def test_a_split_that_equal_times_leave_to_chance_is_refused_unless_one_says_so(kind: str) -> None:
    ratings = timed(1, 1, 1, 1, 1, 1)
    with pytest.raises(ValueError, match=r"2 of 2 test ratings .*equal_times='random'"):
        split(ratings, kind, **({"test_share": 1 / 3} if kind == "temporal" else {}))
    assert split(ratings, kind, equal_times="random").notes[0].code == "tied-times"


def test_a_multiverse_does_not_depend_on_the_order_of_rows() -> None:
    systems = {"Pop": lambda seed: Popularity(), "Random": lambda seed: Random(seed)}
    grid = DecisionGrid(lists=["full", "condensed"])
    found = [
        explore_ratings(by_first_appearance(rows), systems, grid=grid)
        for rows in (table(), shuffled(table(), 1))
    ]
    pd.testing.assert_frame_equal(found[0].universes, found[1].universes, check_exact=True)
    pd.testing.assert_frame_equal(found[0].per_user, found[1].per_user, check_exact=True)


@pytest.mark.costly
def test_a_diagnosis_does_not_depend_on_the_order_of_rows() -> None:
    found = [diagnose(by_first_appearance(rows)) for rows in (table(), shuffled(table(), 1))]
    pd.testing.assert_frame_equal(found[0].per_user, found[1].per_user, check_exact=True)
    pd.testing.assert_frame_equal(found[0].cold, found[1].cold, check_exact=True)
    assert found[0].advice == found[1].advice


def test_a_digest_tells_other_ratings_and_no_other_order() -> None:
    rows = table()
    digest = read_ratings(rows).digest()
    assert read_ratings(shuffled(rows, 5)).digest() == digest
    assert by_first_appearance(shuffled(rows, 6)).digest() == digest
    for column, value in (("rating", 6), ("item", "other"), ("time", 1_500_000_000)):
        other = rows.copy()
        other.loc[7, column] = value
        assert read_ratings(other).digest() != digest
    assert read_ratings(rows[1:]).digest() != digest


@pytest.mark.usefixtures("undrawn")
@pytest.mark.costly
def test_a_command_that_is_repeated_on_other_ratings_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = table()
    rows.to_csv("r.csv", index=False)
    assert main(["evaluate", "r.csv", "--system", "pop", "--system", "random"]) == 0
    again = ["evaluate", "--settings", "receval-evaluate/settings.json", "--out", "again"]
    first = Path("receval-evaluate/averages.csv").read_bytes()
    shuffled(rows, 8).to_csv("r.csv", index=False)
    capsys.readouterr()
    assert main(again) == 0
    assert "other-data" not in capsys.readouterr().err
    assert Path("again/averages.csv").read_bytes() == first
    rows[1:].to_csv("r.csv", index=False)
    assert main(again) == 0
    assert "r.csv: these are not the ratings with which" in capsys.readouterr().err
