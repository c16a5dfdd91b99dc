# SPDX-License-Identifier: MIT
"""What cannot be is refused before any work, in one sentence, with the status 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from receval.cli.main import main

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    """Ratings, judgments and runs."""
    rows = [f"u{user},i{item},{(user + item) % 5 + 1}" for user in range(6) for item in range(5)]
    run = "u1 Q0 i1 1 2.0 x\nu1 Q0 i2 2 1.0 x\nu2 Q0 i1 1 1.0 x\nu2 Q0 i2 2 0.5 x\n"
    texts = {
        "r.csv": "user,item,rating\n" + "\n".join(rows) + "\n",
        "named.csv": "who,what,stars\nu1,i1,5\nu1,i2,1\nu2,i1,4\n",
        "quoted.csv": 'user,item,rating\n"a,x,5\nb,y,4\n',
        "t.qrels": "u1 0 i1 1\n",
        "a.run": run,
        "other.run": run.replace("u", "v"),
        "alone.run": "u1 Q0 i1 1 2.0 x\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


LISTS = ["runs", "--test", "t.qrels", "a.run"]
SPLIT = ["evaluate", "r.csv", "--split"]

REFUSED = [
    (["evaluate", "r.csv", "--out", "a.run"], "a.run is a file. Name a folder"),
    (["evaluate", "r.csv", "--report", "."], ". is a folder. Name a file"),
    (["evaluate", "r.csv", "--seed", "-1"], "'-1' is not a whole number of 0 or more"),
    (["diagnose", "r.csv", "--seed", "one"], "'one' is not a whole number of 0 or more"),
    (["multiverse", "r.csv", "--seed", "1.5"], "is not a whole number of 0 or more"),
    ([*LISTS, "--seed", "x"], "'x' is not a whole number"),
    ([*SPLIT, "k-fold:folds=1"], "folds is 1. It must be greater"),
    (
        [*SPLIT, "user-ratio:train_ratio=1.5"],
        "The split user-ratio: train_ratio is 1.5. It must be less than 1.",
    ),
    (
        [*SPLIT, "user-ratio:folds_=1"],
        "A split of the kind user-ratio has no parameter 'folds_'.",
    ),
    (
        [*SPLIT, "missing-at-random"],
        "A split of the kind missing-at-random needs the parameter unbiased_rows.",
    ),
    ([*SPLIT, "user-ratio:seed=2"], "no parameter 'seed'. The seed and the selection are options"),
    ([*SPLIT, "k-folds"], "no kind of split 'k-folds'. Did you mean"),
    (
        ["evaluate", "r.csv", "--system", "mf:factors=9"],
        "The system 'mf:factors=9' has 9 factors, but ratings of 6 users and 5 items",
    ),
    (["evaluate", "r.csv", "--system", "popp"], "no system 'popp'. Did you mean pop?"),
    (["evaluate", "r.csv", "--system", "pop:size=2"], "Popularity has no parameter 'size'"),
    (["evaluate", "r.csv", "--system", "pop:seed=1,seed=2"], "has seed twice. Give it once."),
    (["evaluate", "r.csv", "--system", "pop:seed=1.5"], "the seed is not a whole number"),
    (["evaluate", "r.csv", "--system", "pop:2"], "'2' is not a parameter with a value"),
    (
        ["evaluate", "r.csv", "--user", "who"],
        "no column 'who' for user. Its columns are user, item, ra",
    ),
    (["evaluate", "r.csv", "--relevant", "7"], "No test rating reaches the relevance threshold 7"),
    (["evaluate", "r.csv", "--protocol", "AX TI-AN"], "no protocol 'AX TI-AN'. Did you mean"),
    (["evaluate", "r.csv", "--users", "some"], "invalid choice: 'some' (choose from 'auto'"),
    (["evaluate", "r.csv", "--colour", "red"], "unrecognized arguments: --colour red"),
    (
        ["evaluate", "quoted.csv"],
        "quoted.csv, line 2: a cell is only partly in quotes, or its quote is not closed",
    ),
    (["evaluate", "none.csv"], "none.csv: there is no such file"),
    (["diagnose", "none.csv"], "none.csv: there is no such file"),
    (["runs", "--test", "none.qrels", "a.run"], "none.qrels: there is no such file"),
    (["runs", "--test", "t.qrels", "none.run"], "none.run: there is no such file"),
    ([*LISTS, "--train", "no.csv"], "no.csv: there is no such"),
    ([*LISTS, "./a.run"], "Two runs are called a"),
    ([*LISTS, "--metric", "PP@3"], "no metric 'PP'; did you"),
    (["runs", "--test", "r.csv", "other.run"], "No user of the run 'other' is in the test data"),
    (
        [*LISTS, "--depth", "-1"],
        "depth is '-1': it must be a number of at least 1, 'auto' or 'whole'.",
    ),
    ([*LISTS, "--depth", "0"], "depth is '0'"),
    (
        ["audit-samples", "--test", "t.qrels", "alone.run"],
        "No user with a relevant item has a candidate that is not relevant",
    ),
]


@pytest.mark.parametrize(("arguments", "told"), REFUSED)
def test_bad_arguments_are_refused_in_one_sentence(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(Path().iterdir())
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert (captured.err.count("\n"), captured.out) == (1, "")
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
