# SPDX-License-Identifier: MIT
"""``receval split`` writes splits, and ``receval evaluate`` takes them and those of others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval as rv
from receval.cli.main import main

pytestmark = pytest.mark.usefixtures("undrawn")

USUAL = ["--system", "pop", "--metric", "RR", "--relevant", "3", "--quiet"]


@pytest.fixture(autouse=True)
def table(folder: Path) -> pd.DataFrame:
    rng = np.random.default_rng(6)
    users, items = np.nonzero(rng.random((20, 15)) < 0.5)
    ratings = pd.DataFrame(
        {
            "user": users,
            "item": items,
            "rating": rng.integers(1, 6, len(users)),
            "timestamp": rng.permutation(len(users)) * 100,
        }
    )
    ratings.to_csv("r.csv", index=False)
    test = rng.random(len(users)) < 0.3
    ratings[~test].to_csv("train.csv", index=False)
    ratings[test].to_csv("test.csv", index=False)
    ratings.assign(part=np.where(test, "test", "train")).to_csv("parts.csv", index=False)
    return ratings


def averages(folder: str) -> list[str]:
    return Path(folder, "averages.csv").read_text(encoding="utf-8").splitlines()


@pytest.mark.costly
def test_a_written_split_is_evaluated_as_if_it_were_made_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kind = "time-windows:windows=2,cut=0.5"
    assert main(["split", "r.csv", "--kind", kind, "--out", "saved"]) == 0
    told = capsys.readouterr()
    assert re.search(r"^ +1 train +108 +20 +15$", told.out, re.MULTILINE)
    assert told.out.endswith("Written: saved/\n")
    assert told.err.startswith("r.csv: text with commas")
    assert main(["evaluate", "saved", *USUAL, "--out", "one"]) == 0
    assert main(["evaluate", "r.csv", "--split", kind, *USUAL, "--out", "two"]) == 0
    assert averages("one") == averages("two")


@pytest.mark.costly
def test_parts_of_others_are_evaluated_from_tables_and_from_a_column() -> None:
    assert main(["evaluate", "train.csv", "--test", "test.csv", *USUAL, "--out", "one"]) == 0
    assert main(["evaluate", "parts.csv", "--part", "part", *USUAL, "--out", "two"]) == 0
    assert averages("one") == averages("two")
    assert main(["evaluate", "--settings", "one/settings.json", "--out", "three"]) == 0
    assert averages("one") == averages("three")
    digests = json.loads(Path("one/settings.json").read_text(encoding="utf-8"))["digests"]
    assert set(digests) == {"train.csv", "test.csv"}


@pytest.mark.costly
def test_the_column_of_parts_is_not_said_to_be_unread(capsys: pytest.CaptureFixture[str]) -> None:
    """Also where its name is a usual one, which divides a table that is read as a whole."""
    pd.read_csv("parts.csv").rename(columns={"part": "split"}).to_csv("named.csv", index=False)
    given = ["evaluate", "named.csv", "--part", "split", *USUAL[:-1], "--out", "one"]
    assert main(given) == 0
    told = capsys.readouterr().err
    assert told.count("named.csv: text with commas") == 1
    assert "not read" not in told


@pytest.mark.costly
def test_runs_stand_beside_systems_and_are_repeated_from_settings(table: pd.DataFrame) -> None:
    data = rv.split(rv.read_ratings("r.csv"), "user-ratio", train_ratio=0.8)
    ratings = data.ratings
    counts = np.diff(next(data.folds()).train.T.tocsr().indptr)
    lists = pd.DataFrame(
        [
            (user, item, counts[code])
            for user in ratings.user_ids
            for code, item in enumerate(ratings.item_ids)
        ],
        columns=["user", "item", "score"],
    )
    lists.to_csv("mine.csv", index=False)
    arguments = ["evaluate", "r.csv", *USUAL, "--run", "mine=mine.csv"]
    assert main([*arguments, "--out", "one"]) == 0
    rows = [line.split(",") for line in averages("one")[1:]]
    (pop, mine) = sorted(rows, key=lambda row: row[2] != "pop")
    assert {pop[2], mine[2]} == {"pop", "mine"}
    assert pop[3:] == mine[3:]
    assert main(["evaluate", "--settings", "one/settings.json", "--out", "two"]) == 0
    assert averages("one") == averages("two")


@pytest.mark.costly
def test_a_selection_is_that_of_the_library_and_is_repeated_from_settings() -> None:
    """Users with few ratings go, and then items; evaluate, tune and saved results agree."""
    core = {"min_user_ratings": 6, "min_item_ratings": 5, "share": 0.9}
    text = ",".join(f"{name}={value}" for name, value in core.items())
    for left in ("left out", "candidates"):
        ratings = rv.read_ratings("r.csv")
        data = rv.split(
            ratings, "user-ratio", train_ratio=0.8, selection=core, unselected_items=left
        )
        result = rv.evaluate(data, {"pop": rv.Popularity()}, metrics="RR", relevant=3)
        own = ["--selection", text, "--unselected-items", left.replace(" ", "-")]
        assert main(["evaluate", "r.csv", *own, *USUAL, "--seed", "1", "--out", left]) == 0
        mean = result.summary()["mean"][0]
        assert float(averages(left)[1].split(",")[3]) == pytest.approx(mean, abs=1e-10)
        assert main(["evaluate", "--settings", f"{left}/settings.json", "--out", "b"]) == 0
        result.save(f"{left} of the library")
        saved = f"{left} of the library/settings.json"
        assert main(["evaluate", "--settings", saved, "--out", "c"]) == 0
        assert averages(left) == averages("b") == averages("c")
    grid = ["tune", "r.csv", *own, "--grid", "user-knn:neighbours=3", *USUAL, "--jobs", "1"]
    assert main([*grid, "--seed", "1", "--out", "d"]) == 0
    assert averages("d")[1] == averages(left)[1]


@pytest.mark.parametrize("form", ["csv", "recbole", "elliot", "lenskit", "rectools"])
def test_other_tools_get_their_files(form: str) -> None:
    assert main(["split", "r.csv", "--format", form, "--out", "out", "--name", "mine"]) == 0
    own = {
        "csv": "train.csv",
        "recbole": "mine/mine.train.inter",
        "elliot": "elliot.yml",
        "lenskit": "test.parquet",
        "rectools": "train.csv",
    }
    assert Path("out", own[form]).is_file()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["split"], "No ratings are given"),
        (["split", "r.csv", "--kind", "time-window"], "Did you mean time-windows?"),
        (["split", "r.csv", "--out", "."], "reads 'r.csv' in the folder that it would write to"),
        (
            ["split", "r.csv", "--kind", "k-fold", "--test", "test.csv"],
            "--test gives a split that others made, so the kind k-fold cannot be made",
        ),
        (
            ["evaluate", "r.csv", "--selection", "min_user_rating=5"],
            "The selection of a split has no parameter 'min_user_rating'. It has share, head_",
        ),
        (
            ["split", "r.csv", "--selection", "min_user_ratings=0"],
            "min_user_ratings of the selection is 0. It must be greater than or equal to 1",
        ),
        (["split", "r.csv", "--selection", "share"], "has a name without a value"),
        (
            ["split", "r.csv", "--selection", "share=0.5,share=0.6"],
            "'share=0.5,share=0.6' has share twice. Give it once.",
        ),
        (
            ["split", "r.csv", "--selection", "min_user_ratings=999"],
            "ratings: at least 999 ratings per user and 1 per item. Relax",
        ),
        (["split", "r.csv", "--unselected-items", "candidates"], "items that --selection leaves"),
        (["evaluate", "r.csv", "--selection", "share=0.5", "--part", "what"], "is made already"),
        (["evaluate", "r.csv", "--split", "predefined"], "A predefined split needs a test"),
        (["evaluate", "r.csv", "--part", "what"], "no column 'what'"),
        (
            ["evaluate", "r.csv", "--system", "mf", "--split", "held-out-users"],
            "which cannot recommend to users who were not in its training data",
        ),
    ],
)
def test_what_cannot_be_split_is_said(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "." in arguments:
        arguments = [*arguments, "--force"]
    assert main(arguments) == 2
    assert told in capsys.readouterr().err


def test_a_folder_with_other_files_is_kept_without_force(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("mine", encoding="utf-8")
    assert main(["split", "r.csv", "--out", "out", "--format", "csv"]) == 2
    assert "mine.txt" in capsys.readouterr().err
    assert main(["split", "r.csv", "--out", "out", "--format", "csv", "--force"]) == 0


def test_a_saved_split_is_not_split_again_and_has_no_options_of_reading(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["split", "r.csv", "--out", "saved"]) == 0
    for option, told in (("--split", "the kind what"), ("--item", "it cannot be read with item.")):
        assert main(["evaluate", "saved", *USUAL, option, "what", "--out", "out"]) == 2
        assert f"saved is a saved split, so {told}" in capsys.readouterr().err


def test_held_out_tables_have_options_of_their_own(
    table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = (pd.read_csv(f"{name}.csv") for name in ("train", "test"))
    train.to_csv("t.csv", index=False, header=False, sep=";")
    columns = ["user", "item", "timestamp", "rating"]
    test[columns].to_csv("u.csv", index=False, header=False, sep="|")
    command = ["split", "t.csv", "--columns", "user,item,rating,timestamp", "--delimiter", ";"]
    own = ["--test-delimiter", "|", "--test-columns", ",".join(columns)]
    assert main([*command, "--test", "u.csv", *own, "--out", "out", "--format", "csv"]) == 0
    told = capsys.readouterr().err
    assert "u.csv: text with '|' and no header. " in told
    found = pd.read_csv("out/test.csv").sort_values(["user", "item"], ignore_index=True)
    pd.testing.assert_frame_equal(found, test, check_dtype=False)
    # Options of the ratings hold for the test without its own, and are said.
    test.to_csv("v.csv", index=False, header=False, sep=";")
    assert main([*command, "--test", "v.csv", "--out", "same", "--format", "csv"]) == 0
    told = capsys.readouterr().err
    assert "v.csv: text with semicolons and no header, read with --delimiter, --columns. " in told
    assert Path("same/test.csv").read_bytes() == Path("out/test.csv").read_bytes()
    # Those that cannot apply to it do not hold, and neither does the format.
    test.to_parquet("w.parquet")
    named = ["split", "t.csv", "--ratings-format", "table", "--delimiter", ";"]
    named += ["--columns", "user,item,rating,timestamp", "--test", "w.parquet"]
    assert main([*named, "--out", "parquet", "--format", "csv"]) == 0
    assert "w.parquet: Parquet (by its name, .parquet), read with --columns." in (
        capsys.readouterr().err
    )
    assert Path("parquet/test.csv").read_bytes() == Path("out/test.csv").read_bytes()
    assert main([*command, "--test", "v.csv", "--test-item", "what", "--out", "no"]) == 2
    assert "v.csv" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["split", "evaluate", "multiverse"])
def test_options_of_held_out_tables_are_refused_without_any(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in (["--trained-pairs", "drop"], ["--test-delimiter", ";"], ["--no-test-header"]):
        assert main([name, "r.csv", *option, "--out", "out"]) == 2
        shown = option[0].replace("--no-", "--")
        told = " ".join(capsys.readouterr().err.split())
        assert f"{shown} is for --test and --validation. Give one of them" in told


@pytest.mark.costly
def test_pairs_of_two_parts_are_dropped_by_an_option(
    table: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    test = pd.concat([pd.read_csv("test.csv"), pd.read_csv("train.csv")[:3]])
    test.to_csv("more.csv", index=False)
    command = ["evaluate", "train.csv", "--test", "more.csv", *USUAL]
    assert main([*command, "--out", "refused"]) == 2
    assert "(in a command: --trained-pairs drop)" in " ".join(capsys.readouterr().err.split())
    assert main([*command, "--trained-pairs", "drop", "--out", "dropped"]) == 0
    assert f"3 of {len(table) + 3} ratings have a pair of an earlier part" in (
        capsys.readouterr().err
    )
    assert main(["evaluate", "train.csv", "--test", "test.csv", *USUAL, "--out", "without"]) == 0
    assert averages("dropped") == averages("without")


@pytest.mark.costly
def test_the_terminal_says_how_many_users_and_items_of_the_held_out_part_train(
    capsys: pytest.CaptureFixture[str],
) -> None:
    test = pd.read_csv("test.csv")
    new = pd.DataFrame({"user": [900], "item": [901], "rating": [5], "timestamp": [5]})
    pd.concat([test, new]).to_csv("more.csv", index=False)
    train = pd.read_csv("train.csv")
    told = []
    for what in ("user", "item"):
        of_both = np.intersect1d(test[what], train[what])
        n_own = test[what].nunique() + 1
        told.append(f"{len(of_both)} of {n_own} {what}s also in the training ratings")
    usual = [own for own in USUAL if own != "--quiet"]
    for command in (["split"], ["evaluate", *usual]):
        out = ["--out", f"by-{command[0]}"]
        assert main([command[0], "train.csv", "--test", "more.csv", *command[1:], *out]) == 0
        assert " and ".join(told) in capsys.readouterr().err
    saved = json.loads(Path("by-evaluate/settings.json").read_text(encoding="utf-8"))
    assert saved["reading"][1]["meeting"] == " and ".join(told)
