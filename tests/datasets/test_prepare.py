# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from datasets.registry_entries import entry, registry, spec
from real_files import CM100K, MIRROR, MOVIELENS, needs

from receval.data.ratings import TABLE_FILES, Ratings
from receval.storage.files import sha256_of
from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import load_parser, prepare
from reproduction.datasets.raw import RawFile, RawFiles, resolve
from reproduction.datasets.reports import CountError, DatasetError, RawDataError, UnavailableError
from reproduction.datasets.spec import DatasetSpec, ExpectedCounts
from reproduction.workflow.jobs.data import prepare_ratings

DAT = "reproduction.datasets.formats.movielens:parse_dat"
CONTENT = "9::7::5::300\n2::7::1::100\n9::3::4::200\n"
FILES = ["items.parquet", "ratings.parquet", "summary.json", "users.parquet"]


def raw_of(
    folder: Path,
    content: str = CONTENT,
    parser: str = DAT,
    name: str = "ratings.dat",
    **expected: object,
) -> RawFiles:
    path = folder / name
    path.write_text(content)
    counts = ExpectedCounts.model_validate(expected) if expected else None
    return RawFiles("small", "dat", parser, (RawFile.of(path),), expected=counts)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_the_table_is_written_with_its_summary(tmp_path: Path) -> None:
    raw = raw_of(tmp_path)
    summary = prepare(raw, spec(), tmp_path / "out")
    ratings = Ratings.read(tmp_path / "out")
    assert ratings.user_ids.tolist() == ["9", "2"]
    assert ratings.values.tolist() == [5, 1, 4]
    assert names(tmp_path / "out") == FILES
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary
    assert summary == {
        "dataset": "small",
        "variant": "dat",
        "source": "local",
        "parser": DAT,
        "n_users": 2,
        "n_items": 2,
        "n_ratings": 3,
        "values": {"1": 1, "4": 1, "5": 1},
        "per_user": [1, 2],
        "per_item": [1, 2],
        "timestamps": [100, 300],
        "known": None,
        "unknown": None,
        "relevant": {"ratings": 2, "users": 1, "items": 2, "values": {"4": 1, "5": 1}},
        "rows": 3,
        "repeats_collapsed": 0,
        "repeat_rule": None,
        "dropped": {},
        "notes": {},
        "files": {},
        "counts_checked": False,
        "published": {},
        "raw_files": [{"name": "ratings.dat", "sha256": raw.files[0].sha256}],
        "auxiliary_files": [],
        "prepared_files": [
            {"name": name, "sha256": sha256_of(tmp_path / "out" / name)} for name in TABLE_FILES
        ],
    }


def test_the_same_files_give_the_same_bytes_wherever_they_are(tmp_path: Path) -> None:
    outputs = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        prepare(raw_of(tmp_path / place), spec(), tmp_path / place / "out")
        folder = tmp_path / place / "out"
        outputs.append({name: (folder / name).read_bytes() for name in names(folder)})
    assert outputs[0] == outputs[1]


RIGHT: dict[str, object] = {
    "rows": 3,
    "ratings": 3,
    "users": 2,
    "items": 2,
    "values": {1: 1, 4: 1, 5: 1},
    "per_user": [1, 2],
    "per_item": [1, 2],
}


def test_a_digit_that_changed_since_the_files_were_found_is_refused(tmp_path: Path) -> None:
    raw = raw_of(tmp_path)
    path = raw.files[0].path
    path.write_text(CONTENT.replace("::5::", "::4::"))
    with pytest.raises(
        RawDataError, match=r"ratings\.dat: the file has changed since it was found"
    ):
        prepare(raw, spec(), tmp_path / "out")
    assert names(tmp_path / "out") == []


def test_counts_that_agree_are_checked(tmp_path: Path) -> None:
    assert prepare(raw_of(tmp_path, **RIGHT), spec(), tmp_path / "out")["counts_checked"]


@pytest.mark.each(
    ("wrong", "sentence"),
    [
        ({"rows": 4}, "rows of the raw files: 4 expected, 3 found"),
        ({"ratings": 1_000_209}, "ratings: 1,000,209 expected, 3 found"),
        ({"users": 3}, "users: 3 expected, 2 found"),
        ({"items": 1}, "items: 1 expected, 2 found"),
        ({"values": {1: 1, 4: 2}}, "ratings of 4: 2 expected, 1 found"),
        ({"values": {1: 1, 4: 1}}, "ratings of 5: 0 expected, 1 found"),
        ({"values": {1: 1, 3: 1, 4: 1, 5: 1}}, "ratings of 3: 1 expected, 0 found"),
        ({"per_user": [1, 3]}, "ratings per user: 1 to 3 expected, 1 to 2 found"),
        ({"per_item": [2, 2]}, "ratings per item: 2 to 2 expected, 1 to 2 found"),
        ({"known": {"users": 1}}, "known users: 1 expected, none found"),
        ({"files": {"train": {"ratings": 3}}}, "train file: ratings: 3 expected, none found"),
    ],
)
def test_a_count_that_differs_is_refused_and_nothing_is_written(
    tmp_path: Path, wrong: dict[str, object], sentence: str
) -> None:
    with pytest.raises(
        CountError, match=r"The dataset small \(variant dat, .*ratings\.dat\)"
    ) as caught:
        prepare(raw_of(tmp_path, **{**RIGHT, **wrong}), spec(), tmp_path / "out")
    assert sentence in str(caught.value)
    assert names(tmp_path / "out") == []


