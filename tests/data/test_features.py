# SPDX-License-Identifier: MIT
"""Read features of items and users from tables of any form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from receval.data.features import Features, binned, read_features
from receval.data.reading import TableError

GENRES = {"item": ["x", "y", "z"], "genre": ["War|Drama", "War", ""]}
WANTED = {"x": {"Drama", "War"}, "y": {"War"}, "z": set()}


def _as_sets(features: Features, name: str) -> dict[str, set[str]]:
    labels = np.array(features.values[name])
    table = features.has_value[name].toarray()
    assert set(np.unique(table)) <= {0.0, 1.0}
    return {
        str(own): set(labels[row > 0].tolist())
        for own, row in zip(features.ids, table, strict=True)
    }


def _csv(folder: Path) -> Path:
    path = folder / "films.csv"
    path.write_text("item,genre\nz,\nx,War|Drama\ny,War\n", encoding="utf-8")
    return path


def _parquet(folder: Path) -> Path:
    path = folder / "films.parquet"
    lists = pa.table({"item": ["x", "y", "z"], "genre": [["War", "Drama"], ["War"], []]})
    pq.write_table(lists.append_column("other", pa.array([1, 2, 3])), path)
    return path


def _jsonl(folder: Path) -> Path:
    path = folder / "films.jsonl"
    path.write_text(
        '{"item": "x", "genre": ["War", "Drama"], "o": 1}\n'
        '{"item": "y", "genre": ["War"], "o": 1}\n{"item": "z", "genre": [], "o": 1}\n',
        encoding="utf-8",
    )
    return path


def _recbole(folder: Path) -> Path:
    path = folder / "films.item"
    path.write_text("item_id:token\tgenre:token_seq\nx\tWar Drama\ny\tWar\nz\t\n", encoding="utf-8")
    return path


@pytest.mark.each("write", [_csv, _parquet, _jsonl, _recbole])
def test_every_form_of_file_has_the_same_features(write: object, tmp_path: Path) -> None:
    found = read_features(write(tmp_path))  # type: ignore[operator]

    assert _as_sets(found, "genre") == WANTED


@pytest.mark.each("frame", [dict, pd.DataFrame, pa.table])
def test_every_kind_of_frame_has_the_same_features(frame: object) -> None:
    found = read_features(frame(GENRES))  # type: ignore[operator]

    assert _as_sets(found, "genre") == WANTED
    assert found.values == {"genre": ("Drama", "War")}


def test_the_files_of_movielens_are_known_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "movies.dat").write_bytes(
        "1::Les Misérables (1995)::Drama|War\n2::Toys (1992)::Comedy\n".encode("latin-1")
    )
    (tmp_path / "users.dat").write_text("1::F::1::10::48067\n2::M::56::16::70072\n", "utf-8")
    flags = "|".join("1" if place in (1, 8) else "0" for place in range(19))
    (tmp_path / "u.item").write_text(f"7|Film|01-Jan-1995||http://x|{flags}\n", "latin-1")

    films = read_features(tmp_path / "movies.dat")
    people = read_features(tmp_path / "users.dat", features=["gender"])
    coded = read_features(tmp_path / "u.item", features=["genres"])

    assert films.names == ("title", "genre")
    assert "Les Misérables (1995)" in films.values["title"]
    assert "in iso8859-1" in films.reading.lines()[0]
    assert _as_sets(people, "gender") == {"1": {"F"}, "2": {"M"}}
    assert _as_sets(coded, "genre") == {"7": {"Action", "Drama"}}


def test_a_text_without_a_header_has_identifiers_first_and_names_from_the_caller(
    tmp_path: Path,
) -> None:
    path = tmp_path / "films.tsv"
    path.write_text("1\t1990\tWar\n2\t2001\tDrama\n", encoding="utf-8")

    numbered = read_features(path)
    named = read_features(path, columns=["item", "-", "genre"])

    assert numbered.names == ("1", "2")
    assert named.values == {"genre": ("Drama", "War")}


def test_numbers_are_binned_on_request() -> None:
    table = {"user": list("abcd"), "age": [10, 20, 30, None], "city": list("xxyy")}

    by_edges = read_features(table, bins={"age": [18, 25]})
    by_number = read_features(table, bins={"Ages": 3})

    assert by_edges.values["age"] == ("below 18", "18 to below 25", "25 or more")
    assert _as_sets(by_edges, "age") == {
        "a": {"below 18"}, "b": {"18 to below 25"}, "c": {"25 or more"}, "d": set(),
    }  # fmt: skip
    assert len(by_number.values["age"]) == 3


def test_bins_of_equal_numbers_are_one_group() -> None:
    labels, places = binned(np.array([2.0, 2.0, np.nan]), 3)

    assert (labels, places.tolist()) == (("all",), [0, 0, -1])


def test_one_hot_columns_become_one_feature() -> None:
    table = pd.DataFrame({"item": [1, 2], "War": [True, False], "Drama": [1, 0], "year": [90, 91]})

    found = read_features(table, one_hot={"genre": ["War", "Drama"]})

    assert found.names == ("genre", "year")
    assert _as_sets(found, "genre") == {"1": {"War", "Drama"}, "2": set()}


def test_several_rows_of_an_identifier_add_up_their_values() -> None:
    found = read_features({"item": ["x", "x", "y"], "tag": ["a", "b", "a"]})

    assert _as_sets(found, "tag") == {"x": {"a", "b"}, "y": {"a"}}


def test_whole_cells_are_values_without_a_separator() -> None:
    found = read_features({"item": ["x"], "title": ["A|B"]}, separator="")

    assert found.values["title"] == ("A|B",)


def test_unknown_identifiers_have_no_values() -> None:
    own = read_features(GENRES).of(np.array(["y", "?", "x", "zz"]))["genre"]

    assert own.toarray().tolist() == [[0, 1], [0, 0], [1, 1], [0, 0]]


def test_features_of_two_tables_are_joined() -> None:
    years = read_features({"item": ["w", "x"], "year": [1990, 2000]})

    both = read_features(GENRES).joined(years)

    assert both.ids.tolist() == ["w", "x", "y", "z"]
    assert _as_sets(both, "year")["x"] == {"2000"}
    assert _as_sets(both, "genre")["x"] == {"Drama", "War"}
    with pytest.raises(ValueError, match="both have the feature year"):
        both.joined(years)


@pytest.mark.each(
    ("table", "options", "told"),
    [
        ({"film": ["x"], "g": ["a"]}, {}, "no column with a known name for identifiers"),
        ({"item": ["x"]}, {}, "no column of features"),
        (GENRES, {"id": "film"}, "no column 'film'"),
        (GENRES, {"id": 7}, "none has the number 7"),
        (GENRES, {"features": ["year"]}, "no feature 'year'"),
        (GENRES, {"bins": {"genre": 2}}, "row 1: genre is 'War|Drama'. It must be a number"),
        (GENRES, {"bins": {"genre": []}}, "bins of genre"),
        (GENRES, {"bins": {"genre": [3, 2]}}, "ascending order"),
        (GENRES, {"one_hot": {"g": ["genre"]}}, "It must be 1 or 0"),
        (GENRES, {"one_hot": {"g": ["Drama"]}}, "no column 'Drama'"),
        ({"item": ["x", None], "g": ["a", "b"]}, {}, "row 2 has no item"),
        ({"item": [], "g": []}, {}, "no rows"),
        ([["x", "a"]], {}, "need the names of their columns"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(
    table: object, options: dict, told: str
) -> None:
    with pytest.raises((TableError, ValueError), match=told.replace("|", r"\|")):
        read_features(table, **options)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "films.qrels"
    path.write_text("1 0 x 1\n", encoding="utf-8")
    with pytest.raises(TableError, match="which has no features"):
        read_features(path)


def test_one_of_several_features_must_be_named() -> None:
    found = read_features({"item": ["x"], "Genres": ["a"], "year": [1]})

    assert found.name("genre") == "Genres"
    with pytest.raises(ValueError, match="Name the one that you mean"):
        found.name()
    with pytest.raises(ValueError, match=r"several values of genre: a, b"):
        read_features({"item": ["x"], "genre": ["a|b"]}).single_values("genre")


def test_lists_written_as_text_are_refused_unless_each_is_one_value(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,genre\n" + "".join(f"{n},\"['A', 'B']\"\n" for n in range(9)), "utf-8")
    with pytest.raises(TableError, match=r"genre seem to be lists, such as .* separator=''"):
        read_features(path)
    assert read_features(path, separator="").values == {"genre": ("['A', 'B']",)}


def test_columns_of_objects_are_not_read_and_told(tmp_path: Path) -> None:
    path = tmp_path / "business.json"
    row = '{"business_id": "b", "city": "Bonn", "attributes": {"wifi": "free", "car": "no"}}\n'
    path.write_text(2 * row, "utf-8")
    features = read_features(path)
    assert features.values == {"city": ("Bonn",)}
    assert "not read: attributes" in " ".join(features.reading.lines())


@pytest.mark.parametrize(
    ("names", "of", "chosen"),
    [
        ("id,user_id", None, "user_id"),
        ("id,user_id", "users", "user_id"),
        ("item_id,user_id", "users", "user_id"),
        ("user_id,item_id", "items", "item_id"),
        ("id,artist", "items", "id"),
        ("user_id,artist", "items", "artist"),
        ("id,user_id", "items", "id"),
    ],
)
def test_the_identifiers_are_those_of_the_side_asked_for_and_told(
    names: str, of: Any, chosen: str
) -> None:
    table = {**dict(zip(names.split(","), (["1"], ["2"]), strict=True)), "genre": ["War"]}
    found = read_features(table, of=of, features=["genre"])
    assert found.ids.tolist() == table[chosen]
    assert f"1 identifier ({chosen}); read: genre" in found.reading.lines()[0]


@pytest.mark.parametrize("cell", ["NA", "N/A", "<NA>", "None", "NULL", ""])
def test_cells_without_a_value_are_no_group(cell: str) -> None:
    assert read_features({"user": ["a", "b"], "sex": ["F", cell]}).values["sex"] == ("F",)
