# SPDX-License-Identifier: MIT
"""A command is repeated from the settings of its folder, or says why it cannot be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cli.random_tables import write_ratings_and_runs

from receval import __version__
from receval.cli.main import main
from receval.evaluation.report import Report

pytestmark = pytest.mark.usefixtures("unrendered")

SETTINGS = "first/settings.json"
COMMANDS = {
    "evaluate": [
        "r.csv",
        "--system",
        "pop",
        "--system",
        "random",
        "--user",
        "0",
        "--relevant",
        "4",
    ],
    "runs": ["mine=a.run", "b.run", "--test", "test.qrels", "--metric", "AP", "--depth", "whole"],
}


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    """Ratings and runs."""
    write_ratings_and_runs()


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What evaluating writes, once for all that read its settings."""
    folder = tmp_path_factory.mktemp("evaluated")
    with chdir(folder):
        write_ratings_and_runs()
        assert main(["evaluate", *COMMANDS["evaluate"], "--out", "first"]) == 0
    return folder / "first"


@pytest.fixture
def first(tables: None, folder: Path, evaluated: Path) -> None:
    """The folder that evaluating writes."""
    shutil.copytree(evaluated, folder / "first")


def contents(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_repeated_from_its_settings_writes_the_same_folder(command: str) -> None:
    assert main([command, *COMMANDS[command], "--out", "first"]) == 0
    assert main([command, "--settings", SETTINGS, "--out", "second"]) == 0
    assert contents("first") == contents("second")


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_given_besides_goes_before_the_settings(command: str) -> None:
    main([command, *COMMANDS[command], "--seed", "5", "--out", "first"])
    # A default that is given is given, and a list takes the place of the other list.
    further = ["--metric", "P@2", "--metric", "RR", "--seed", "1"]
    assert main([command, "--settings", SETTINGS, *further, "--out", "mixed"]) == 0
    written = [word for word in COMMANDS[command] if word not in ("--metric", "AP")]
    assert main([command, *written, *further, "--out", "whole"]) == 0
    assert contents("mixed") == contents("whole")
    assert contents("mixed") != contents("first")


@pytest.mark.usefixtures("first")
def test_another_file_may_be_given_to_the_same_settings() -> None:
    Path("r.csv").rename("moved.csv")
    assert main(["evaluate", "moved.csv", "--settings", SETTINGS, "--out", "second"]) == 0
    assert contents("first")["averages.csv"] == contents("second")["averages.csv"]


@pytest.mark.usefixtures("first")
def test_settings_hold_arguments_in_the_types_of_json() -> None:
    content = json.loads(Path(SETTINGS).read_text(encoding="utf-8"))
    assert (content["receval"], content["command"]) == (__version__, "evaluate")
    assert content["arguments"] == {
        "ratings": "r.csv",
        "system": ["pop", "random"],
        "split": "user-ratio:train_ratio=0.8",
        "user": 0,
        "duplicates": "refuse",
        "depth": "auto",
        "run_order": "score",
        "relevant": 4.0,
        "users": "auto",
        "samples": 10_000,
        "seed": 1,
    }


@pytest.mark.usefixtures("first")
def test_old_names_of_options_are_still_taken_with_a_note(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def rename(content: dict[str, Any]) -> None:
        content["arguments"]["repeats"] = content["arguments"].pop("duplicates")

    changed(rename)
    again = ["evaluate", "--settings", SETTINGS]
    assert main([*again, "--out", "second"]) == 0
    assert "Note: --repeats" not in capsys.readouterr().err
    assert contents("first")["averages.csv"] == contents("second")["averages.csv"]
    for words in (["--repeats=last"], ["--repeats", "last"]):
        assert main([*again, *words, "--out", "third"]) == 0
        assert capsys.readouterr().err.count("Note: --repeats is now called --duplicates.\n") == 1
        content = json.loads(Path("third/settings.json").read_text(encoding="utf-8"))
        assert content["arguments"]["duplicates"] == "last"


def changed(change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(Path(SETTINGS).read_text(encoding="utf-8"))
    change(content)
    Path(SETTINGS).write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c.update(command="runs"), "has the settings of receval runs, not of recev"),
        (lambda c: c.update(receval="0.1"), "written by receval 0.1, but this is"),
        (lambda c: c.pop("arguments"), "is not a settings.json of receval"),
        (lambda c: c["arguments"].update(seed="1"), "'seed' cannot be \"1\"."),
        (
            lambda c: c["arguments"].update(users="some"),
            "cannot be repeated: receval evaluate: arg",
        ),
        (lambda c: c["arguments"].update(colour="red"), "'colour' is not an argument"),
        (
            lambda c: c["arguments"].update({"report=a.html": None}),
            "'report=a.html' is not an argument",
        ),
        (
            lambda c: c["arguments"].update({"rep": "a.html"}),
            "'rep' is not an argument",
        ),
        (lambda c: c["arguments"].update(out="else"), "'out' is not an argument"),
        (lambda c: c["arguments"].update(force=True), "'force' is not an argument"),
        (lambda c: c["arguments"].update(dialect=None), "'dialect' cannot be null."),
        (lambda c: c["arguments"].update(ratings="--out=else"), "'ratings' cannot be"),
        (lambda c: c.update(digests={"r.csv": 7}), "is not a settings.json of receval"),
        (
            lambda c: c["arguments"].update(ratings="gone.csv"),
            "names gone.csv (ratings), which does",
        ),
        (
            lambda c: c["arguments"].pop("ratings"),
            "give ratings, or repeat a command with --settings",
        ),
    ],
)
def test_settings_that_cannot_be_repeated_are_one_sentence_and_status_two(
    change: Callable[[dict[str, Any]], object], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(change)
    assert main(["evaluate", "--settings", SETTINGS, "--out", "second"]) == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert not Path("second").exists()


@pytest.mark.parametrize("content", [None, b"", b"[]", b"\xff", b"[" * 100_000], ids=range(5))
def test_files_that_are_no_settings_are_named(
    content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path("s.json").write_bytes(content)
    assert main(["runs", "--settings", "s.json"]) == 2
    assert capsys.readouterr().err.startswith("s.json")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["evaluate"], "give ratings, or repeat a command with --settings"),
        (["runs", "a.run"], "give --test, or repeat a command with --settings"),
        (["runs"], "give runs and --test, or repeat a command with --settings"),
    ],
)
def test_what_is_required_is_asked_for(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert told in capsys.readouterr().err


def test_a_folder_is_replaced_whole_and_the_files_of_others_stay(
    capsys: pytest.CaptureFixture[str],
) -> None:
    two = ["evaluate", "r.csv", "--system", "pop", "--system", "random", "--out", "out"]
    assert main(two) == 0
    assert "Written: out/" in capsys.readouterr().out
    Path("out/mine.txt").write_text("notes", encoding="utf-8")
    assert Path("out/pairs.csv").exists()
    assert main(["evaluate", "r.csv", "--system", "pop", "--out", "out"]) == 0
    assert "Replaced: out/" in capsys.readouterr().out
    files = set(json.loads(Path("out/settings.json").read_text(encoding="utf-8"))["files"])
    assert "pairs.csv" not in files
    assert {path.name for path in Path("out").iterdir()} == files | {"mine.txt"}


def test_settings_of_somebody_else_take_no_file_away_outside_their_folder() -> None:
    Path("out").mkdir()
    for files in (["../r.csv"], ["/etc/passwd"], "r.csv", 7, None):
        Path("out/settings.json").write_text(json.dumps({"files": files}), encoding="utf-8")
        Report("Mine", ()).write("out", force=True)
        assert Path("r.csv").exists(), files


def test_commands_tell_which_columns_they_read(capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.read_csv("r.csv").assign(when=1)
    table.columns = ["customer", "movie", "stars", "when"]
    table.to_csv("named.csv", index=False)
    assert main(["evaluate", "named.csv", "--system", "pop", "--out", "out"]) == 0
    told = "user is customer, item is movie, rating is stars; not read: when."
    assert told in capsys.readouterr().err
    assert told in Path("out/report.html").read_text(encoding="utf-8")
    settings = json.loads(Path("out/settings.json").read_text(encoding="utf-8"))
    assert settings["reading"][0]["unread"] == ["when"]
    assert "tables_read" not in settings
