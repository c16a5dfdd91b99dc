# SPDX-License-Identifier: MIT
"""The commands ``multiverse`` and ``audit-samples`` work in an empty folder, and repeat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.cli.main import command_parser, main


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    """Ratings, test data and runs."""
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((30, 30)) < np.linspace(0.9, 0.3, 30))
    values = rng.integers(1, 6, len(users))
    pd.DataFrame({"user": users, "item": items, "rating": values}).to_csv("r.csv", index=False)
    tested = pd.DataFrame({"user": range(20), "item": range(20), "rating": 1})
    tested.to_csv("test.csv", index=False)
    for name in ("a", "b", "cut"):
        scores = rng.random((20, 25))
        user, item = np.nonzero(scores)
        table = pd.DataFrame({"user": user, "item": item, "score": scores[user, item]})
        kept = table if name != "cut" else table[table["item"] < 20]
        kept.to_csv(f"{name}.csv", index=False)


MULTIVERSE = ["multiverse", "r.csv", "--systems", "pop,random"]
AUDIT = ["audit-samples", "--test", "test.csv", "a.csv", "b.csv", "--sampled", "10"]


@pytest.mark.costly
@pytest.mark.parametrize(
    ("command", "files"),
    [
        (
            MULTIVERSE,
            {"universes.csv", "universes.svg", "flips.csv", "flips.tex", "flips.md", "levels.csv",
             "wins.md", "changes.csv", "per_user.csv", "report.html", "settings.json"},
        ),
        (
            AUDIT,
            {"values.csv", "values.tex", "values.md", "curve.csv", "pairs.csv", "swaps.csv",
             "swaps.svg", "negatives.svg", "corrections.csv", "per_user.csv", "report.html",
             "settings.json"},
        ),
    ],
)  # fmt: skip
def test_a_command_writes_one_folder_and_the_same_again(
    command: list[str],
    files: set[str],
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if command == MULTIVERSE:  # tests/multiverse/test_explore_ratings.py renders it.
        request.getfixturevalue("unrendered")
    assert main([*command, "--out", "one"]) == 0
    assert files <= {path.name for path in Path("one").iterdir()}
    assert main([command[0], "--settings", "one/settings.json", "--out", "again"]) == 0
    for path in Path("one").iterdir():
        assert path.read_bytes() == Path("again", path.name).read_bytes(), path.name
    assert "[" not in capsys.readouterr().err


def test_systems_of_a_multiverse_are_listed_or_repeated_as_in_other_commands() -> None:
    parser = command_parser(False)
    for given in (["--systems", "pop,random"], ["--system", "pop", "--system", "random"]):
        assert parser.parse_args(["multiverse", "r.csv", *given]).systems == "pop,random"
    assert parser.parse_args(["multiverse", "r.csv"]).systems == "user-knn,mf"
    named = ["--systems", ",".join(["user-knn", "mf"]), "--system", "pop"]
    assert parser.parse_args(["multiverse", "r.csv", *named]).systems == "user-knn,mf,pop"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["multiverse", "r.csv", "--systems", "pop"],
            "There is only pop, but a multiverse compares",
        ),
        (["multiverse", "r.csv", "--systems", "pop,mff"], "no system 'mff'. Did you mean"),
        (
            ["multiverse", "r.csv", "--relevant", "9"],
            "No test rating reaches the relevance threshold 9",
        ),
        (
            ["audit-samples", "--test", "test.csv", "a.csv", "cut.csv"],
            "The lists of 'cut' are incomplete. The list of user 0 has 20 of 25 candidates",
        ),
        ([*AUDIT, "--metric", "bpref"], "Choose P, Recall, nDCG, RR or AP"),
        ([*AUDIT[:-1], "0"], "0 candidates cannot be sampled. Set sampled to 1 or more"),
        ([*AUDIT[:4], "./a.csv"], "Two runs are called a"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_status_two(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out
    assert not list(Path().glob("receval-*"))
