# SPDX-License-Identifier: MIT
"""Lists evaluated in blocks of users have the values of lists that are evaluated at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st

import receval as rv
from receval.data import parquet_by_user
from receval.data.reading import TableError
from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs
from receval.large_runs.evaluate import (
    evaluate_large_runs,
    joined_result,
    measure_shard,
    plan_large_runs,
)
from receval.large_runs.plan import PlanFolder

METRICS = ["nDCG@5", "P@3", "RR", "ERR@5"]
PROTOCOLS = ["AR AI-AN", "1R AI-AN"]


def tables(n_users: int = 12, n_items: int = 12) -> dict[str, pd.DataFrame]:
    """Return test data, training data and two runs, in which some users are missing."""
    rng = np.random.default_rng(1)
    found = {}
    for name, size, missing in (("test", 3, 2), ("train", 3, 0), ("one", 8, 1), ("two", 6, 4)):
        users = np.delete(np.arange(10, 10 + n_users), np.arange(missing) * 3)
        # The first items are the training items, so that no pair is in both.
        first, last = (
            (0, 4) if name == "train" else (4, n_items) if name == "test" else (0, n_items)
        )
        items = np.concatenate([first + rng.permutation(last - first)[:size] for _ in users])
        frame = pd.DataFrame({"user": np.repeat(users, size), "item": items})
        if name in ("test", "train"):
            frame["rating"] = rng.integers(1, 6, len(frame))
        else:
            frame["score"] = rng.integers(0, 9, len(frame)) / 4
        found[name] = frame
    return found


def written(folder: Path, own: dict[str, pd.DataFrame], rows: int = 13, files: int = 1) -> None:
    """Write tables with small row groups, in one file or in several with consecutive users."""
    folder.mkdir(exist_ok=True)
    for name, frame in own.items():
        (folder / name).mkdir()
        for number, part in enumerate(np.array_split(np.arange(len(frame)), files)):
            path = folder / name / f"{number}.parquet"
            frame.iloc[part].to_parquet(path, index=False, row_group_size=rows)


def in_blocks(folder: Path, out: str = "blocks", **options: Any) -> EvaluationResult:
    names: Sequence[str] = ("one", "two")
    options = {"metrics": METRICS, "protocols": PROTOCOLS, "depth": "whole", "jobs": 1} | options
    return evaluate_large_runs(
        folder / "test", {name: folder / name for name in names}, folder / out, **options
    )


def at_once(own: dict[str, pd.DataFrame], **options: Any) -> EvaluationResult:
    options = {"metrics": METRICS, "protocols": PROTOCOLS, "depth": "whole"} | options
    return evaluate_runs(own["test"], {name: own[name] for name in ("one", "two")}, **options)


def assert_equal(found: EvaluationResult, wanted: EvaluationResult) -> None:
    for one, other in (
        (found.summary(), wanted.summary()),
        (found.compare(test="t", power=0.8), wanted.compare(test="t", power=0.8)),
    ):
        pd.testing.assert_frame_equal(one, other, rtol=1e-10, atol=1e-13)
    assert found.words == wanted.words


def bytes_of(result: EvaluationResult) -> str:
    """Return all that a result says, with every digit."""
    pairs = result.compare(test="t", margin=0.1, power=0.8)
    return result.summary().to_csv() + pairs.to_csv() + repr((result.notes, result.words))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables")
    written(path, tables())
    return path


@pytest.fixture(scope="module")
def whole(folder: Path) -> EvaluationResult:
    return in_blocks(folder, "whole", train=folder / "train", rows=10_000)


def test_values_are_those_of_lists_evaluated_at_once(whole: EvaluationResult) -> None:
    own = tables()
    assert_equal(whole, at_once(own, train=own["train"]))


@pytest.mark.costly
@tries(8)
@given(
    rows=st.integers(1, 80), size=st.integers(1, 40), files=st.integers(1, 4), n=st.integers(1, 5)
)
def test_any_division_gives_the_same_bytes(
    whole: EvaluationResult, tmp_path_factory: pytest.TempPathFactory,
    rows: int, size: int, files: int, n: int,
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("divided")
    written(path, tables(), size, files)
    out = plan_large_runs(
        path / "test",
        {name: path / name for name in ("one", "two")},
        path / "blocks",
        train=path / "train",
        metrics=METRICS,
        protocols=PROTOCOLS,
        depth="whole",
        rows=rows,
        jobs=1,
    )
    for shard in range(n, 0, -1):
        measure_shard(out, shard, n)
    assert bytes_of(joined_result(out)) == bytes_of(whole)
    shutil.rmtree(path)


@pytest.mark.parametrize("ties", ["trec", "random", "listed"])
def test_texts_in_files_that_share_ranges_of_users_have_the_same_values(
    tmp_path: Path, ties: str
) -> None:
    own = tables()
    for frame in own.values():
        for column in ("user", "item"):
            frame[column] = "n" + frame[column].astype(str)
    for name, frame in own.items():
        (tmp_path / name).mkdir()
        for number in range(2):
            part = frame[frame["user"].str[-1].isin(list("02468")) == bool(number)]
            part.to_parquet(tmp_path / name / f"{number}.parquet", index=False, row_group_size=5)
    found = in_blocks(tmp_path, rows=40, train=tmp_path / "train", ties=ties)
    assert_equal(found, at_once(own, train=own["train"], ties=ties))


@pytest.mark.parametrize("ties", ["trec", "random", "listed"])
@pytest.mark.parametrize("factor", [7, 10**6])
def test_numbers_of_items_with_gaps_have_the_same_values(
    tmp_path: Path, ties: str, factor: int
) -> None:
    own = tables()
    for frame in own.values():
        frame["item"] *= factor
    written(tmp_path, own)
    how = {"ties": ties, "depth": "auto", "metrics": ["nDCG@5", "P@3"], "protocols": "AR AI-AN"}
    assert_equal(in_blocks(tmp_path, rows=40, **how), at_once(own, **how))


@pytest.mark.parametrize("size", [5, 8])
@pytest.mark.parametrize(
    "change", ["none", "rising", "equal", "equal beside ranks", "lacking", "stranger"]
)
def test_lists_with_the_best_first_have_the_same_values(
    tmp_path: Path, size: int, change: str
) -> None:
    own = tables()
    for name in ("one", "two"):
        own[name]["score"] = -own[name].groupby("user").cumcount() - 1.0
    one = own["one"]
    # The row 5 begins a row group of five rows, in the middle of a list.
    if change == "rising" or change.startswith("equal"):
        one.loc[5, "score"] = one["score"][4] + (change == "rising")
        # Of two with the same score, the relevant one is second in the file and first in the list.
        judged = own["test"].query(f"user == {one['user'][5]} and rating > 3")["item"]
        listed = one["item"].tolist()[:8]
        for row, item in ((4, 0), (5, judged.max())):
            other = listed.index(item)
            listed[row], listed[other] = item, listed[row]
        one.loc[:7, "item"] = listed
        if change == "equal beside ranks":
            one["rank"] = one.groupby("user").cumcount() + 1
    elif change == "lacking":
        one.loc[8, "score"] = np.nan
    else:
        own["test"] = own["test"].iloc[3 if change == "stranger" else 0 :]
    written(tmp_path, own, size)
    assert_equal(in_blocks(tmp_path, rows=20), at_once(own))


def test_items_that_the_plan_lacks_are_refused(tmp_path: Path) -> None:
    written(tmp_path, tables())
    out = plan_large_runs(tmp_path / "test", {"one": tmp_path / "one"}, tmp_path / "blocks", jobs=1)
    items = pd.read_parquet(out / "items.parquet")
    for some in (items.iloc[1:], items.iloc[:-1], items.drop(index=items.index[5])):
        some.to_parquet(out / "items.parquet")
        with pytest.raises(
            TableError, match="has items that were not there when the plan was made"
        ):
            measure_shard(out)


def test_ranks_and_the_given_order_have_the_same_values(tmp_path: Path) -> None:
    own = tables()
    own["one"]["rank"] = own["one"].groupby("user").cumcount() + 1
    own["one"] = own["one"].drop(columns="score")
    own["two"] = own["two"].drop(columns="score")
    written(tmp_path, own)
    assert_equal(in_blocks(tmp_path, rows=20), at_once(own))


def test_values_of_users_are_in_files(folder: Path, whole: EvaluationResult) -> None:
    own = tables()
    wanted = at_once(own, train=own["train"]).per_user()
    found = pd.read_parquet(folder / "whole" / "users")
    found = found.astype({"protocol": str, "system": str, "user": str})
    wanted = pd.DataFrame(wanted).astype({"user": str})
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


def test_a_killed_block_is_measured_again_and_no_other(
    folder: Path, whole: EvaluationResult
) -> None:
    own = {"train": folder / "train", "rows": 30}
    in_blocks(folder, "killed", **own)
    sums = sorted((folder / "killed" / "sums").iterdir())
    assert len(sums) > 2
    last = sums[-1].read_bytes()
    sums[-1].unlink()
    with pytest.raises(ValueError, match=rf"1 block of .* the first is {len(sums)}"):
        joined_result(folder / "killed")
    sums[-1].write_bytes(last)
    sums[1].unlink()
    times = {path: path.stat().st_mtime_ns for path in sums if path.exists()}
    with pytest.raises(ValueError, match=r"1 block of .* the first is 2"):
        joined_result(folder / "killed")
    assert bytes_of(in_blocks(folder, "killed", **own)) == bytes_of(whole)
    assert times == {path: path.stat().st_mtime_ns for path in times}


def test_another_evaluation_in_the_same_folder_is_refused(
    folder: Path, whole: EvaluationResult
) -> None:
    with pytest.raises(ValueError, match="another evaluation, with other values of seed"):
        in_blocks(folder, "whole", train=folder / "train", rows=10_000, seed=2)


def test_missing_or_repeated_rows_and_a_damaged_plan_are_refused(folder: Path) -> None:
    in_blocks(folder, "counted", rows=50)
    path = folder / "counted" / "plan.json"
    plan = json.loads(path.read_text())
    plan["runs"][1]["rows"] += 6
    path.write_text(json.dumps(plan))
    with pytest.raises(TableError, match="users are missing or repeated"):
        joined_result(folder / "counted")
    path.write_text("{")
    with pytest.raises(ValueError, match=r"plan\.json"):
        in_blocks(folder, "counted", rows=50)


def test_changed_files_are_refused(tmp_path: Path) -> None:
    written(tmp_path, tables())
    in_blocks(tmp_path, rows=50)
    next((tmp_path / "blocks" / "sums").iterdir()).unlink()
    shutil.copy(tmp_path / "one" / "0.parquet", tmp_path / "one" / "1.parquet")
    with pytest.raises(TableError, match="other files than when the plan was made"):
        measure_shard(tmp_path / "blocks")


def refused(path: Path, own: dict[str, pd.DataFrame], **options: Any) -> str:
    written(path, own)
    with pytest.raises(ValueError, match=r"\.$") as error:
        in_blocks(path, **options)
    assert len(str(error.value)) <= 500
    return str(error.value)


def test_a_user_in_two_places_is_refused(tmp_path: Path) -> None:
    own = tables()
    own["two"] = pd.concat([own["two"].iloc[1:], own["two"].iloc[:1]])
    assert "the rows of user 11 are in two places" in refused(tmp_path, own)


def test_an_item_twice_in_a_list_is_refused(tmp_path: Path) -> None:
    own = tables(n_users=200)
    last = own["one"].index[-1]
    own["one"].loc[last, "item"] = own["one"].loc[last - 1, "item"]
    item, user = own["one"].loc[last, ["item", "user"]].astype(int)
    assert f"item {item} is twice there for user {user}" in refused(tmp_path, own)


def test_tables_in_no_order_are_refused(tmp_path: Path) -> None:
    own = tables(n_users=400)
    own["one"] = own["one"].sample(frac=1, random_state=1)
    assert "is not in the order of users" in refused(tmp_path, own, rows=60)


def test_numbers_and_texts_are_refused_together(tmp_path: Path) -> None:
    own = tables()
    own["one"]["user"] = own["one"]["user"].astype(str)
    assert "whole numbers in the test data, but texts in the run one" in refused(tmp_path, own)


def test_pairs_in_both_tables_are_refused_or_dropped(tmp_path: Path) -> None:
    own = tables()
    own["train"] = pd.concat([own["train"], own["test"].iloc[[5]]]).sort_values("user")
    train = tmp_path / "train"
    assert "test pairs are also in the training data" in refused(tmp_path, own, train=train)
    found = in_blocks(tmp_path, "dropped", train=train, trained_pairs="drop", rows=40)
    assert_equal(found, at_once(own, train=own["train"], trained_pairs="drop"))


def test_the_highest_rating_of_pairs_that_may_be_dropped_is_not_known(tmp_path: Path) -> None:
    own = tables()
    own["test"].loc[5, "rating"] = 6
    written(tmp_path, own)
    options = {"train": tmp_path / "train", "metrics": ["ERR@5"], "protocols": "AR AI-AN"}
    with pytest.raises(ValueError, match=r"ERR@5 cannot be computed .* the highest rating"):
        in_blocks(tmp_path, trained_pairs="drop", **options)
    found = in_blocks(tmp_path, "kept", **options).summary()
    wanted = at_once(own, **options | {"train": own["train"]}).summary()
    pd.testing.assert_frame_equal(found, wanted, rtol=1e-10)


@pytest.mark.parametrize(("kind", "part"), [(str, 9), (int, 1), (int, 2), (int, 3), (int, -1)])
def test_a_large_row_group_is_divided_and_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type, part: int
) -> None:
    own = tables()
    for frame in own.values():
        frame[["user", "item"]] = frame[["user", "item"]].astype(kind)
    written(tmp_path, own, rows=1000)
    read = {"train": tmp_path / "train", "rows": 20}
    wanted = in_blocks(tmp_path, "groups", **read)
    # -1 is one row less than the test ratings have: a user's rows are in two parts.
    monkeypatch.setattr(parquet_by_user, "PART", part if part > 0 else len(own["test"]) + part)
    monkeypatch.setattr(parquet_by_user, "_MOST_PARTS", 1)
    found = in_blocks(tmp_path, "parts", **read)
    assert bytes_of(found) == bytes_of(wanted)
    n_blocks = [PlanFolder(tmp_path / name).plan.n_blocks for name in ("groups", "parts")]
    assert n_blocks[0] == 1
    assert n_blocks[1] > (3 if part > 0 else 1)
    # A shard of the last blocks reads the rows before as well.
    again = plan_large_runs(
        *(tmp_path / "test", {name: tmp_path / name for name in ("one", "two")}, tmp_path / "more"),
        **read, metrics=METRICS, protocols=PROTOCOLS, depth="whole", jobs=1,
    )  # fmt: skip
    for shard in (3, 1, 2):
        measure_shard(again, shard, 3)
    assert bytes_of(joined_result(again)) == bytes_of(wanted)


@pytest.mark.parametrize("metric", ["Gini@5", "StratifiedRecall@5"])
def test_metrics_of_all_users_are_refused(folder: Path, metric: str) -> None:
    with pytest.raises(ValueError, match="cannot be computed in blocks of users"):
        in_blocks(folder, "metrics", metrics=[metric], protocols="AR AI-AN")


@pytest.mark.parametrize("protocol", ["AR TI-AN", "1R AI-NN sampled=5"])
def test_protocols_that_need_all_users_are_refused(folder: Path, protocol: str) -> None:
    with pytest.raises(ValueError, match="cannot be evaluated in blocks of users"):
        in_blocks(folder, "protocols", protocols=protocol)


def test_what_needs_the_values_of_users_is_refused(whole: EvaluationResult) -> None:
    for ask in (whole.per_user, whole.distribution, lambda: whole.compare(test="sign")):
        with pytest.raises(ValueError, match="needs the values of each user"):
            ask()


@pytest.mark.usefixtures("undrawn")
def test_sums_are_compared_by_the_t_test_unless_another_is_named(
    whole: EvaluationResult, tmp_path: Path
) -> None:
    assert set(whole.compare()["method"]) == {"t"}
    pd.testing.assert_frame_equal(whole.compare(), whole.compare(test="t"))
    pd.testing.assert_frame_equal(whole.groups(), whole.groups(test="t"))
    assert "paired t-test" in whole.methods()
    whole.to_latex(tmp_path / "table.tex")
    assert "paired t-test" in (tmp_path / "table.tex").read_text(encoding="utf-8")
    assert "paired t-test" in whole.as_report().page()


def test_sums_are_not_saved_but_found_again_in_their_folder(
    whole: EvaluationResult, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"saved already: call evaluate_large_runs .*whole,"):
        whole.save(tmp_path)


def test_functions_are_refused_and_metrics_may_be_objects(folder: Path) -> None:
    def own(ranks: np.ndarray) -> float:
        return float(ranks[0] > 0)

    for metric in (own, rv.metric_of(own, level="judged", name="Own")):
        with pytest.raises(ValueError, match="is a function, which the plan"):
            in_blocks(folder, "functions", metrics=[metric])
    found = in_blocks(folder, "objects", metrics=[rv.metric("RR")])
    assert found.metrics == ("RR",)


def test_other_files_are_refused(tmp_path: Path) -> None:
    written(tmp_path, tables())
    (tmp_path / "one" / "0.parquet").write_text("user,item\n1,2\n")
    with pytest.raises(TableError, match="is not a Parquet file"):
        in_blocks(tmp_path)
