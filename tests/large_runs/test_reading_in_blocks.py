# SPDX-License-Identifier: MIT
"""Tables in blocks are read, refused and noted by the rules of tables that are read at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import ReadingReport
from receval.data.run import read_run
from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs
from receval.large_runs import reading
from receval.large_runs.evaluate import evaluate_large_runs

Tables = dict[str, pd.DataFrame]
MEASURING = {"metrics": ["nDCG@5", "P@3"], "depth": "whole"}
LATE = 45
"""A row behind the first rows, which show the columns here, and in another block."""


@pytest.fixture(autouse=True)
def _few_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "HEAD", 20)


def tables(kind: type = int) -> Tables:
    """Return test data, training data and a run of 40 users and 15 items."""
    rng = np.random.default_rng(3)
    # No pair is in two tables of ratings.
    shuffled = np.array([rng.permutation(15) for _ in range(40)])
    found = {}
    for name, first, last in (("test", 0, 3), ("train", 3, 6), ("run", 2, 8)):
        items = shuffled[:, first:last].ravel() + 100
        users = np.repeat(np.arange(10, 50), last - first)
        frame = pd.DataFrame({"user": users, "item": items})
        if name == "run":
            frame["score"] = rng.permutation(len(frame)) / 7
        else:
            frame["rating"] = rng.integers(1, 6, len(frame)).astype(float)
        if kind is str:
            frame[["user", "item"]] = "n" + frame[["user", "item"]].astype(str)
        found[name] = frame
    return found


def written(folder: Path, own: Tables) -> dict[str, Path]:
    paths = {}
    for name, frame in own.items():
        paths[name] = folder / f"{name}.parquet"
        frame.to_parquet(paths[name], index=False, row_group_size=20)
    return paths


Options = dict[str, dict[str, Any]]


def in_blocks(folder: Path, own: Tables, options: Options | None = None) -> EvaluationResult:
    paths, options = written(folder, own), options or {}
    return evaluate_large_runs(
        paths["test"],
        {"run": paths["run"]},
        folder / "blocks",
        train=paths.get("train"),
        **{f"{name}_columns": own for name, own in options.items()},
        rows=40,
        jobs=1,
        **MEASURING,
    )


def at_once(folder: Path, own: Tables, options: Options | None = None) -> EvaluationResult:
    paths, options = written(folder, own), options or {}
    train = options.get("train", {})
    return evaluate_runs(
        read_test_data(paths["test"], **options.get("test", {})),
        {"run": read_run(paths["run"], **options.get("run", {}))},
        train=read_ratings(paths["train"], **train) if "train" in paths else None,
        **MEASURING,
    )


def told(report: ReadingReport) -> dict[str, Any]:
    """Return what a report says, but for its form."""
    names = ("source", "columns", "rows", "merged", "users", "items", "values", "meeting", "rule")
    return {name: getattr(report, name) for name in names} | {"unread": sorted(report.unread)}


def assert_read_alike(folder: Path, own: Tables, options: Options | None = None) -> str:
    """Compare all that is said with what is said of whole tables, and return the notes."""
    found, wanted = in_blocks(folder, own, options), at_once(folder, own, options)
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), rtol=1e-12)
    assert [told(own) for own in found.reading] == [told(own) for own in wanted.reading]
    assert found.words == wanted.words
    notes = sorted(str(note) for note in found.notes if note.code != "evaluated-in-blocks")
    assert notes == sorted(map(str, wanted.notes))
    return "\n".join(notes)


@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("has_train", [True, False])
def test_the_report_is_that_of_whole_tables(tmp_path: Path, kind: type, has_train: bool) -> None:
    own = tables(kind)
    for frame in own.values():
        frame["title"] = "x"
    if not has_train:
        del own["train"]
    assert assert_read_alike(tmp_path, own) == ""


def changed(name: str, column: str, value: Any, rows: Any = LATE) -> Callable[[Tables], None]:
    def change(own: Tables) -> None:
        own[name].loc[rows, column] = value

    return change


def with_a_user(name: str, user: Any) -> Callable[[Tables], None]:
    """Add a user whose place in the order is that of the name."""

    def change(own: Tables) -> None:
        frame = own[name]
        more = frame.iloc[:1].assign(user=user)
        own[name] = pd.concat([frame, more]).sort_values("user", kind="stable")

    return change


def with_ranks(own: Tables) -> None:
    frame = own["run"].sort_values(["user", "score"], ascending=[True, False])
    frame["rank"] = frame.groupby("user").cumcount() + 1.0
    frame.index = range(len(frame))
    own["run"] = frame


def ranks_that_disagree(own: Tables) -> None:
    with_ranks(own)
    own["run"].loc[[48, 49], "rank"] = [2.0, 1.0]


def scores_that_count(own: Tables) -> None:
    own["run"]["score"] = own["run"].groupby("user").cumcount() + 1.0


def scores_that_count_at_first(own: Tables) -> None:
    scores_that_count(own)
    own["run"].loc[LATE, "score"] = 9.0


def rising_scores(own: Tables) -> None:
    own["run"] = own["run"].sort_values(["user", "score"], ignore_index=True)


def other_names(own: Tables) -> None:
    own["run"] = own["run"].rename(columns={"score": "zeal"})


def another_scale(own: Tables) -> None:
    own["train"]["rating"] *= 20


def counts(own: Tables) -> None:
    own["test"] = own["test"].rename(columns={"rating": "plays"})
    own["test"].loc[LATE, "plays"] = 1.5


def few_items(own: Tables) -> None:
    own["run"]["item"] += 1000 * (own["run"].index % 11)


def constant(own: Tables) -> None:
    own["test"]["rating"] = 3.0
    del own["train"]["rating"]


def scores_as_test_data(own: Tables) -> None:
    own["test"]["rating"] = np.linspace(0, 1, len(own["test"]))
    own["run"]["score"] = 1.0 + (np.arange(len(own["run"])) % 2)


def with_folds(own: Tables) -> None:
    own["train"]["fold"] = 1


def with_objects(own: Tables) -> None:
    own["train"]["set"] = [{"a": 1}] * len(own["train"])


def few_users(own: Tables) -> None:
    own["run"]["user"] += 30


def new_users(own: Tables) -> None:
    own["train"]["user"] += 1000


def exchanged(own: Tables) -> None:
    for frame in own.values():
        frame["item"] -= 95
    frame = own["run"].rename(columns={"user": "item", "item": "user"})
    own["run"] = frame.sort_values("user", kind="stable").reset_index(drop=True)


def exchanged_training(own: Tables) -> None:
    rng = np.random.default_rng(3)
    shares = [rng.pareto(1.5, size) + 0.2 for size in (90, 70)]
    drawn = [rng.choice(len(share), 4000, p=share / share.sum()) for share in shares]
    pairs = pd.DataFrame(dict(zip(("user", "item"), drawn, strict=True))).drop_duplicates()
    pairs = pairs.astype(type(own["test"]["user"][0])).assign(rating=1.0)
    is_test = rng.random(len(pairs)) < 0.3
    own["test"] = pairs[is_test].sort_values("user")
    own["run"] = own["test"].rename(columns={"rating": "score"}).assign(score=lambda f: f.index / 7)
    given = pairs[~is_test]
    exchanged = given.set_axis(["item", "user", "rating"], axis=1)
    # A pair that is exchanged may be one of the test.
    both = exchanged.merge(own["test"][["user", "item"]], how="left", indicator=True)
    own["train"] = exchanged[(both["_merge"] == "left_only").to_numpy()].sort_values("user")


def infinite(own: Tables) -> None:
    own["run"]["score"] = -np.inf


@pytest.mark.parametrize(
    ("kind", "change", "note"),
    [
        (int, constant, "all 120 ratings are 3"),
        (int, changed("test", "rating", -1.0), "the rating -1 (0.8% of all) may stand for"),
        (int, changed("train", "rating", 99.0), "the rating 99 (0.8% of all) may stand for"),
        (int, changed("test", "rating", 9.0, 0), "Check that users like items with a rating of"),
        (int, counts, "1 of 120 counts (plays) have fractions, such as 1.5"),
        (int, another_scale, "so they may have different scales"),
        (int, changed("run", "score", np.nan), "1 of 240 items have no score (NaN)"),
        (int, changed("run", "score", 2.0, slice(None)), "the same score for all items, 2"),
        (int, exchanged_training, "fit the test data better if their users and items are"),
        (str, exchanged_training, "fit the test data better if their users and items are"),
        (int, infinite, "has only infinite scores"),
        (int, changed("run", "score", np.inf), ""),
        (int, with_ranks, ""),
        (int, ranks_that_disagree, "disagree on the order of items for 1 of 40 users"),
        (int, scores_that_count, "the scores of each user are 1, 2, 3 and so on"),
        (int, scores_that_count_at_first, ""),
        (int, rising_scores, "the scores of 40 of 40 lists of 5 or more items rise"),
        (int, other_names, "no column has a known name for scores or ranks"),
        (int, few_users, "Only 25.0% of the 40 users of run are in the test data"),
        (int, few_items, "items of run are in the test or training data"),
        (int, exchanged, "times as many test pairs if its users and items are exchanged"),
        (int, new_users, "None of the 40 users of the training data are among the 40 users"),
        (int, with_a_user("run", -1), "'-1' among the users may stand for missing identifiers"),
        (int, changed("run", "item", -1), "'-1' among the items may stand for missing identifiers"),
        (str, with_a_user("test", "null"), "'null' among the users may stand for missing"),
        (str, with_a_user("run", "N30"), "differ from one there only because the two sides differ"),
        (str, with_a_user("train", "N30"), "of users differs from others only in white space"),
        (int, scores_as_test_data, "test data have many ratings with fractions, up to 1, as"),
        (int, with_folds, "the column fold was not read, so all its parts count as one table"),
        (int, with_objects, ""),
        (str, changed("run", "item", "1-Mar"), "1 of 16 items look as a spreadsheet writes them"),
    ],
)  # fmt: skip
def test_what_is_noted_of_later_rows_is_what_is_noted_of_whole_tables(
    tmp_path: Path, kind: type, change: Callable[[Tables], None], note: str
) -> None:
    own = tables(kind)
    change(own)
    found = assert_read_alike(tmp_path, own)
    assert note in found
    assert found or not note


def refused(folder: Path, own: Tables, options: Options | None = None) -> str:
    with pytest.raises(ValueError, match=r"\.$") as error:
        in_blocks(folder, own, options)
    assert len(str(error.value)) <= 500
    return str(error.value).replace(f"{folder}/", "")


def repeated(name: str) -> Callable[[Tables], None]:
    def change(own: Tables) -> None:
        own[name].loc[LATE + 1, "item"] = own[name].loc[LATE, "item"]

    return change


def whole_numbers_as_floats(own: Tables) -> None:
    for frame in own.values():
        frame["item"] = frame["item"].astype(str) + ".0"


def texts_as_ratings(own: Tables) -> None:
    own["test"]["rating"] = own["test"]["rating"].astype(str).str.replace(".", ",")


def no_names(own: Tables) -> None:
    own["test"].columns = ["0", "1", "2"]


def parts_of_a_split(own: Tables) -> None:
    own["test"]["split"] = ["train"] * LATE + ["test"] * (len(own["test"]) - LATE)


def lists_in_cells(own: Tables) -> None:
    own["train"].loc[60:, "item"] = [f"[{n}, {n + 1}]" for n in range(60, 120)]


def other_users(own: Tables) -> None:
    own["run"]["user"] += 1000


def beyond_64_bits(own: Tables) -> None:
    own["run"]["item"] = own["run"]["item"].astype(np.uint64)
    own["run"].loc[LATE, "item"] = np.uint64(2**64 - 1)


@pytest.mark.parametrize(
    ("kind", "change", "error"),
    [
        (int, changed("test", "rating", np.nan), "test.parquet, row 46 has no rating"),
        (int, changed("train", "rating", np.inf), "train.parquet, row 46 has the rating inf"),
        (int, changed("test", "rating", 1e300), "test.parquet, row 46 has the rating 1e+300"),
        (str, changed("run", "item", None), "run.parquet, row 46 has no item"),
        (str, changed("run", "item", ""), "run.parquet, row 46 has no item"),
        (str, changed("run", "item", "a\0b"), "row 46: the item 'a\\x00b' has a null character"),
        (str, changed("train", "item", "\ufeffn101"), "row 46: the item has a byte order mark"),
        (int, repeated("test"), "test.parquet, row 47 has the same pair as test.parquet, row 46"),
        (int, repeated("train"), "row 47 has the same pair as train.parquet, row 46"),
        (int, repeated("run"), "run.parquet, row 47 has the same pair as run.parquet, row 46"),
        (int, whole_numbers_as_floats, "seem to be whole numbers (111). In blocks they cannot"),
        (int, texts_as_ratings, "string. Tables in blocks need numbers as ratings"),
        (int, no_names, "its columns have no names"),
        (int, parts_of_a_split, "test.parquet: the column split has train, test"),
        (str, lists_in_cells, "train.parquet: items seem to be lists, such as '["),
        (int, other_users, "No user of the run 'run' is in the test data"),
        (int, beyond_64_bits, "has identifiers from 2**63 on"),
    ],
)  # fmt: skip
def test_what_is_refused_of_whole_tables_is_refused_with_its_place(
    tmp_path: Path, kind: type, change: Callable[[Tables], None], error: str
) -> None:
    own = tables(kind)
    change(own)
    assert error in refused(tmp_path, own)


def test_a_rank_below_0_is_refused_with_its_row(tmp_path: Path) -> None:
    own = tables()
    with_ranks(own)
    own["run"].loc[LATE, "rank"] = -3.0
    assert "run.parquet, row 46 has the rank -3" in refused(tmp_path, own)
    del own["run"]["score"]
    (tmp_path / "again").mkdir()
    assert "run.parquet, row 46 has the rank -3" in refused(tmp_path / "again", own)


@pytest.mark.parametrize("rule", ["first", "last", "sum", "mean", "max"])
@pytest.mark.parametrize("name", ["test", "train"])
def test_pairs_that_are_rated_again_are_merged_in_all_rows(
    tmp_path: Path, name: str, rule: str
) -> None:
    own = tables()
    repeated(name)(own)
    own[name].loc[[LATE, LATE + 1], "rating"] = [1.5, 4.5]
    assert_read_alike(tmp_path, own, {name: {"duplicates": rule}})


def test_pairs_are_not_merged_without_their_times(tmp_path: Path) -> None:
    own = tables()
    repeated("test")(own)
    own["test"]["ts"] = 1_600_000_000 + np.arange(len(own["test"]))[::-1]
    assert "cannot be merged by time" in refused(tmp_path, own, {"test": {"duplicates": "last"}})
    options = {"test": {"duplicates": "last", "timestamp": "-"}}
    assert_read_alike(tmp_path, own, options)


def test_times_are_said_not_to_be_read(tmp_path: Path) -> None:
    own = tables()
    own["test"]["ts"] = 1_600_000_000
    assert in_blocks(tmp_path, own).reading[0].unread == ("ts",)


def test_identifiers_may_stay_as_written(tmp_path: Path) -> None:
    own = tables()
    whole_numbers_as_floats(own)
    as_written = {"identifiers": "as-written"}
    assert_read_alike(tmp_path, own, dict.fromkeys(own, as_written))


def test_files_with_other_columns_are_refused(tmp_path: Path) -> None:
    own = tables()
    paths = written(tmp_path, own)
    folder = tmp_path / "parts"
    folder.mkdir()
    own["test"][:60].to_parquet(folder / "0.parquet", index=False)
    own["test"][60:].drop(columns="rating").to_parquet(folder / "1.parquet", index=False)
    with pytest.raises(ValueError, match=r"1\.parquet and .*0\.parquet have different columns"):
        evaluate_large_runs(folder, {"run": paths["run"]}, tmp_path / "blocks", jobs=1)


def test_ratings_in_the_names_of_folders_are_refused(tmp_path: Path) -> None:
    own = tables()
    paths = written(tmp_path, own)
    for rating, part in own["test"].groupby("rating"):
        folder = tmp_path / "parts" / f"rating={rating:g}"
        folder.mkdir(parents=True)
        part.drop(columns="rating").to_parquet(folder / "0.parquet", index=False)
    with pytest.raises(
        ValueError, match="'rating' cannot be read in blocks, as it is in the names"
    ):
        evaluate_large_runs(tmp_path / "parts", {"run": paths["run"]}, tmp_path / "blocks", jobs=1)


def test_files_of_different_scales_are_noted(tmp_path: Path) -> None:
    own = tables()
    paths = written(tmp_path, own)
    folder = tmp_path / "parts"
    folder.mkdir()
    own["test"][:60].to_parquet(folder / "0.parquet", index=False)
    own["test"][60:].assign(rating=own["test"]["rating"] * 20).to_parquet(
        folder / "1.parquet", index=False
    )
    found = evaluate_large_runs(
        folder, {"run": paths["run"]}, tmp_path / "blocks", jobs=1, **MEASURING
    )
    assert "differing-scales" in {note.code for note in found.notes}


def test_an_item_twice_in_a_list_with_the_best_first_is_refused(tmp_path: Path) -> None:
    own = tables()
    own["run"]["score"] = -own["run"].groupby("user").cumcount().astype(float)
    # The item is neither judged nor a training item.
    own["run"].loc[[LATE, LATE + 2], "item"] = 999
    assert "run.parquet, row 48 has the same pair as" in refused(tmp_path, own)
