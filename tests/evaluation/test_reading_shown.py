# SPDX-License-Identifier: MIT
"""What was read is said before the numbers, and what would mislead is said or refused."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.cli.main import main
from receval.data.ratings_table import read_ratings
from receval.data.reading import ReadingReport, told_together
from receval.data.relevance import relevance_threshold
from receval.diagnosis.diagnose import diagnose
from receval.evaluation.systems import evaluate_systems
from receval.multiverse.decisions import DecisionGrid
from receval.multiverse.explore_ratings import explore_ratings, grid_of
from receval.multiverse.multiverse_report import multiverse_report
from receval.recommenders.non_personalised import Popularity, Random
from receval.sampled_metrics.audit import audit_samples
from receval.splits.split_ratings import split

pytestmark = pytest.mark.usefixtures("undrawn")


def table(seed: int = 1, users: int = 20, items: int = 12) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    rated = np.argwhere(rng.random((users, items)) < 0.6)
    return {"user": rated[:, 0], "item": rated[:, 1], "rating": rng.integers(1, 6, len(rated))}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of odd names and times in milliseconds, the current one."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(table()).rename(columns={"user": "customer", "rating": "stars"})
    frame["ts"] = 1_620_000_000_000 + 1000 * np.arange(len(frame))
    frame["note"] = "x"
    frame.to_csv("r.csv", index=False)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.costly
def test_a_command_says_in_eight_lines_at_most_what_it_read_before_the_numbers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["evaluate", "r.csv", "--system", "pop", "--out", "out"]
    assert main(command) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) <= 8
    assert told[0].startswith("r.csv: text with commas and a header. ")
    assert told[0].endswith("user is customer, rating is stars, timestamp is ts; not read: note.")
    assert (
        told[1]
        == "  Ratings are 1, 2, 3, 4 and 5; times are in milliseconds, 2021-05-03 to 2021-05-03."
    )
    assert told[2].startswith("Test ratings of 4 or more are relevant: ")
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert page.index("<h2>What was read</h2>") < page.index("<h2>Averages</h2>")
    saved = json.loads(Path("out/settings.json").read_text(encoding="utf-8"))
    (read,) = saved["reading"]
    assert read["columns"]["rating"] == "stars"
    assert saved["relevance"] == [told[2]]
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def doubtful(name: str, frame: pd.DataFrame, **changes: object) -> str:
    """Write a table with many columns that are not read, and with a user NULL."""
    odd = {f"column_with_a_long_name_{name}_{number}": 1 for number in range(40)}
    own = frame.assign(**changes, **odd)
    own["user"] = own["user"].astype(str).replace("3", "NULL")
    own.to_csv(name, index=False)
    return name


def commands() -> dict[str, list[str]]:
    """Write doubtful tables, and return the commands that read them."""
    frame = pd.DataFrame(table(users=24))
    rated = doubtful("rated.csv", frame, ts=5 + np.arange(len(frame)))
    test = doubtful("test.csv", frame[frame["rating"] > 2])
    train = doubtful("train.csv", frame[frame["rating"] < 3])
    drawn = doubtful("drawn.csv", frame.iloc[::3])
    every = pd.DataFrame(np.argwhere(np.ones((24, 12))), columns=["user", "item"])
    runs = [
        doubtful(f"run{n}.csv", every, zeal=np.random.default_rng(n).random(len(every)), odd=n)
        for n in range(9)
    ]
    systems = ["--system", "pop", "--system", "random"]
    given = ["--test", test, "--train", train, *runs, "--run-score", "zeal"]
    return {
        "evaluate": [rated, *systems],
        "runs": given,
        "diagnose": [rated, "--unbiased", drawn],
        "audit-samples": [*given, "--sampled", "3"],
        "multiverse": [rated, "--systems", "pop,random"],
    }


@pytest.mark.usefixtures("folder")
@pytest.mark.costly
@pytest.mark.parametrize("name", ["evaluate", "runs", "diagnose", "audit-samples", "multiverse"])
def test_every_command_says_in_eight_lines_at_most_how_doubtful_tables_were_read(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [name, *commands()[name], "--out", "out"]
    assert main(command) == 0
    told = capsys.readouterr().err.splitlines()
    read = [own for own in told if not own.startswith("Note: ") and "further note" not in own]
    assert 3 <= len(read) <= 8
    assert told[: len(read)] == read
    assert read[-1].startswith(("Test ratings of ", "Ratings of "))
    assert max(map(len, read)) < 700
    assert any("NULL" in own for own in told[len(read) :])
    if name == "runs":
        # All five say it in one place (cli/arguments.py).
        assert main([*command, "--quiet"]) == 0
        assert capsys.readouterr().err.splitlines() == told[len(read) :]
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert page.partition("<section")[2].startswith("><h2>What was read</h2>")
    assert page.index('<section aria-label="Notes">') > page.index("What was read")
    saved = json.loads(Path("out/settings.json").read_text(encoding="utf-8"))["reading"]
    given = [own for own in command if own.endswith(".csv")]
    assert {one["source"] for one in saved} == {*given}
    assert all(len(one["unread"]) >= 40 for one in saved)


@pytest.mark.costly
def test_what_the_library_makes_of_tables_says_how_they_were_read() -> None:
    ratings = read_ratings(table(users=40))
    systems = {"pop": lambda seed: Popularity(), "random": lambda seed: Random(seed=seed)}
    every = np.argwhere(np.ones((40, 12)))
    run = {"user": every[:, 0], "item": every[:, 1], "score": np.arange(len(every))}
    diagnosis, explored = diagnose(ratings), explore_ratings(ratings, systems, grid=DecisionGrid())
    audit = audit_samples(ratings, {"mine": run}, sampled=3)
    split_audit = audit_samples(split(ratings, "user-ratio"), {"pop": Popularity()}, sampled=3)
    for found, report in (
        (diagnosis, diagnosis.report()),
        (explored, multiverse_report(explored)),
        (audit, audit.as_report()),
        (split_audit, split_audit.as_report()),
    ):
        assert found.reading[0] == report.reading[0] == ratings.reading
        assert report.reading_lines()[-1] == found.words[0]
        assert "atings of 4 or more are relevant: " in found.words[0]
        assert report.page().partition("<h2>")[2].startswith("What was read</h2>")
    assert "40 of 40 users also in the test data" in audit.reading[1].lines()[0]


@pytest.mark.usefixtures("folder")
@pytest.mark.costly
def test_many_runs_are_told_in_eight_lines_with_the_rest_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pd.DataFrame(table()).to_csv("test.csv", index=False)
    run = pd.DataFrame(table()).rename(columns={"rating": "score"})
    for number, name in enumerate("abcdefghijkl"):
        run.iloc[number:].to_csv(f"{name}.csv", index=False)
    runs = [f"{name}.csv" for name in "abcdefghijkl"]
    assert main(["runs", "--test", "test.csv", *runs, "--depth", "whole"]) == 0
    told = capsys.readouterr().err.splitlines()
    read = [line for line in told if not line.startswith("Note: ")]
    assert len(read) == 8
    assert read[6] == "... and 8 more lines: see report.html."


@pytest.mark.usefixtures("folder")
@pytest.mark.costly
def test_columns_that_were_not_read_are_named_even_if_their_lines_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pd.DataFrame(table()).to_csv("test.csv", index=False)
    for number in range(10):
        run = pd.DataFrame(table()).rename(columns={"rating": "score"}).iloc[number:]
        run.assign(**{f"odd{number}": 1}).to_csv(f"{number}.csv", index=False)
    runs = [f"{number}.csv" for number in range(10)]
    assert main(["runs", "--test", "test.csv", *runs, "--depth", "whole"]) == 0
    told = [own for own in capsys.readouterr().err.splitlines() if not own.startswith("Note: ")]
    assert len(told) == 8
    assert all(f"odd{number}" in "".join(told) for number in range(10))


@pytest.mark.usefixtures("folder")
@pytest.mark.costly
@pytest.mark.parametrize(
    ("test", "train", "options"),
    [
        ("test.csv", "train.parquet", ["--delimiter", ";", "--header"]),
        ("test.csv", "train.jsonl", ["--delimiter", ";", "--no-quotes"]),
        ("test.qrels", "train.csv", ["--format", "qrels"]),
    ],
)
def test_options_of_test_data_leave_training_data_of_another_form_alone(
    test: str, train: str, options: list[str]
) -> None:
    frame = pd.DataFrame(table())
    held_out, rest = frame[frame["rating"] == 5], frame[frame["rating"] < 5]
    held_out.to_csv("test.csv", index=False, sep=";")
    held_out.assign(zero=0)[["user", "zero", "item", "rating"]].to_csv(
        "test.qrels", index=False, header=False, sep=","
    )
    rest.to_parquet("train.parquet")
    rest.to_json("train.jsonl", orient="records", lines=True)
    rest.to_csv("train.csv", index=False)
    held_out.rename(columns={"rating": "score"}).to_csv("mine.csv", index=False)
    command = ["runs", "--test", test, "--train", train, "mine.csv", *options, "--depth", "whole"]
    assert main([*command, "--metric", "RR", "--out", "out", "--quiet"]) == 0
    (read,) = [
        own
        for own in json.loads(Path("out/settings.json").read_text(encoding="utf-8"))["reading"]
        if own["source"] == train
    ]
    assert read["rows"] == len(rest)


@pytest.mark.usefixtures("folder")
@pytest.mark.costly
def test_unbiased_judgments_have_options_and_differing_identifiers_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame = pd.DataFrame(table())
    frame.to_csv("ratings.csv", index=False)
    drawn = frame.assign(user="0" + frame["user"].astype(str))
    drawn.to_csv("drawn.csv", index=False, sep=";")
    command = ["diagnose", "ratings.csv", "--unbiased", "drawn.csv", "--unbiased-delimiter", ";"]
    assert main([*command, "--out", "out"]) != 0
    told = capsys.readouterr().err
    assert "No user of the unbiased judgments is in the ratings." in told
    assert "one side has leading zeros, such as '00' and '0'" in told
    drawn.assign(user=frame["user"]).to_csv("drawn.csv", index=False, sep=";")
    assert main([*command, "--out", "out"]) == 0
    told = capsys.readouterr().err
    told_of_items = f"{frame['item'].nunique()} of {frame['item'].nunique()} items"
    assert "20 of 20 users also in the ratings and " in told
    assert f"{told_of_items} also in the ratings" in told


@pytest.mark.costly
def test_negative_ratings_are_told_by_a_diagnosis_and_a_multiverse() -> None:
    rows = table(users=40)
    ratings = read_ratings({**rows, "rating": rows["rating"] - 3})
    found = diagnose(ratings, relevant=1)
    universes = explore_ratings(
        ratings, {"pop": lambda seed: Popularity(), "random": lambda seed: Random(seed=seed)},
        grid=DecisionGrid(), relevant=1,
    )  # fmt: skip
    for notes in (found.notes, universes.notes):
        (note,) = [own for own in notes if own.code == "negative-ratings"]
        assert "the lowest is -2" in note


def test_files_that_were_read_alike_share_a_line() -> None:
    alike = [ReadingReport(f"{name}.csv", "text", rows=9, values="ratings are 1") for name in "abc"]
    other = ReadingReport("d.csv", "text", rows=8)
    assert told_together([*alike, other]) == [
        ["a.csv, b.csv, c.csv: text. 9 rows of 0 users and 0 items.", "  Ratings are 1."],
        ["d.csv: text. 8 rows of 0 users and 0 items."],
    ]


def test_what_comes_through_a_pipe_is_read_whole(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = pd.DataFrame(table()).to_csv(index=False)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    ratings = read_ratings(pipe)
    writer.join()
    assert len(ratings) == len(table()["user"])
    assert ratings.reading.source == str(pipe)


@pytest.mark.each(
    ("values", "threshold"),
    [
        ([1, 2, 3, 8000], 1),
        ([1, 2, 5, 12, 40], 1),
        ([0, 0, 3, 700], 3),
        ([1, 2, 3, 4, 5], 4),
        ([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5], 3),
        ([0, 1], 1),
        ([10, 20, 100], 100),
        ([-1, 1], 1),
    ],
)
def test_counts_are_all_relevant_and_scales_from_above_their_middle(
    values: list[float], threshold: float
) -> None:
    assert relevance_threshold(np.array(values, np.float32), "auto") == threshold


def test_a_threshold_is_compared_in_the_precision_of_the_ratings() -> None:
    values = np.array([0.1, 0.7, 0.9], dtype=np.float32)
    assert (values >= relevance_threshold(values, 0.7)).sum() == 2
    assert relevance_threshold(np.array([1, 2, 3], np.int8), 2.5) == 2.5
    with pytest.raises(ValueError, match=r"No test rating reaches the relevance threshold 3\.5"):
        relevance_threshold(np.array([1, 2, 3], np.int8), 3.5)


def test_items_outside_a_selection_are_no_candidates_unless_the_caller_says_so() -> None:
    frame = pd.DataFrame(table(users=40, items=10))
    rare = pd.DataFrame({"user": range(5), "item": [f"rare{n}" for n in range(5)], "rating": 5})
    ratings = read_ratings(pd.concat([frame.astype({"item": str}), rare]))
    selection = {"min_item_ratings": 5}
    chosen = split(ratings, "user-ratio", selection=selection)
    assert chosen.ratings.n_items == 10
    assert chosen.notes[0].endswith("and 10 of 15 items. The other items are not candidates.")
    kept = split(ratings, "user-ratio", selection=selection, unselected_items="candidates")
    assert kept.ratings.n_items == 15
    assert kept.notes[0] == chosen.notes[0].replace("are not candidates", "are candidates")
    assert chosen.parts.codes[0].tolist() == kept.parts.codes[0][kept.parts.codes[0] > 0].tolist()
    result = evaluate_systems(chosen, {"Pop": Popularity()}, metrics="P@5")
    assert chosen.notes[0] in result.notes
    assert result.reading == (ratings.reading,)


def test_a_column_that_is_not_taken_for_ratings_is_asked_for() -> None:
    ratings = read_ratings({**table(), "rating": table()["item"], "zeal": table()["user"]})
    assert ratings.reading.notes == ()
    bare = {name: own for name, own in table().items() if name != "rating"}
    ratings = read_ratings({**bare, "zeal": np.arange(len(bare["user"]))})
    assert (
        "no column has a known name for ratings. These columns were not read: zeal"
        in ratings.reading.notes[0]
    )
    assert ratings.reading.values.startswith("no column of ratings was found")


@pytest.mark.each(
    "name", ["weight", "star_rating", "review_overall", "score", "count", "plays", "click"]
)
def test_a_rating_is_known_by_many_names(name: str) -> None:
    given = table()
    given[name] = given.pop("rating")
    order = np.lexsort([given[own].astype(np.str_) for own in ("item", "user")])
    assert read_ratings(given).values.tolist() == given[name][order].tolist()


def test_one_value_of_all_ratings_is_said() -> None:
    zeros = read_ratings({**table(), "rating": np.zeros(len(table()["user"]))})
    assert zeros.reading.values == "all ratings are 0"
    assert zeros.reading.notes[0].endswith(f"all {len(zeros):,} ratings are 0.")


@pytest.mark.costly
def test_times_that_order_nothing_are_no_reason_for_a_split() -> None:
    given = table(users=30, items=20)
    found = diagnose(read_ratings({**given, "timestamp": [5] * len(given["user"])}))
    assert "All ratings have the same time, 1970-01-01, so they can be neither ordered" in " ".join(
        found.notes
    )
    assert "there are no timestamps that order ratings" in str(found).lower()


def test_labels_of_0_and_1_leave_out_the_gains_that_need_grades() -> None:
    given = table()
    labels = read_ratings({**given, "rating": given["rating"] // 3})
    grid, notes = grid_of("quick", labels)
    assert all("g2" not in metric.short_label for metric in grid.metric)
    assert notes == (
        "No rating is above 1, so the exponential gain (C2) is 0 for all of them. It is left out.",
    )
