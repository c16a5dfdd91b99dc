# SPDX-License-Identifier: MIT
"""The table in docs/reliability.md of what a person sees for unusual input is what commands say."""

from __future__ import annotations

import gzip
import json
import os
import re
import threading
import uuid
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from receval.cli.main import main
from receval.data.ratings_table import read_ratings
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.non_personalised import Popularity
from receval.splits.split_ratings import split

PAGE = Path(__file__).parents[2] / "docs/reliability.md"

_PAIRS = np.argwhere(np.random.default_rng(1).random((12, 10)) < 0.6)
RATED = pd.DataFrame(
    {
        "user": 1 + _PAIRS[:, 0],
        "item": 1 + _PAIRS[:, 1],
        "rating": 1 + np.arange(len(_PAIRS)) % 5,
        "timestamp": 1_620_000_000 + 61 * np.random.default_rng(2).permutation(len(_PAIRS)),
    }
)
"""Ratings of twelve users and ten items, at different times on one day."""

TEST, TRAIN = RATED[RATED["rating"] >= 3], RATED[RATED["rating"] < 3]
RUN = RATED[["user", "item"]].assign(score=np.random.default_rng(3).random(len(RATED)))
NAMED = RATED[["user", "item"]].assign(user=RATED["user"].map("u{}".format))
EXCHANGED = NAMED[1::2][["item", "user"]].set_axis(["user", "item"], axis=1)
COUNT = np.arange(len(RATED))

Seen = tuple[int, str]
"""The exit status of a command, and what it printed besides tables."""


