# SPDX-License-Identifier: MIT
"""The raw files read with the standard library alone, line by line as the originals are built."""

from __future__ import annotations

import ast
import gzip
import io
import re
import tarfile
import zipfile
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from simulation.twin_folders import TwinFolder

from reproduction.simulation.twins import Simulation


def all_match(pattern: str, text: str) -> bool:
    assert text.endswith("\n")
    assert "\r" not in text
    return all(re.fullmatch(pattern, line) for line in text[:-1].split("\n"))


def test_movielens_is_a_zip_with_double_colons_and_latin_1_titles(
    small_twins: dict[str, TwinFolder],
) -> None:
    with zipfile.ZipFile(small_twins["ml-1m"].folder / "ml-1m.zip") as archive:
        dates = {entry.date_time for entry in archive.infolist()}
        ratings = archive.read("ml-1m/ratings.dat").decode("ascii")
        movies = archive.read("ml-1m/movies.dat")
        users = archive.read("ml-1m/users.dat").decode("ascii")
        assert "ml-1m/README" in archive.namelist()
    assert dates == {(1980, 1, 1, 0, 0, 0)}
    assert all_match(r"\d+::\d+::[1-5]::\d{9,10}", ratings)
    assert all_match(r"\d+::[FM]::\d+::\d+::\d{5}", users)
    assert all_match(r"\d+::[^:]+ \(\d{4}\)::[A-Za-z|]+", movies.decode("iso-8859-1"))
    assert "é".encode("iso-8859-1") in movies
    assert "é".encode() not in movies
    user_column = [int(line.split("::")[0]) for line in ratings.splitlines()]
    assert user_column == sorted(user_column)
    times = [int(line.split("::")[3]) for line in ratings.splitlines()]
    assert times[:20] != sorted(times[:20])


def test_netflix_is_a_tar_in_a_tar_gz_with_one_file_per_movie(
    small_twins: dict[str, TwinFolder],
) -> None:
    with tarfile.open(small_twins["netflix"].folder / "nf_prize_dataset.tar.gz", "r:gz") as outer:
        member = outer.extractfile("download/training_set.tar")
        assert member is not None
        content = member.read()
    with tarfile.open(fileobj=io.BytesIO(content)) as inner:
        texts = {
            entry: inner.extractfile(entry).read().decode("ascii")  # type: ignore[union-attr]
            for entry in inner.getmembers()
        }
    assert {entry.mtime for entry in texts} == {0}
    for entry, text in texts.items():
        number = re.fullmatch(r"training_set/mv_(\d{7})\.txt", entry.name)
        assert number is not None
        header, _, lines = text.partition("\n")
        assert header == f"{int(number[1])}:"
        assert all_match(r"\d+,[1-5],(1999|200\d)-\d\d-\d\d", lines)


@pytest.mark.costly
def test_librarything_repeats_ratings_per_tag_and_the_last_line_is_valid(
    small_twins: dict[str, TwinFolder],
) -> None:
    lines = (small_twins["librarything"].folder / "UI2.txt").read_text("ascii").splitlines()
    rows = [line.split(" ", 3) for line in lines]
    ratings = defaultdict(list)
    tags = defaultdict(list)
    for user, work, rating, tag in rows:
        ratings[user, work].append(int(rating))
        tags[user, work].append(tag)
    assert len(ratings) == small_twins["librarything"].written["expected"]["ratings"]
    assert {rating for values in ratings.values() for rating in values} <= set(range(1, 11))
    assert all(len(set(names)) == len(names) for names in tags.values())
    assert any(" " in tag for *_, tag in rows)
    assert 2 < len(rows) / len(ratings) < 3.5
    conflicting = [values for values in ratings.values() if len(set(values)) > 1]
    assert 0 < len(conflicting) < 0.05 * len(ratings)
    assert all(len(set(values[1:])) == 1 for values in conflicting)
    keys = [(int(user), tag, int(work)) for user, work, _, tag in rows]
    assert keys == sorted(keys)


@cache
def beer_reviews(folder: Path) -> list[dict[str, str]]:
    content = gzip.decompress((folder / "beeradvocate.json.gz").read_bytes()).decode()
    return [ast.literal_eval(line) for line in content[:-1].split("\n")]


