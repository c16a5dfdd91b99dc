# SPDX-License-Identifier: MIT
"""Errors about a table name the options of that table."""

from __future__ import annotations

from pathlib import Path

import pytest

from receval.cli.arguments import COLUMNS, READING
from receval.cli.main import command_parser, main

pytestmark = pytest.mark.usefixtures("undrawn")

_TEST = "user,item,rating\nann,book,1\n"
_RUN = "user,item,score\nann,book,1\n"

_FAULTS: dict[str, tuple[str, str, str]] = {
    "a name": ("a.jsonl", '{"user": "ann", "what": "book"}\n', "item ..."),
    "an encoding": ("a.csv", "user,item\nann,b\xfcch\n", "encoding latin-1"),
    "a header": ("a.csv", "ann,book\nbob,book\n", "no-{}header"),
    "a decimal mark": ("a.csv", 'user,item,rating\nann,b,"1,000"\n', "decimal ,"),
    "a format": ("a.qrels", "1 0 a b c\n", "format table"),
    "repeats": ("a.csv", _TEST + "ann,book,2\n", "duplicates first"),
    "no time": ("a.csv", "user,item,time\nann,book,1\nann,film,\n", "timestamp -"),
}


@pytest.mark.parametrize("which", ["test", "train", "run"])
@pytest.mark.parametrize("fault", _FAULTS)
def test_errors_name_the_options_of_the_table_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], which: str, fault: str
) -> None:
    name, text, option = _FAULTS[fault]
    if which == "run" and fault in ("repeats", "no time"):
        pytest.skip("runs have no such fault")
    files = {"test": _TEST, "train": "user,item,rating\nann,film,1\n", "run": _RUN}
    paths = {own: tmp_path / own / "a.csv" for own in files}
    for own, content in files.items():
        paths[own].parent.mkdir()
        paths[own].write_text(content)
    paths[which] = paths[which].with_name(name)
    paths[which].write_bytes(text.encode("latin-1"))
    words = [str(paths["run"]), "--test", str(paths["test"]), "--train", str(paths["train"])]
    assert main(["runs", *words, "--out", str(tmp_path / "out")]) == 2
    prefix = "" if which == "test" else f"{which}-"
    wanted = option.format(prefix) if "{}" in option else f"{prefix}{option}"
    told = " ".join(capsys.readouterr().err.split())
    assert f"--{wanted}" in told


def test_notes_on_training_data_name_its_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (
        ("test.csv", _TEST),
        ("run.csv", _RUN),
        ("train.csv", "user,item,points\nann,film,3\n"),
    ):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("test.csv", "train.csv", "run.csv")]
    words = ["--test", files[0], "--train", files[1], files[2], "--metric", "P@1"]
    assert main(["runs", *words, "--out", str(tmp_path / "out")]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "in a command: --train-rating ..." in told


def test_every_command_has_every_option_of_reading_for_each_of_its_tables() -> None:
    parser = command_parser(False)
    of_ratings = [*READING, "duplicates", *COLUMNS]
    for command, prefixes in {
        "diagnose": ("", "unbiased-"),
        "evaluate": ("", "test-", "run-"),
        "tune": ("",),
        "recommend": ("",),
        "runs": ("", "train-", "run-"),
        "split": ("", "test-"),
        "multiverse": ("", "test-"),
        "audit-samples": ("", "train-", "run-"),
    }.items():
        known = parser.parse_args([command])
        for prefix in prefixes:
            names = of_ratings
            if prefix == "run-":
                others = ("time_unit", "duplicates", "rating", "timestamp")
                names = [*(own for own in of_ratings if own not in others), "score", "rank"]
            if prefix == "unbiased-":  # Judgments of drawn items are in no order.
                names = [own for own in of_ratings if own != "timestamp"]
            if command == "split":  # --format is that of the files it writes.
                assert hasattr(known, "ratings_format")
            missing = [
                own for own in names if not hasattr(known, f"{prefix}{own}".replace("-", "_"))
            ]
            assert missing == [], command


def test_the_form_of_ratings_to_split_has_an_option_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"{n // 5} 0 {n} {n % 3}\n" for n in range(30)))
    command = ["split", str(path), "--out", str(tmp_path / "out"), "--format", "csv", "--force"]
    assert main(command) == 0
    assert "TREC's judgments" in capsys.readouterr().err
    assert main([*command, "--ratings-format", "table"]) == 2
    assert "rates the same pair" in capsys.readouterr().err
    (tmp_path / "a.qrels").write_text("1 0 a b c\n")
    assert main(["split", str(tmp_path / "a.qrels"), *command[2:]]) == 2
    assert "--ratings-format table" in capsys.readouterr().err


def test_options_of_runs_hold_for_those_of_several_to_which_they_can_apply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (
        ("test.csv", "user,item,rating\nann,b1,1\nann,b2,0\n"),
        ("table.csv", "user;item;points;place\nann;b2;1;2\nann;b1;2;1\n"),
        ("lists.json", '{"ann": {"b1": 2, "b2": 1}}'),
    ):
        (tmp_path / name).write_text(text)
    options = ["--run-delimiter", ";", "--run-score", "points", "--run-rank", "place"]
    usual = ["--test", str(tmp_path / "test.csv"), "--metric", "RR", "--out", str(tmp_path / "out")]
    both = [str(tmp_path / name) for name in ("table.csv", "lists.json")]
    for order in ("score", "rank"):
        assert main(["runs", *both, *usual, *options, "--run-order", order]) == 0
        rows = (tmp_path / "out" / "averages.csv").read_text().splitlines()[1:]
        assert [row.split(",")[1:4] for row in rows] == [["RR", "table", "1"], ["RR", "lists", "1"]]
    capsys.readouterr()
    for option, value in (("--run-order", "rank"), ("--run-score", "points")):
        assert main(["runs", both[1], *usual, option, value]) == 2
        told = " ".join(capsys.readouterr().err.split())
        assert f"lists.json has lists of users{',' if option == '--run-order' else ' '}" in told
        assert f"(in a command: {option})" in told