class Terminal:
    """Runs commands in the current folder, and keeps what a person sees."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def run(self, *command: str) -> Seen:
        status = main(list(command))
        return status, self.capsys.readouterr().err

    def evaluate(self, source: str, *options: str) -> Seen:
        return self.run("evaluate", source, "--system", "pop", "--metric", "nDCG@5", *options)

    def compare(self, run: str, *options: str, test: str = "") -> Seen:
        given = ["--test", test or csv(TEST, "test.csv")]
        return self.run("runs", *given, run, "--metric", "nDCG@5", "--depth", "whole", *options)

    def read(self, read: Callable[..., Any], *given: Any, **options: Any) -> Seen:
        """Call the library, and return what the report of its reading says."""
        try:
            reading = read(*given, **options).reading
        except ValueError as error:
            return 2, str(error)
        return 0, "\n".join([*reading.lines(), *(f"Note: {note}" for note in reading.notes)])


Input = Callable[[Terminal], Seen]


def csv(table: pd.DataFrame = RATED, name: str = "a.csv", **changes: object) -> str:
    """Write a table with other columns, and return the name of the file."""
    table.assign(**changes).to_csv(name, index=False)
    return name


def text(content: str | bytes, name: str = "a.csv") -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def lines(columns: str = "user,item,rating,timestamp", sign: str = ",") -> str:
    """Return the ratings as text without a header."""
    return RATED[columns.split(",")].to_csv(sep=sign, index=False, header=False)


def renamed(**names: str) -> str:
    return csv(RATED.rename(columns=names))


def folder_of(parts: Iterable[tuple[str, pd.DataFrame]], *, header: bool = True) -> str:
    for name, part in parts:
        path = Path("parts", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        part.to_csv(path, index=False, header=header)
    return "parts"


def zipped() -> str:
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.write(csv())
    return "a.zip"


def netflix() -> str:
    parts = (
        f"{item}:\n" + "".join(f"{u},{r},2005-09-{1 + u:02}\n" for u, r in own.to_numpy())
        for item, own in RATED.set_index("item")[["user", "rating"]].groupby(level=0)
    )
    return text("".join(parts), "combined_data_1.txt")


def json_lines(rows: Iterable[object]) -> str:
    return text("".join(f"{json.dumps(row)}\n" for row in rows), "mine.jsonl")


def by_user(make: Callable[[str, list[int], list[float]], object]) -> str:
    return json_lines(
        make(str(user), own["item"].tolist(), own["score"].tolist())
        for user, own in RUN.sort_values("score", ascending=False).groupby("user")
    )


def run_with(column: str, change: Callable[[pd.Series], object]) -> str:
    return csv(RUN, "mine.csv", **{column: change(RUN[column])})


def test_with(column: str, change: Callable[[pd.Series], object]) -> str:
    return csv(TEST, "test.csv", **{column: change(TEST[column])})


test_with.__test__ = False  # type: ignore[attr-defined]


def through_a_pipe(terminal: Terminal) -> Seen:
    os.mkfifo("pipe")
    content = RATED.to_csv(index=False)
    writer = threading.Thread(target=Path("pipe").write_text, args=(content,))
    writer.start()
    seen = terminal.evaluate("pipe")
    writer.join()
    return seen


def with_a_selection(terminal: Terminal) -> Seen:
    rare = pd.DataFrame({"user": range(3), "item": [77, 78, 79], "rating": 5, "timestamp": 5e8})
    ratings = read_ratings(pd.concat([RATED, rare]))
    chosen = split(ratings, "user-ratio", selection={"min_item_ratings": 2})
    result = evaluate_systems(chosen, {"pop": Popularity()}, metrics="P@5")
    return 0, "\n".join(f"Note: {note}" for note in result.notes)


def evaluated(make: Callable[[], str], *options: str) -> Input:
    return lambda terminal: terminal.evaluate(make(), *options)


def compared(
    make: Callable[[], str], *options: str, test: Callable[[], str] | None = None
) -> Input:
    return lambda terminal: terminal.compare(make(), *options, test=test() if test else "")


def diagnosed(make: Callable[[], str]) -> Input:
    return lambda terminal: terminal.run("diagnose", make())


def in_memory(
    make: Callable[[], Any], read: Callable[..., Any] = read_ratings, **options: Any
) -> Input:
    return lambda terminal: terminal.read(read, make(), **options)


INPUTS: dict[str, Input] = {
    "ratings from -2 to 5": evaluated(lambda: csv(rating=COUNT % 8 - 2)),
    "judgments of -1": compared(
        lambda: csv(RUN, "mine.csv"),
        test=lambda: text(
            "".join(f"{u} 0 {i} {r - 4}\n" for u, i, r, _ in TEST.to_numpy()), "test.qrels"
        ),
    ),
    "items `10.0` in the run, `10` in the test": compared(
        lambda: run_with("item", lambda own: own.astype(float))
    ),
    "items ` 7` in the run, `7` in the test": compared(
        lambda: run_with("item", lambda own: " " + own.astype(str))
    ),
    "items `M1` in the run, `m1` in the test": compared(
        lambda: run_with("item", lambda own: "M" + own.astype(str)),
        test=lambda: test_with("item", lambda own: "m" + own.astype(str)),
    ),
    "items `item_9` in the run, `9` in the test": compared(
        lambda: run_with("item", lambda own: "item_" + own.astype(str))
    ),
    "a run of which few items are known": compared(lambda: run_with("item", lambda own: own + 7)),
    "a run of few items, none of them known": compared(
        lambda: csv(RUN.drop_duplicates("user"), "mine.csv", item="x")
    ),
    "training users of whom the test knows none": compared(
        lambda: csv(RUN, "mine.csv"),
        "--train",
        "train.csv",
        test=lambda: (csv(TRAIN, "train.csv", user=TRAIN["user"] + 1000), csv(TEST, "test.csv"))[1],
    ),
    'a quote mark within a cell, `12" vinyl`': evaluated(
        lambda: text("user,item,rating\n" + lines("user,item,rating").replace(",3,", ',3" vinyl,'))
    ),
    'a quote mark at its start, `"12 vinyl`': evaluated(
        lambda: text("user,item,rating\n" + lines("user,item,rating").replace(",3,", ',"3 vinyl,'))
    ),
    "times with fractions of seconds": evaluated(lambda: csv(timestamp=1_620_000_000 + COUNT / 4)),
    "`test.txt` whose second column begins with 0": evaluated(
        lambda: text("1 0 5 1620000000\n" + lines(sign=" "), "test.txt")
    ),
    "JSON lines": evaluated(lambda: text(RATED.to_json(orient="records", lines=True), "a.txt")),
    "a header `0,1,2,3`": evaluated(lambda: text("0,1,2,3\n" + lines())),
    "an index that pandas wrote": evaluated(lambda: text(RATED.to_csv())),
    "an index beside columns 0, 1 and 2 of a frame": in_memory(
        lambda: pd.DataFrame([[7 + n, *own] for n, own in enumerate(RATED.to_numpy().tolist())]),
        columns=("-", "user", "item", "rating", "timestamp"),
    ),
    "counts of plays, up to 8,000": evaluated(
        lambda: csv(RATED.rename(columns={"rating": "plays"}), plays=1 + COUNT**2 * 2)
    ),
    "`diagnose` on counts of plays": diagnosed(
        lambda: csv(RATED.rename(columns={"rating": "plays"}), plays=1 + COUNT**2 * 2)
    ),
    "plays such as `4.004` beside `900`": evaluated(
        lambda: csv(RATED.drop(columns="rating"), plays=np.where(COUNT % 2, "4.004", "900"))
    ),
    "`split(selection=...)` in Python": with_a_selection,
    "times in milliseconds": evaluated(lambda: csv(timestamp=RATED["timestamp"] * 1000)),
    "times such as `20210503`": evaluated(lambda: csv(timestamp=20210503 + COUNT % 9)),
    "times in seconds and in milliseconds": evaluated(
        lambda: csv(timestamp=RATED["timestamp"] * np.where(COUNT % 2, 1, 1000))
    ),
    "a pair twice": evaluated(lambda: csv(pd.concat([RATED, RATED.tail(1)]))),
    "a pair twice, `--duplicates last`": evaluated(
        lambda: csv(pd.concat([RATED, RATED.tail(1).assign(timestamp=1_000_000_000)])),
        "--duplicates",
        "last",
    ),
    "ratings named `star_rating`, times `last_played`": evaluated(
        lambda: renamed(rating="star_rating", timestamp="last_played")
    ),
    "ratings with an unknown name": evaluated(lambda: renamed(rating="zeal")),
    "a run whose scores have an unknown name": compared(
        lambda: csv(RUN.rename(columns={"score": "zeal"}), "mine.csv")
    ),
    "clicks, of which most are 0": evaluated(
        lambda: csv(RATED.rename(columns={"rating": "click"}), click=_PAIRS.sum(axis=1) % 5 // 4)
    ),
    "ratings that are all 0": evaluated(lambda: csv(rating=0)),
    "ratings that are all 3": evaluated(lambda: csv(rating=3)),
    "`0;8;1,0`": evaluated(lambda: text(lines("user,item,rating", ";").replace("\n", ",0\n"))),
    '`"3,5"` below a header': evaluated(lambda: csv(rating=RATED["rating"].map("{},5".format))),
    "lines that end in a carriage return alone": evaluated(
        lambda: text(lines(sign=" ").replace("\n", "\r"), "a.txt")
    ),
    "`multiverse` on labels 0 and 1": lambda terminal: terminal.run(
        "multiverse", csv(rating=RATED["rating"] // 4), "--systems", "pop,random", "--grid", "quick"
    ),
    "text identifiers without a header": evaluated(
        lambda: text("ann,alien\nbob,alien\nann,heat\n")
    ),
    "text identifiers, `--no-header`": evaluated(
        lambda: text("".join(f"u{u},i{i}\n" for u, i in _PAIRS)), "--no-header"
    ),
    "times for part of the rows": evaluated(
        lambda: csv(timestamp=RATED["timestamp"].where(COUNT != 9))
    ),
    "a truncated gz file": evaluated(
        lambda: text(gzip.compress(RATED.to_csv().encode())[:-40], "a.csv.gz")
    ),
    "`diagnose` on one rating": diagnosed(lambda: csv(RATED.head(1))),
    "`diagnose` on equal times": diagnosed(lambda: csv(timestamp=1_620_000_000)),
    "a temporal split of equal times": evaluated(
        lambda: csv(timestamp=1_620_000_000), "--split", "temporal"
    ),
    "one identifier of 6,000 characters": evaluated(
        lambda: text(
            "user,item\n" + "".join(f"u{n},{n % 7}\n" for n in range(60_000)) + "x" * 6000 + ",1\n"
        )
    ),
    "reviews with line breaks, over 1 MiB": evaluated(
        lambda: csv(review='fine,\n"really" ' + "x" * 20_000)
    ),
    "a pair twice, after reviews with line breaks": evaluated(
        lambda: csv(pd.concat([RATED, RATED.head(1)]), review="fine,\nreally")
    ),
    "times such as `20210503T100000.1234567Z`": evaluated(
        lambda: csv(timestamp=[f"20210503T1000{n:02}.1234567Z" for n in COUNT % 60])
    ),
    "times with time zones": evaluated(
        lambda: csv(timestamp=[f"2021-05-03 00:00:{n:02}+02:00" for n in COUNT % 60])
    ),
    "a date with an offset but no time": evaluated(lambda: csv(timestamp="2021-05-03+02:00")),
    "times such as `1620000000,5`": evaluated(
        lambda: text(RATED.assign(timestamp=RATED["timestamp"] + 0.5).to_csv(sep=";", decimal=","))
    ),
    "`--relevant .7` where .7 is the highest": evaluated(
        lambda: csv(rating=np.where(RATED["rating"] > 2, 0.7, 0.2)), "--relevant", ".7"
    ),
    "identifiers that are UUIDs and mixed, in Python": in_memory(
        lambda: {
            "user": [uuid.UUID(int=1), 2, "x", b"y", 2.0],
            "item": pd.Categorical(list("abcde")),
        }
    ),
    "identifiers in single precision, in Python": in_memory(
        lambda: np.array([[2**24, 1, 5], [2, 1, 4]], np.float32)
    ),
    "users that are tuples, in Python": in_memory(
        lambda: {"user": [("shop", "ann"), ("shop", "bob")], "item": [1, 2]}
    ),
    "columns that are Series with other indices": in_memory(
        lambda: {"user": pd.Series([1, 2]), "item": pd.Series([3, 4], index=[1, 2])}
    ),
    "identifiers of 20 digits in JSON": evaluated(
        lambda: text(
            json.dumps(
                [
                    {"user": u, "item": 10**19 + i, "rating": r}
                    for u, i, r, _ in RATED.to_numpy().tolist()
                ]
            ),
            "a.json",
        )
    ),
    "identifiers of 20 digits in JSON lines": evaluated(
        lambda: json_lines({"user": 1, "item": 10**20 + n} for n in range(3))
    ),
    "a folder of parts": evaluated(
        lambda: folder_of((f"part-{n}.csv", RATED.iloc[n::3]) for n in range(3))
    ),
    "a part of a folder with items such as `10.0`": evaluated(
        lambda: folder_of(
            [
                ("1.csv", RATED.iloc[:30]),
                ("2.csv", RATED.iloc[30:].assign(item=RATED["item"].astype(float))),
            ]
        )
    ),
    "folders such as `rating=5`": evaluated(
        lambda: folder_of(
            (f"rating={value}/a.csv", own.drop(columns="rating"))
            for value, own in RATED.groupby("rating")
        )
    ),
    "a part of a folder whose users and items are exchanged": evaluated(
        lambda: folder_of([("1.csv", NAMED[::2]), ("2.csv", EXCHANGED)], header=False)
    ),
    "a part of a folder with ratings from 0 to 100": evaluated(
        lambda: folder_of(
            [("1.csv", RATED[::2]), ("2.csv", RATED[1::2].assign(rating=20 * (COUNT[1::2] % 6)))]
        )
    ),
    "parts of a folder with different columns": evaluated(
        lambda: folder_of([("1.csv", RATED), ("2.csv", RATED.rename(columns={"rating": "stars"}))])
    ),
    "a zip archive of one file": evaluated(zipped),
    "latin-1": evaluated(lambda: text("user,item,rating\nzoë,film,5\n".encode("latin-1"))),
    "UTF-16": evaluated(lambda: text(RATED.to_csv(index=False).encode("utf-16"))),
    "UTF-16 without a byte order mark": evaluated(
        lambda: text(RATED.to_csv(index=False).encode("utf-16-le"))
    ),
    "Netflix's lines": evaluated(netflix),
    'a run as `{"user": ..., "items": [...], "scores": [...]}`': compared(
        lambda: by_user(
            lambda user, items, scores: {"user": user, "items": items, "scores": scores}
        )
    ),
    'a run as `{"user": ..., "item": ..., "score": ...}`': compared(
        lambda: json_lines(RUN.to_dict("records"))
    ),
    "a run as `{user: [items]}`": compared(lambda: by_user(lambda user, items, _: {user: items})),
    "a pipe": through_a_pipe,
    "`runs` with a test pair twice": compared(
        lambda: csv(RUN, "mine.csv"), test=lambda: csv(pd.concat([TEST, TEST.tail(1)]), "test.csv")
    ),
    # Other kinds than those that were reported first.
    "`0,1,7` `1,2,9` `2,1,8` without a header": evaluated(lambda: text("0,1,7\n1,2,9\n2,1,8\n")),
    "`{user: {item: 0..5}}` as test data": compared(
        lambda: csv(RUN, "mine.csv"),
        test=lambda: text(
            json.dumps(
                {
                    str(u): dict(zip(own["item"].map(str), own["rating"].tolist(), strict=True))
                    for u, own in RATED.assign(rating=RATED["rating"] - 1).groupby("user")
                }
            ),
            "test.json",
        ),
    ),
    "1900-01-01 beside times of 2021": evaluated(
        lambda: csv(timestamp=np.where(COUNT == 4, "1900-01-01", "2021-05-03"))
    ),
    "times in units of 100 ns since the year 1": evaluated(
        lambda: csv(timestamp=(RATED["timestamp"] + 62_135_596_800) * 10**7)
    ),
    "a run without a header whose third column has times": compared(
        lambda: text(lines("user,item,timestamp"), "mine.csv")
    ),
    "times 100 ns apart": evaluated(lambda: csv(timestamp=1_620_000_000_000_000_000 + 100 * COUNT)),
    "`user,item,rating,0/1` without a header": evaluated(
        lambda: text(
            "".join(f"{u},{i},{r},{n % 2}\n" for n, (u, i, r, _) in enumerate(RATED.to_numpy()))
        )
    ),
    '`"1,234,567"` as a rating': evaluated(lambda: text('user,item,plays\nu,i,"1,234,567"\n')),
    "five columns of TREC with numbers as documents": compared(
        lambda: text(
            "".join(f"{u} 0 {i} {n} {-n}\n" for n, (u, i) in enumerate(_PAIRS)), "mine.txt"
        )
    ),
    "`user Q0 item rank` as test data": compared(
        lambda: csv(RUN, "mine.csv"),
        test=lambda: text("1 Q0 7 1\n1 Q0 8 2\n1 Q0 9 3\n2 Q0 7 1\n2 Q0 9 2\n", "test.txt"),
    ),
    "scores beside ranks as test data": compared(
        lambda: csv(RUN, "mine.csv"), test=lambda: csv(RUN, "test.csv", rank=1 + COUNT)
    ),
    "a run whose users and items are exchanged": compared(
        lambda: csv(
            RUN[["user", "item", "score"]].set_axis(["item", "user", "score"], axis=1), "mine.csv"
        ),
        test=lambda: csv(TEST[TEST["user"] > 8], "test.csv"),
    ),
    "ranks as the scores of `{user: {item: score}}`": compared(
        lambda: text(
            json.dumps({str(u): {"1": 1, "3": 2, "5": 3} for u in range(1, 9)}), "mine.json"
        )
    ),
    "ranks of -1": compared(lambda: csv(RUN.drop(columns="score"), "mine.csv", rank=-1)),
    "ratings of -1 beside 7, 8 and 9": evaluated(
        lambda: csv(rating=np.where(COUNT % 4, 6 + COUNT % 4, -1))
    ),
    "`NULL` as a user": evaluated(lambda: csv(user=RATED["user"].map(str).replace("3", "NULL"))),
    "the code -1 as a user": evaluated(lambda: csv(user=RATED["user"] - 2)),
    "cells after a comma and a space": evaluated(
        lambda: text(RATED.to_csv(index=False).replace(",", ", "))
    ),
    "a comma too many in JSON": evaluated(lambda: text('{"ann": {"x": 1, "y": 2,}}', "a.json")),
    "an address in the place of a file": evaluated(lambda: "https://a.org/ratings.csv"),
    "a given test whose users and items are exchanged": evaluated(
        lambda: csv(NAMED[::2]) if csv(EXCHANGED, "test.csv") else "", "--test", "test.csv"
    ),
    "a given test whose ratings are centred": evaluated(
        lambda: csv(RATED[::2]) if csv(RATED[1::2], "test.csv", rating=RATED["rating"] - 3) else "",
        *("--test", "test.csv", "--relevant", "1"),
    ),
    "a run of TREC as ratings": evaluated(lambda: text("u1 Q0 i1 1 2.5 me\n" * 3, "a.txt")),
    "judgments named `a.run`": compared(lambda: text("u1 0 i1 1\n" * 3, "a.run")),
    "two columns `item`": evaluated(lambda: text("user,item,item\n1,2,3\n")),
    "a user `Total`": evaluated(
        lambda: text(RATED.to_csv(index=False) + "Total,Total,210,1620000000\n")
    ),
    "`9.78014E+12` as an item": evaluated(
        lambda: csv(item=RATED["item"].map("9.7801{}E+12".format))
    ),
    "`007` beside `7`": evaluated(
        lambda: csv(item=np.where(COUNT % 9, RATED["item"].map(str), "00" + RATED["item"].map(str)))
    ),
    "a header between rows": evaluated(lambda: text(2 * "user,item\nann,x\n")),
    "`sep=;` in line 1": evaluated(lambda: text("sep=;\nuser;item;rating\n1;2;5\n")),
    "R's names of rows": evaluated(lambda: text("user item rating\n1 7 2 5\n2 8 2 4\n", "a.txt")),
    "the sizes of a matrix in line 1": evaluated(
        lambda: text("12 10 21\n" + "".join(f"{n} {n % 7} {n % 5}\n" for n in range(21)), "a.txt")
    ),
    "a matrix of users by items": evaluated(
        lambda: text("0 5 3 1 2\n4 0 0 3 2\n1 0 5 3 4\n4 4 1 2 0\n", "a.txt")
    ),
    "a header `1,2,3`": evaluated(lambda: text("1,2,3\n1,12,5\n2,13,4\n")),
    "`pd.DataFrame(rows).to_json()` without names": evaluated(
        lambda: text(pd.DataFrame(RATED.to_numpy()).to_json(), "a.json")
    ),
    "`user rank item score` without a header": compared(
        lambda: text(
            "".join(
                f"{u} {n} {1000 + 37 * u - 7 * n} {1 / n}\n" for u in (1, 2) for n in range(1, 9)
            )
        )
    ),
    "distances as scores, the nearest first": compared(
        lambda: csv(RUN.assign(score=-RUN["score"]).sort_values(["user", "score"]), "mine.csv")
    ),
    "times in the place of ratings": evaluated(lambda: csv(rating=RATED["timestamp"])),
    "`1 12:3`": evaluated(lambda: text("1 12:3\n1 13:4\n2 12:5\n", "a.txt")),
    '`1,"[12, 13]"`': evaluated(lambda: text('user,items\n1,"[12, 13]"\n2,"[13]"\n3,"[12, 14]"\n')),
    "times in the place of items": evaluated(lambda: text(lines("user,timestamp,item"))),
    "products of Amazon before customers": evaluated(
        lambda: text("".join(f"B0000000{i:02},A1B2C3D4E5F{u},5.0,1620000000\n" for u, i in _PAIRS))
    ),
    "ratings before users": evaluated(
        lambda: text("".join(f"{1 + n * 7 % 5},{n % 30},{n % 23}\n" for n in range(90)))
    ),
    "`user,item,category` without a header": evaluated(
        lambda: text("".join(f"{u},{i},{i % 4}\n" for u, i in _PAIRS))
    ),
    "columns without names": evaluated(lambda: text(lines())),
    "`user,item,0..999` without a header": evaluated(
        lambda: text("".join(f"u{u},i{i},{n * 607 % 1000}\n" for n, (u, i) in enumerate(_PAIRS)))
    ),
    "a date and a time in two columns": evaluated(
        lambda: text(
            "".join(
                f"{u}\t{i}\t{r}\t2021-05-{1 + n % 20:02}\t{9 + n % 10}:{n % 60:02}:00\n"
                for n, (u, i, r, _) in enumerate(RATED.to_numpy())
            )
        )
    ),
    "an index named `date` beside users in column 0": in_memory(
        lambda: RATED.iloc[:, :3].set_axis(
            pd.to_datetime(RATED["timestamp"], unit="s").rename("date")
        ),
        user=0,
        item=1,
        rating=2,
    ),
    "users with attributes as ratings": evaluated(
        lambda: text(
            "".join(
                f"{n}::{'FM'[sex]}::{18 + years}::{48067 + n}\n"
                for n, (sex, years) in enumerate(
                    np.random.default_rng(1).integers(0, (2, 7), (99, 2))
                )
            )
        )
    ),
    "plays such as `1.800` behind 1,500 rows": evaluated(
        lambda: text(
            "user,item,plays\n"
            + "".join(f"{n % 50},{n // 50},{1 + n % 900}\n" for n in range(1500))
            + "".join(f"{n % 50},{n // 50},1.{100 + n % 900}\n" for n in range(1500, 1600))
        )
    ),
}


def table() -> dict[str, str]:
    """Return the rows of the table by their first cell."""
    page = PAGE.read_text(encoding="utf-8")
    rows = page.partition("| input | what you see |\n| --- | --- |\n")[2].partition("\n\n")[0]
    cells = (row.removeprefix("| ").removesuffix(" |").split(" | ") for row in rows.splitlines())
    return dict(cells)


def test_every_row_of_the_table_has_an_input() -> None:
    assert list(table()) == list(INPUTS)


@pytest.mark.costly
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", INPUTS)
def test_a_person_sees_for_an_input_what_the_table_says(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = table()[name]
    status, seen = INPUTS[name](Terminal(capsys))
    kind = told.partition(":")[0]
    assert (status, kind) in ((0, "read"), (0, "a note"), (2, "refused"))
    # Of what is not misleading, only the lines on what was read are shown.
    shown = seen if kind != "a note" else seen.partition("Note: ")[2]
    pieces = re.findall("`([^`]+)`", told)
    assert pieces
    assert [piece for piece in pieces if piece not in shown] == []


@pytest.mark.each("command", ["evaluate", "runs", "diagnose"])
def test_notes_of_reading_are_printed_before_a_later_error(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    source = csv(user=RATED["user"].map(str).replace("3", "NULL"))
    terminal = Terminal(capsys)
    given = ["--test", source, csv(RUN, "mine.csv")] if command == "runs" else [source]
    status, told = terminal.run(command, *given, "--relevant", "9")
    *notes, error = told.splitlines()
    assert status == 2
    assert error.startswith("No test rating reaches the relevance threshold 9")
    assert any("may stand for missing identifiers" in note for note in notes)
