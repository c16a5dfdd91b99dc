# SPDX-License-Identifier: MIT
"""What datasets and tools ship is read as the table of docs/reading.md says."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from data.read_rows import Row, entries_of, rows_of
from data.test_run_files import BY_RANX

from receval.data.ratings_table import read_ratings, read_test_data
from receval.data.reading import TableError
from receval.data.run import read_run

PAGE = Path(__file__).parents[2] / "docs/reading.md"

RATED: list[Row] = [("1", "10", 5.0), ("1", "11", 3.5), ("2", "10", 4.0)]
JUDGED: list[Row] = [("1", "10", 2.0), ("1", "11", 0.0), ("2", "10", 1.0)]
LISTED: list[Row] = [("1", "10", 2.0), ("1", "11", 1.0), ("2", "10", 0.5)]
EXPECTED = {"ratings": RATED, "judgments": JUDGED, "run": LISTED}

Make = Callable[[Path], object]
"""Writes a file into a folder, and returns its path; or returns a table in memory."""


def file(name: str, content: str | bytes) -> Make:
    def written(folder: Path) -> object:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def lines(form: str, rows: list[Row] = RATED) -> str:
    """Return a line for each row, with a time that differs."""
    return "".join(
        form.format(u=u, i=i, r=f"{r:g}", t=881_250_949 + n) + "\n"
        for n, (u, i, r) in enumerate(rows)
    )


def json_lines(**names: str) -> str:
    """Return JSON lines with columns of some names."""
    rows = (
        {"user": u, "item": i, "rating": r, "time": 1_252_800_000_000 + n}
        for n, (u, i, r) in enumerate(RATED)
    )
    return "".join(
        json.dumps({"text": "Good,\nbut dear."} | {names[own]: row[own] for own in names}) + "\n"
        for row in rows
    )


def nested(rows: list[Row]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for user, item, value in rows:
        found.setdefault(user, {})[item] = value
    return found


def parquet(name: str, **columns: object) -> Make:
    def written(folder: Path) -> object:
        pq.write_table(pa.table(columns), folder / name)
        return folder / name

    return written


def columns_of(rows: list[Row], *names: str) -> dict[str, list[Any]]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def training_set(folder: Path) -> Path:
    for item in ("10", "11"):
        own = "".join(f"{u},{r:g},2005-09-06\n" for u, i, r in RATED if i == item)
        file(f"training_set/mv_00000{item}.txt", f"{item}:\n{own}")(folder)
    return folder / "training_set"


def lists_of_lenskit(folder: Path) -> Path:
    lists = [[{"item_id": i, "score": s} for u, i, s in LISTED if u == user] for user in ("1", "2")]
    pq.write_table(pa.table({"user_id": ["1", "2"], "items": lists}), folder / "recs.parquet")
    return folder / "recs.parquet"


def packed_by_ranx(folder: Path) -> object:
    pytest.importorskip("cbor2", reason="cbor2 reads what ranx packs")
    return file("run.lz4", base64.b64decode(BY_RANX))(folder)


Prediction = namedtuple("Prediction", ["uid", "iid", "r_ui", "est", "details"])
Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])
ScoredDoc = namedtuple("ScoredDoc", ["query_id", "doc_id", "score"])

_LAST_FM_1K = "{u}\t2009-05-04T23:08:5{n}Z\ta-{i}\tan artist\tt-{i}\t{i}\n"

SHIPPED: dict[tuple[str, str], Make] = {
    ("MovieLens 100K", "`u.data`"): file("u.data", lines("{u}\t{i}\t{r}\t{t}")),
    ("MovieLens 1M", "`ratings.dat`"): file("ratings.dat", lines("{u}::{i}::{r}::{t}")),
    ("MovieLens 10M", "`ratings.dat`"): file("ratings.dat", lines("{u}::{i}::{r}::{t}")),
    ("MovieLens 20M and later", "`ratings.csv`"): file(
        "ratings.csv", "userId,movieId,rating,timestamp\n" + lines("{u},{i},{r},{t}")
    ),
    ("Netflix", "`combined_data_1.txt`"): file(
        "combined_data_1.txt", "10:\n1,5,2005-09-06\n2,4,2005-09-07\n11:\n1,3.5,2005-09-08\n"
    ),
    ("Netflix", "the folder `training_set`"): training_set,
    ("Amazon 2014 and 2018", "`reviews_Books_5.json`"): file(
        "reviews_Books_5.json",
        json_lines(user="reviewerID", item="asin", rating="overall", time="unixReviewTime"),
    ),
    ("Amazon 2023", "`Books.jsonl`"): file(
        "Books.jsonl",
        json_lines(user="user_id", item="parent_asin", rating="rating", time="timestamp"),
    ),
    ("Amazon 2023", "`Books.csv`"): file(
        "Books.csv", "user_id,parent_asin,rating,timestamp\n" + lines("{u},{i},{r},{t}000")
    ),
    ("Amazon 2014 (ratings only)", "`ratings_Books.csv`"): file(
        "ratings_Books.csv", lines("{u},{i},{r},{t}")
    ),
    ("Amazon 2018 (ratings only)", "`Books.csv`"): file(
        "Books.csv", lines("B0000000{i},A1B2C3D4E5F6{u},{r},{t}")
    ),
    ("Yelp", "`yelp_academic_dataset_review.json`"): file(
        "yelp_academic_dataset_review.json",
        json_lines(user="user_id", item="business_id", rating="stars"),
    ),
    ("Last.fm 360K", "`usersha1-artmbid-artname-plays.tsv`"): file(
        "usersha1-artmbid-artname-plays.tsv", lines("{u}\t{i}\tan artist\t{r}")
    ),
    ("Last.fm 1K", "`userid-timestamp-artid-artname-traid-traname.tsv`"): file(
        "userid-timestamp-artid-artname-traid-traname.tsv",
        "".join(_LAST_FM_1K.format(u=u, i=i, n=n) for n, (u, i, _) in enumerate(2 * RATED)),
    ),
    ("Last.fm 2K (HetRec)", "`user_artists.dat`"): file(
        "user_artists.dat", "userID\tartistID\tweight\n" + lines("{u}\t{i}\t{r}")
    ),
    ("Book-Crossing", "`BX-Book-Ratings.csv`"): file(
        "BX-Book-Ratings.csv", '"User-ID";"ISBN";"Book-Rating"\n' + lines('"{u}";"{i}";"{r}"')
    ),
    ("Jester", "`jester_ratings.dat`"): file("jester_ratings.dat", lines("{u}\t\t{i}\t\t{r}")),
    ("RecBole", "`ml-100k.inter`"): file(
        "ml-100k.inter",
        "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
        + lines("{u}\t{i}\t{r}\t{t}"),
    ),
    ("Elliot", "`dataset.tsv`"): file("dataset.tsv", lines("{u}\t{i}\t{r}\t{t}")),
    ("Elliot", "`recs/ItemKNN.tsv`"): file("recs/ItemKNN.tsv", lines("{u}\t{i}\t{r}", LISTED)),
    ("Cornac", "UIR"): file("ratings.txt", lines("{u}\t{i}\t{r}")),
    ("Cornac", "UIRT"): file("ratings.txt", lines("{u}\t{i}\t{r}\t{t}")),
    ("RecPack", "`InteractionMatrix` as CSV"): file(
        "a.csv",
        ",iid,uid,ts\n" + "".join(f"{n},{i},{u},{n}\n" for n, (u, i, _) in enumerate(RATED)),
    ),
    ("LensKit", "`ratings.csv`"): file("ratings.csv", "user,item,rating\n" + lines("{u},{i},{r}")),
    ("LensKit", "lists in Parquet"): lists_of_lenskit,
    ("pandas", "`to_csv` without names"): file("a.csv", "0,1,2\n" + lines("{u},{i},{r}")),
    ("pandas", "`to_csv` with the index"): file(
        "a.csv",
        ",user,item,rating\n" + "".join(f"{n},{u},{i},{r}\n" for n, (u, i, r) in enumerate(RATED)),
    ),
    ("Surprise", "`raw_ratings`"): lambda _: [(u, i, r, None) for u, i, r in RATED],
    ("Surprise", "predictions"): lambda _: [Prediction(u, i, 3.0, s, {}) for u, i, s in LISTED],
    ("implicit", "arrays of items and scores by user"): lambda _: {
        user: (np.array([*map(int, own)]), np.array([*own.values()]))
        for user, own in nested(LISTED).items()
    },
    ("trec_eval", "`qrels.test`"): file("qrels.test", lines("{u} 0 {i} {r}", JUDGED)),
    ("trec_eval", "`results.test`"): file("results.test", lines("{u} Q0 {i} 1 {r} mine", LISTED)),
    ("pytrec_eval", "`.qrel`"): file("test.qrel", lines("{u} 0 {i} {r}", JUDGED)),
    ("pytrec_eval", "mappings of judgments"): lambda _: nested(JUDGED),
    ("pytrec_eval", "mappings of scores"): lambda _: nested(LISTED),
    ("ir_measures", "a frame of judgments"): lambda _: pd.DataFrame(
        columns_of(JUDGED, "query_id", "doc_id", "relevance")
    ),
    ("ir_measures", "`Qrel`"): lambda _: [Qrel(u, i, r, "0") for u, i, r in JUDGED],
    ("ir_measures", "`ScoredDoc`"): lambda _: [ScoredDoc(*row) for row in LISTED],
    ("ranx", "`qrels.json`"): file("qrels.json", json.dumps(nested(JUDGED))),
    ("ranx", "`qrels.trec`"): file("qrels.trec", lines("{u} 0 {i} {r}", JUDGED)),
    ("ranx", "`qrels.trec.gz`"): file(
        "qrels.trec.gz", gzip.compress(lines("{u} 0 {i} {r}", JUDGED).encode())
    ),
    ("ranx", "`qrels.parquet`"): parquet(
        "qrels.parquet", **columns_of(JUDGED, "q_id", "doc_id", "score")
    ),
    ("ranx", "`run.json`"): file("run.json", json.dumps(nested(LISTED))),
    ("ranx", "`run.trec`"): file("run.trec", lines("{u} Q0 {i} 1 {r} mine", LISTED)),
    ("ranx", "`run.parquet`"): parquet(
        "run.parquet", **columns_of(LISTED, "q_id", "doc_id", "score")
    ),
    ("ranx", "`run.lz4`"): packed_by_ranx,
    ("LightGCN", "`train.txt`"): file("train.txt", "0 10 11 12\n1 10 13\n2 11\n"),
}
"""What makes a few lines of each kind, by the first two cells of its row."""

OTHERS: dict[tuple[str, str], list[Row]] = {
    ("Last.fm 1K", "`userid-timestamp-artid-artname-traid-traname.tsv`"): [
        (u, i, 2.0) for u, i, _ in RATED
    ],
    ("Amazon 2018 (ratings only)", "`Books.csv`"): [
        (f"A1B2C3D4E5F6{u}", f"B0000000{i}", r) for u, i, r in RATED
    ],
    ("RecPack", "`InteractionMatrix` as CSV"): [(u, i, 1.0) for u, i, _ in RATED],
    ("ranx", "`run.lz4`"): [("ann", "book", 2.5), ("ann", "film", 1.0), ("bob", "film", -3.0)],
}
"""The rows of kinds that cannot have those of the others."""


def table() -> dict[tuple[str, str], tuple[str, str]]:
    """Return the last two cells of each row of the table by the first two."""
    page = PAGE.read_text(encoding="utf-8")
    rows = page.partition("| shipped by | as | known as | read as |\n")[2].partition("\n\n")[0]
    cells = [row.removeprefix("| ").removesuffix(" |").split(" | ") for row in rows.splitlines()]
    return {(by, what): (known, read) for by, what, known, read in cells[1:]}


def test_every_row_of_the_table_has_a_sample() -> None:
    assert list(table()) == list(SHIPPED)


@pytest.mark.each("kind", SHIPPED, ids=" ".join)
def test_what_is_shipped_is_read_as_the_table_says(kind: tuple[str, str], tmp_path: Path) -> None:
    known, told = table()[kind]
    source = SHIPPED[kind](tmp_path)
    role, *said = re.split("; say `|`", told)
    options: dict[str, str] = {}
    for option in re.findall("--([a-z]+ [^ ]+)", " ".join(said)):
        options |= [option.split(" ")]
    (form,) = re.findall("`([^`]+)`", known)
    if role.startswith("refused"):
        with pytest.raises(TableError, match=re.escape(form)):
            read_ratings(source)
        return
    if said:
        with pytest.raises(TableError, match="--columns"):
            read_ratings(source)
    read: Any = read_run(source) if role == "run" else read_test_data(source, **options)
    rows = entries_of(read) if role == "run" else rows_of(read.ratings)
    assert sorted(rows) == OTHERS.get(kind, EXPECTED[role])
    assert form in read.reading.lines()[0]
    assert not read.reading.notes
    assert role == "run" or read.are_grades == (role == "judgments")