def test_all_differences_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(CountError, match=r"users: 5 expected, 2 found; items: 5 expected, 2 found"):
        prepare(raw_of(tmp_path, users=5, items=5), spec(), tmp_path / "out")


def test_many_differences_are_counted_where_they_do_not_fit(tmp_path: Path) -> None:
    folder = tmp_path / ("long " * 40) / ("longer " * 20)
    folder.mkdir(parents=True)
    movielens = registry()["ml-1m"]
    raw = replace(raw_of(folder), dataset="ml-1m", expected=movielens.expected)
    with pytest.raises(
        CountError, match=r"ratings: 1,000,209 expected, 3 found; .* more\."
    ) as caught:
        prepare(raw, movielens, tmp_path / "out")
    assert len(str(caught.value)) <= 500
    assert str(caught.value).endswith("Check that the files are the original ones.")


def test_no_message_about_a_dataset_is_longer_than_can_be_read() -> None:
    message = str(
        UnavailableError(f"The dataset is not here: {'it is nowhere, ' * 99}look for it.")
    )
    assert len(message) == 500
    assert message.startswith("The dataset is not here")
    assert message.endswith("look for it.")


def test_means_of_repeated_ratings_may_lie_between_the_steps_of_the_scale(tmp_path: Path) -> None:
    means = spec(duplicates="mean")
    prepare(raw_of(tmp_path, "9::7::5::300\n9::7::2::400\n"), means, tmp_path / "out")
    assert Ratings.read(tmp_path / "out").values.tolist() == [3.5]


def test_sums_are_refused_where_there_is_a_scale_that_they_would_leave() -> None:
    with pytest.raises(ValueError, match=r"sums of ratings are not on a scale\. Set scale: null"):
        spec(duplicates="sum")
    assert DatasetSpec.model_validate(entry(duplicates="sum") | {"scale": None}).scale is None


def test_ratings_off_the_scale_are_refused(tmp_path: Path) -> None:
    narrow = spec(scale={"minimum": 1, "maximum": 5, "step": 2})
    with pytest.raises(
        CountError, match=r"1 ratings have the value 4, which is not on the scale from 1 to 5"
    ):
        prepare(raw_of(tmp_path), narrow, tmp_path / "out")


def test_a_rating_that_is_nearly_on_the_scale_is_told_apart_from_one_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = raw_of(tmp_path)
    values = np.array([5, 3.9999998, 1], dtype=np.float32)
    table = replace(load_parser(DAT)([raw.files[0].path]), values=values)
    monkeypatch.setattr(
        "reproduction.datasets.prepare.load_parser", lambda _: lambda *_, **__: table
    )
    with pytest.raises(CountError, match=r"the value 3\.99999976, .* from 1 to 5 in steps of 1"):
        prepare(raw, spec(), tmp_path / "out")


def test_a_row_that_does_not_parse_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RawDataError, match=r"ratings\.dat, line 2: "):
        prepare(raw_of(tmp_path, "1::2::3\n1::2::9\n"), spec(), tmp_path / "out")
    assert names(tmp_path / "out") == []


def test_a_failing_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Ratings.write

    def fail_at_the_end(ratings: Ratings, folder: Path) -> None:
        write(ratings, folder)
        raise OSError("disk full")

    monkeypatch.setattr(Ratings, "write", fail_at_the_end)
    with pytest.raises(OSError, match="disk full"):
        prepare(raw_of(tmp_path), spec(), tmp_path / "out")
    assert names(tmp_path / "out") == []


def test_a_parser_that_is_not_there_is_told(tmp_path: Path) -> None:
    raw = raw_of(tmp_path, parser="reproduction.datasets.formats.movielens:parse_xml")
    with pytest.raises(DatasetError, match=r"The parser .*:parse_xml cannot be loaded"):
        prepare(raw, spec(), tmp_path / "out")


