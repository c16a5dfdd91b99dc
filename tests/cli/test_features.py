# SPDX-License-Identifier: MIT
"""Features of items and groups of users and items in commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli.random_tables import random_ratings

from receval.cli.main import main

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Ratings, and features of their users and items, in the current folder."""
    Path("ratings.csv").write_text(random_ratings(40, 25, 0.5), encoding="utf-8")
    ratings = pd.read_csv("ratings.csv")
    for name, column, values in (
        ("films.csv", "item", ["A", "A|B", "C"]),
        ("people.csv", "user", ["F", "M"]),
    ):
        own = np.unique(ratings[column])
        feature = "genre" if column == "item" else "gender"
        cells = [values[number % len(values)] for number in range(len(own))]
        table = pd.DataFrame({column: own, feature: cells, "year": np.arange(len(own)) % 3})
        table.to_csv(name, index=False)


WANTED = [
    "--metric=nDCG@5",
    "--metric=ILD(feature=genre)@5",
    "--metric=ListShare@5",
    "--item-features=films.csv:genre",
    "--item-features=films.csv:year",
    "--item-groups=films.csv:genre",
    "--user-groups=people.csv:gender,year",
    "--user-groups=activity",
    "--samples=100",
]


def test_groups_and_features_are_options_part_of_the_report_and_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["evaluate", "ratings.csv", *WANTED, "--out=one"]) == 0
    told = capsys.readouterr()
    by_genre = ("Items by genre", "Listed items by genre")
    for title in ("Users by gender", "Users by year", "Users by activity", *by_genre):
        assert f"**{title}**" in told.out
    assert "read: genre (3 values), year (3 values)" in told.err
    assert "read: gender (2 values), year (3 values)" in told.err
    written = {path.name for path in Path("one").iterdir()}
    assert {"users-by-gender.csv", "users-by-gender-pairs.csv", "items-by-genre.tex"} <= written
    assert {"listed-items-by-genre.csv", "listed-items-by-genre-pairs.tex"} <= written

    assert main(["evaluate", "--settings=one/settings.json", "--out=two"]) == 0
    for name in ("users-by-activity.csv", "items-by-genre-pairs.csv", "averages.csv"):
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()
    arguments = json.loads(Path("one/settings.json").read_text(encoding="utf-8"))["arguments"]
    assert arguments["user_groups"] == ["people.csv:gender,year", "activity"]


def test_numbers_of_users_are_divided_into_groups(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "ratings.csv", "--metric=RR", "--samples=100"]
    assert main([*words, "--user-groups=people.csv:year/2", "--out=one"]) == 0
    assert main(["evaluate", "--settings=one/settings.json", "--out=two"]) == 0
    assert "**Users by year**" in capsys.readouterr().out
    assert set(pd.read_csv("one/users-by-year.csv")["group"]) == {"below 1", "1 or more"}
    assert Path("one/users-by-year.csv").read_bytes() == Path("two/users-by-year.csv").read_bytes()


def test_lists_of_others_have_groups_too(capsys: pytest.CaptureFixture[str]) -> None:
    ratings = pd.read_csv("ratings.csv")
    run = ratings[["user", "item"]].assign(score=np.arange(len(ratings)) % 7)
    run.to_csv("mine.csv", index=False)
    words = ["--test=ratings.csv", "--depth=whole", *WANTED[:5], "--user-groups=people.csv:gender"]
    assert main(["runs", "mine.csv", *words]) == 0
    assert "**Users by gender**" in capsys.readouterr().out


def test_the_column_of_identifiers_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    for name, column in (("films.csv", "item"), ("people.csv", "user")):
        pd.read_csv(name).rename(columns={column: "key"}).to_csv(name, index=False)
    named = ["--item-features-id=key", "--user-features-id=key"]
    assert main(["evaluate", "ratings.csv", *WANTED, *named]) == 0
    assert "identifiers (key); read: genre" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--user-groups=people.csv"], "Name the one that you mean"),
        (["--user-groups=people.csv:size"], "no feature 'size'"),
        (["--item-groups=nothing.csv:genre"], "nothing.csv"),
        (["--metric=ILD(feature=genre)@5"], "needs the feature 'genre'"),
        (["--item-features=films.csv", "--metric=ILD@5"], "needs the name of a feature"),
    ],
)
def test_what_cannot_be_grouped_is_one_sentence(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "ratings.csv", "--system=pop", "--samples=10", *words]) == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert told in error
    assert len(error) < 520


def test_files_of_features_are_never_written_over(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--user-groups=people.csv:gender", "--report=people.csv", "--force"]
    assert main(["evaluate", "ratings.csv", *words]) == 2
    assert "would overwrite it" in capsys.readouterr().err


def test_scores_of_runs_are_ratings_if_the_command_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("test.csv").write_text("user,item,rating\na,x,1\na,y,3\nb,x,5\n", encoding="utf-8")
    Path("mine.csv").write_text("user,item,score\na,x,2\na,y,3\nb,x,2\n", encoding="utf-8")
    words = ["runs", "--test=test.csv", "mine.csv", "--metric=MAE", "--quiet"]
    assert main(words) == 2
    assert "(in a command: --rating-scores mine)" in capsys.readouterr().err
    assert main([*words, "--rating-scores=mine", "--out=one"]) == 0
    assert main(["runs", "--settings=one/settings.json", "--out=two"]) == 0
    for out in ("one", "two"):
        assert pd.read_csv(f"{out}/averages.csv")["mean"].tolist() == pytest.approx([4 / 3])
    assert main([*words, "--rating-scores=mine", "--in-blocks=blocks"]) == 2
    assert "--in-blocks, because metrics of ratings need the test" in capsys.readouterr().err
