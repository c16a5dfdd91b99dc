# SPDX-License-Identifier: MIT
from __future__ import annotations

import io
import socket
from pathlib import Path
from typing import NoReturn

import pytest
from datasets.registry_entries import registry, spec

from reproduction.datasets.raw import Availability, availability_table, resolve

REGISTRY = registry()
OTHERWISE = {"automatic": "download", "manual": "absent", "generated": "generated"}
"""What a dataset is whose files are not here, by its access."""

WITH_TIMESTAMPS, WITHOUT_TIMESTAMPS = 24_594_131, 13_553_874
PARSER = "reproduction.datasets.formats.movielens:parse_dat"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return tmp_path / "raw" / "ml-1m"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    return tmp_path / "mirror"


def put(folder: Path, name: str, size: int = 10) -> Path:
    """Make a file of a size without its bytes being anywhere."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)
    return path


def find(dataset: str, raw: Path, *mirrors: Path, network: bool = True) -> Availability:
    return resolve(dataset, REGISTRY[dataset], raw, mirrors, network)


def variant(found: Availability) -> str | None:
    return found.variant.name if found.variant else None


@pytest.mark.parametrize(
    ("size", "name"),
    [(WITH_TIMESTAMPS, "with-timestamps"), (WITHOUT_TIMESTAMPS, "without-timestamps")],
)
def test_sizes_tell_variants_with_one_file_name_apart(raw: Path, size: int, name: str) -> None:
    path = put(raw, "ratings.dat", size)
    found = find("ml-1m", raw)
    assert (found.status, variant(found), found.files) == ("local", name, (path,))


def test_the_own_folder_comes_before_mirrors_and_mirrors_in_order(
    raw: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    in_second = put(second / "ml-1m", "ratings.dat", WITHOUT_TIMESTAMPS)
    assert find("ml-1m", raw, tmp_path / "nowhere", first, second).files == (in_second,)
    in_first = put(first / "ml-1m", "ratings.dat", WITHOUT_TIMESTAMPS)
    assert find("ml-1m", raw, first, second).files == (in_first,)
    own = put(raw, "ratings.dat", WITHOUT_TIMESTAMPS)
    assert find("ml-1m", raw, first, second).files == (own,)


def test_within_a_folder_the_first_variant_of_the_registry_wins(raw: Path) -> None:
    put(raw, "ratings.dat", WITHOUT_TIMESTAMPS)
    put(raw, "ml-1m.zip", 5_917_549)
    assert variant(find("ml-1m", raw)) == "zip"


def test_files_unpacked_into_a_folder_of_their_own_are_found(raw: Path) -> None:
    path = put(raw, "ml-1m/ratings.dat", WITH_TIMESTAMPS)
    assert find("ml-1m", raw).files == (path,)


def test_a_wrong_size_is_not_taken_and_told(raw: Path) -> None:
    path = put(raw, "ratings.dat", 123)
    found = find("ml-1m", raw, network=False)
    assert found.status == "absent"
    assert f"{path.as_posix()} has 123 bytes, but 24,594,131 or 13,553,874" in found.reason


def test_a_part_of_a_variant_is_not_taken_and_told(raw: Path) -> None:
    for number in (1, 2, 4):
        put(raw, f"combined_data_{number}.txt")
    found = find("netflix", raw, network=False)
    assert found.status == "absent"
    assert "a part of the variant combined and lacks combined_data_3.txt" in found.reason
    put(raw, "combined_data_3.txt")
    assert variant(find("netflix", raw)) == "combined"


@pytest.mark.each(
    ("dataset", "files", "name"),
    [
        ("netflix", ["nf_prize_dataset.tar.gz"], "archive"),
        ("netflix", ["download/training_set.tar"], "training-set"),
        ("netflix", ["training_set/mv_0000001.txt", "training_set/mv_0000002.txt"], "movie-files"),
        ("librarything", ["UI2.txt"], "ui2"),
        ("beeradvocate", ["beeradvocate.json.gz"], "literals"),
        ("beeradvocate", ["beeradvocate.txt.gz"], "blocks"),
        ("cm100k", ["ratings.txt"], "page"),
        ("cm100k", ["data.txt"], "authors-copy"),
        ("lastfm-1k", ["lastfm-dataset-1K.tar.gz"], "archive"),
        (
            "lastfm-1k",
            ["lastfm-dataset-1K/userid-timestamp-artid-artname-traid-traname.tsv"],
            "tsv",
        ),
        (
            "yahoo-r3",
            [f"ydata-ymusic-rating-study-v1_0-{part}.txt" for part in ("train", "test")],
            "rating-study",
        ),
        ("trec-qrels", ["qrels.51-100", "web/qrels.web.txt"], "folder"),
    ],
)
def test_every_variant_is_found(tmp_path: Path, dataset: str, files: list[str], name: str) -> None:
    paths = tuple(put(tmp_path / dataset, file) for file in files)
    found = find(dataset, tmp_path / "raw", tmp_path)
    assert (found.status, variant(found), found.files) == ("local", name, paths)


def test_what_a_download_leaves_behind_is_no_data(tmp_path: Path) -> None:
    for name in ("qrels.part", "qrels.part.json", "qrels.sha256", ".hidden"):
        put(tmp_path / "trec-qrels", name)
    assert find("trec-qrels", tmp_path / "raw", tmp_path).status == "absent"


def test_auxiliary_files_are_found_wherever_they_are(raw: Path, mirror: Path) -> None:
    put(raw, "ratings.dat", WITHOUT_TIMESTAMPS)
    auxiliary_file = put(mirror / "ml-1m", "temporal_test.tsv")
    assert find("ml-1m", raw, mirror).auxiliary_files == (auxiliary_file,)


def test_automatic_data_is_planned_as_a_download_into_the_own_folder(raw: Path) -> None:
    found = find("ml-1m", raw)
    assert (found.status, variant(found), found.files) == ("download", "zip", (raw / "ml-1m.zip",))


def test_without_network_a_download_is_absent_with_instructions(raw: Path) -> None:
    found = find("ml-1m", raw, network=False)
    assert (found.status, found.variant, found.files) == ("absent", None, ())
    assert "the network is off" in found.reason
    for part in ("ml-1m.zip", raw.as_posix(), "a6898adb50b9ca05"):
        assert part in found.instructions


def test_manual_data_is_absent_with_instructions_even_with_network(raw: Path) -> None:
    found = find("yahoo-r3", raw)
    assert found.status == "absent"
    for part in ("Webscope", "-train.txt and ydata", raw.as_posix(), "https://"):
        assert part in found.instructions


def test_an_address_of_one_file_of_two_does_not_make_a_variant_downloadable(raw: Path) -> None:
    files = [{"name": "a", "urls": ["https://example.org/a"]}, {"name": "b"}]
    halves = spec(variants=[{"name": "two", "parser": PARSER, "files": files}])
    assert resolve("small", halves, raw).status == "absent"


def test_nothing_is_read_and_the_network_is_not_touched(
    raw: Path, mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(raw, "ratings.dat", WITHOUT_TIMESTAMPS)
    put(mirror / "netflix", "nf_prize_dataset.tar.gz")

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("touched")

    monkeypatch.setattr(io, "open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(socket, "socket", refuse)
    for dataset, entry in REGISTRY.items():
        status = find(dataset, raw.parent / dataset, mirror).status
        there = dataset in ("ml-1m", "netflix")
        assert status == ("local" if there else OTHERWISE[entry.access]), dataset


def test_the_table_tells_for_each_dataset_what_is_where_or_how_to_get_it(
    raw: Path, mirror: Path
) -> None:
    put(raw, "ratings.dat", WITHOUT_TIMESTAMPS)
    put(mirror / "ml-1m", "temporal_test.tsv")
    table = availability_table(
        [find("ml-1m", raw, mirror), find("lastfm-1k", raw), find("librarything", raw)]
    )
    lines = table.splitlines()
    assert lines[0].split() == ["dataset", "status", "what", "and", "where"]
    starts = [line.split()[:2] for line in lines if not line.startswith(" ")]
    assert starts[1:] == [["ml-1m", "local"], ["lastfm-1k", "download"], ["librarything", "absent"]]
    words = " ".join(table.split())
    assert f"without-timestamps: {raw.as_posix()}/ratings.dat with temporal_test.tsv" in words
    assert "https://zenodo.org/records/6090214/files/lastfm-dataset-1K.tar.gz" in words
    assert "left out: none of its files were found; it cannot be downloaded" in words
    assert "keep UI2.txt" in words


def test_the_table_shortens_long_lists_of_files(tmp_path: Path) -> None:
    for movie in range(1, 30):
        put(tmp_path / "netflix", f"mv_{movie:07d}.txt")
    table = availability_table([find("netflix", tmp_path / "raw", tmp_path)])
    assert "mv_0000029.txt (29 files)" in " ".join(table.split())
    assert "mv_0000015.txt" not in table


def test_what_is_generated_is_looked_for_nowhere(raw: Path, mirror: Path) -> None:
    put(raw.parent / "dated-twin", "ml-1m.zip")
    put(mirror / "dated-twin", "ml-1m.zip")
    found = find("dated-twin", raw.parent / "dated-twin", mirror)
    assert (found.status, found.files, found.auxiliary_files) == ("generated", (), ())
    table = availability_table([found, find("ml-1m", raw)])
    assert "dated-twin  generated  synthetic, in every edition" in table