def test_a_parser_is_not_imported_because_the_description_of_raw_files_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_strangers.py").write_text("raise SystemExit('It was imported.')")
    monkeypatch.syspath_prepend(tmp_path)
    manifest = tmp_path / "raw.json"
    raw_of(tmp_path, parser="a_strangers:parse").write(manifest)
    out = tmp_path / "out"
    with pytest.raises(RawDataError, match=r"raw.json: it names the parser 'a_strangers:parse'"):
        prepare_ratings(
            manifest=manifest,
            ratings=out / "ratings.parquet",
            user_ids=out / "users.parquet",
            item_ids=out / "items.parquet",
            summary=out / "summary.json",
            description=spec().model_dump(mode="json"),
        )


def test_known_and_unknown_parts_are_counted(tmp_path: Path) -> None:
    content = "0\t7\t4\t1\n0\t8\t1\t0\n1\t7\t3\t0\n"
    expected = {
        "known": {"ratings": 1, "users": 1, "items": 1},
        "unknown": {"ratings": 2, "users": 2, "items": 2, "values": {1: 1, 3: 1}},
    }
    raw = raw_of(
        tmp_path, content, "reproduction.datasets.formats.cm100k:parse", "ratings.txt", **expected
    )
    summary = prepare(raw, spec(), tmp_path / "out")
    assert summary["known"] == {"ratings": 1, "users": 1, "items": 1, "values": {"4": 1}}
    assert summary["unknown"] == {"ratings": 2, "users": 2, "items": 2, "values": {"1": 1, "3": 1}}


UI2 = "1 20 10 a\n1 20 4 b\n1 30 7 a\n"
LIBRARYTHING = "reproduction.datasets.formats.librarything:parse"
HALVES = spec(scale={"minimum": 0.5, "maximum": 5, "step": 0.5})
LAST = HALVES.model_copy(update={"duplicates": "last"})


@pytest.mark.parametrize("ratings", [2, 3])
def test_the_expected_count_may_be_of_pairs_or_of_triples(tmp_path: Path, ratings: int) -> None:
    raw = raw_of(tmp_path, UI2, LIBRARYTHING, "UI2.txt", ratings=ratings)
    assert prepare(raw, LAST, tmp_path / "out")["n_ratings"] == 2


@pytest.mark.each(
    ("duplicates", "values"),
    [("first", [5, 3.5]), ("last", [2, 3.5]), ("mean", [3.5, 3.5])],
)
def test_the_registry_says_what_becomes_of_a_repeated_pair(
    tmp_path: Path, duplicates: str, values: list[float]
) -> None:
    raw = raw_of(tmp_path, UI2, LIBRARYTHING, "UI2.txt", ratings=2)
    prepare(raw, HALVES.model_copy(update={"duplicates": duplicates}), tmp_path / "out")
    assert Ratings.read(tmp_path / "out").values.tolist() == values


def test_a_repeated_pair_is_refused_with_its_line_where_the_registry_says_nothing(
    tmp_path: Path,
) -> None:
    raw = raw_of(tmp_path, UI2, LIBRARYTHING, "UI2.txt", ratings=2)
    with pytest.raises(RawDataError, match=r"line 2: this user and item already have a rating"):
        prepare(raw, HALVES, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_error_of_counts_tells_what_the_parser_found(tmp_path: Path) -> None:
    raw = raw_of(tmp_path, UI2, LIBRARYTHING, "UI2.txt", ratings=9)
    with pytest.raises(CountError, match=r"distinct \(user, work, rating\) triples: 3"):
        prepare(raw, LAST, tmp_path / "out")


def test_counts_in_print_are_compared_and_never_an_error(tmp_path: Path) -> None:
    printed = spec(published={"users": [703], "relevant.ratings": [2, 5]})
    summary = prepare(raw_of(tmp_path, users=2), printed, tmp_path / "out")
    assert summary["published"] == {
        "users": {"in_print": [703], "found": 2},
        "relevant.ratings": {"in_print": [2, 5], "found": 2},
    }
    twin = replace(raw_of(tmp_path), source="twin")
    assert prepare(twin, printed, tmp_path / "out")["published"] == {}


@pytest.mark.costly
@pytest.mark.parametrize(
    "dataset",
    [pytest.param("ml-1m", marks=needs(MOVIELENS)), pytest.param("cm100k", marks=needs(CM100K))],
)
def test_the_real_data_has_the_expected_counts(tmp_path: Path, dataset: str) -> None:
    description = registry()[dataset]
    found = resolve(dataset, description, tmp_path / "raw", [MIRROR], network=False)
    raw = obtain(dataset, description, found, tmp_path / "raw")
    summary = prepare(raw, description, tmp_path / "out")
    assert summary["counts_checked"]
    expected = {"ml-1m": (6_040, 3_706, 1_000_209), "cm100k": (1_054, 1_084, 103_584)}[dataset]
    assert (summary["n_users"], summary["n_items"], summary["n_ratings"]) == expected
    assert len(raw.auxiliary_files) == len(description.auxiliary_files)