@pytest.mark.costly
def test_beeradvocate_lines_are_dict_literals_with_the_quirks_of_the_original(
    small_twins: dict[str, TwinFolder],
) -> None:
    reviews = beer_reviews(small_twins["beeradvocate"].folder)
    assert all(isinstance(value, str) for review in reviews for value in review.values())
    assert any("beer/ABV" not in review for review in reviews)
    assert any("review/profileName" not in review for review in reviews)
    assert any(review.get("review/profileName") == "" for review in reviews)
    assert {"0", "0.5", "1.5", "4", "4.5"} & {review["review/overall"] for review in reviews}
    assert all(re.fullmatch(r"[0-5](\.5)?", review["review/overall"]) for review in reviews)
    assert any("\n" in review["review/text"] for review in reviews)
    assert any('"' in text and "'" in text for text in (r["review/text"] for r in reviews))


@pytest.mark.costly
def test_a_repeated_beer_review_is_both_later_and_further_down(
    small_twins: dict[str, TwinFolder],
) -> None:
    twin = small_twins["beeradvocate"]
    by_pair = defaultdict(list)
    for review in beer_reviews(twin.folder):
        pair = (review.get("review/profileName", ""), review["beer/beerId"])
        by_pair[pair].append((int(review["review/time"]), float(review["review/overall"])))
    assert len(by_pair) == twin.written["expected"]["ratings"]
    repeated = [entries for entries in by_pair.values() if len(entries) > 1]
    assert repeated
    for (first_time, first_rating), (second_time, second_rating) in repeated:
        assert first_time < second_time
        assert first_rating != second_rating


@pytest.mark.costly
def test_rare_zeros_occur_in_the_full_beer_twin_and_in_the_small_file(
    simulations: dict[str, Simulation], small_twins: dict[str, TwinFolder]
) -> None:
    values = simulations["beeradvocate"].observation.values
    assert 1 <= (values == 0).sum() < 0.002 * len(values)
    content = gzip.decompress(
        (small_twins["beeradvocate"].folder / "beeradvocate.json.gz").read_bytes()
    )
    zeros = content.count(b"'review/overall': '0'")
    assert 1 <= zeros < 0.002 * content.count(b"\n")


def test_yahoo_has_train_users_without_test_ratings(small_twins: dict[str, TwinFolder]) -> None:
    twin = small_twins["yahoo-r3"]
    train, test = ((twin.folder / name).read_text("ascii") for name in twin.written["files"])
    assert all_match(r"[1-9]\d*\t[1-9]\d*\t[1-5]", train)
    assert all_match(r"[1-9]\d*\t[1-9]\d*\t[1-5]", test)
    train_users, test_users = (
        {line.split("\t")[0] for line in text.splitlines()} for text in (train, test)
    )
    assert test_users < train_users
    pairs = [line.rsplit("\t", 1)[0] for line in (train + test).splitlines()]
    assert len(set(pairs)) == len(pairs)


def test_cm100k_lines_are_user_track_rating_known(small_twins: dict[str, TwinFolder]) -> None:
    text = (small_twins["cm100k"].folder / "ratings.txt").read_text("ascii")
    assert all_match(r"\d+\t\d+\t[1-4]\t[01]", text)


def test_lastfm_lines_are_plays_with_quotes_and_missing_identifiers(
    small_twins: dict[str, TwinFolder],
) -> None:
    name = "lastfm-dataset-1K/userid-timestamp-artid-artname-traid-traname.tsv"
    with tarfile.open(
        small_twins["lastfm-1k"].folder / "lastfm-dataset-1K.tar.gz", "r:gz"
    ) as archive:
        member = archive.extractfile(name)
        assert member is not None
        text = member.read().decode("utf-8")
    mbid = r"([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?"
    instant = r"200\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    assert all_match(rf"user_\d{{6}}\t{instant}\t{mbid}\t[^\t]+\t{mbid}\t[^\t]+", text)
    rows = [line.split("\t") for line in text.splitlines()]
    identifier_of = defaultdict(set)
    for _, _, artist_mbid, artist, _, _ in rows:
        identifier_of[artist].add(artist_mbid)
    assert all(len(found) == 1 for found in identifier_of.values())
    without = sum(found == {""} for found in identifier_of.values()) / len(identifier_of)
    assert 0.3 < without < 0.5
    assert any(artist.count('"') == 1 for artist in identifier_of)
    assert any(ord(letter) > 0x3000 for artist in identifier_of for letter in artist)
    newest_first = [(user, -int(re.sub(r"\D", "", time))) for user, time, *_ in rows]
    assert newest_first == sorted(newest_first)
