# SPDX-License-Identifier: MIT
"""What cannot be is refused before any work, in one sentence, with the status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from receval.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ratings, judgments and a run, the current one."""
    monkeypatch.chdir(tmp_path)
    rows = [f"u{user},i{item},{(user + item) % 5 + 1}" for user in range(6) for item in range(5)]
    Path("r.csv").write_text("user,item,rating\n" + "\n".join(rows) + "\n", encoding="utf-8")
    Path("named.csv").write_text("who,what,stars\nu1,i1,5\nu1,i2,1\nu2,i1,4\n", encoding="utf-8")
    Path("quoted.csv").write_text('user,item,rating\n"a,x,5\nb,y,4\n', encoding="utf-8")
    Path("t.qrels").write_text("u1 0 i1 1\n", encoding="utf-8")
    Path("a.run").write_text(
        "u1 Q0 i1 1 2.0 x\nu1 Q0 i2 2 1.0 x\nu2 Q0 i1 1 1.0 x\nu2 Q0 i2 2 0.5 x\n", encoding="utf-8"
    )
    Path("alone.run").write_text("u1 Q0 i1 1 2.0 x\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evaluate", "r.csv", "--out", "a.run"], "a.run is a file: name a folder"),
        (["evaluate", "r.csv", "--report", "."], ". is a folder: name a file"),
        (["evaluate", "r.csv", "--seed", "-1"], "it is '-1', and must be a whole number from 0"),
        (["diagnose", "r.csv", "--seed", "one"], "it is 'one', and must be a whole number from 0"),
        (["multiverse", "r.csv", "--seed", "1.5"], "must be a whole number from 0"),
        (["evaluate", "r.csv", "--split", "k-fold:folds=1"], "folds is 1, and it must be greater"),
        (
            ["evaluate", "r.csv", "--split", "user-ratio:train_ratio=1.5"],
            "The split user-ratio: train_ratio is 1.5, and it must be less than 1.",
        ),
        (
            ["evaluate", "r.csv", "--split", "user-ratio:folds_=1"],
            "A split of the kind user-ratio has no parameter 'folds_'.",
        ),
        (
            ["evaluate", "r.csv", "--split", "missing-at-random"],
            "A split of the kind missing-at-random needs the parameter unbiased_rows.",
        ),
        (
            ["evaluate", "r.csv", "--system", "mf:factors=9"],
            "The system 'mf:factors=9' has 9 factors, but ratings of 6 users and 5 items",
        ),
        (
            ["evaluate", "quoted.csv"],
            "quoted.csv, line 2: a cell is quoted in part, or its quote is not closed",
        ),
        (
            ["runs", "--test", "t.qrels", "a.run", "--depth", "-1"],
            "depth is '-1': it must be a number of at least 1, 'auto' or 'whole'.",
        ),
        (["runs", "--test", "t.qrels", "a.run", "--depth", "0"], "depth is '0'"),
        (
            ["audit-samples", "--test", "t.qrels", "alone.run"],
            "No user with a relevant item has a candidate that is not relevant",
        ),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(Path().iterdir())
    assert main(arguments) == 2
    message = capsys.readouterr().err
    assert told in message
    assert message.count("\n") == 1
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize("command", ["runs", "audit-samples"])
def test_columns_of_test_and_train_may_have_any_names(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = ["--test", "named.csv", "a.run", "--relevant", "4"]
    named = ["--user", "who", "--item", "what", "--rating", "stars"]
    assert main([command, *lists]) == 2
    assert "(in a command: --user ..., --item ...)" in capsys.readouterr().err
    metric = ["--metric", "P@1" if command == "runs" else "RR"]
    assert main([command, *lists, *named, *metric, "--out", "out"]) == 0
    assert main([command, "--settings", "out/settings.json", "--out", "again"]) == 0
    for path in Path("out").iterdir():
        assert path.read_bytes() == Path("again", path.name).read_bytes()
