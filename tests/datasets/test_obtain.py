# SPDX-License-Identifier: MIT
from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from datasets.hostile_server import HostileServer
from datasets.registry_entries import spec

from receval.storage.files import DamagedFileError
from reproduction.datasets.fetch import RetryPolicy, obtain
from reproduction.datasets.raw import RawFile, RawFiles, resolve
from reproduction.datasets.reports import (
    ChecksumError,
    DownloadError,
    FileAccessError,
    RawDataError,
    UnavailableError,
)
from reproduction.datasets.spec import DatasetSpec, ExpectedCounts

PARSER = "reproduction.datasets.formats.movielens:parse_dat"
CONTENT = b"1::2::3\n"
FOLDS = b"1\n"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def variant(name: str, file: str, *urls: str, content: bytes = CONTENT) -> dict[str, object]:
    known = {"name": file, "sha256": sha256(content), "urls": urls}
    return {"name": name, "parser": PARSER, "files": [known]}


def small(*variants: dict[str, object], **changes: object) -> DatasetSpec:
    folds = {"name": "folds.txt", "sha256": sha256(FOLDS), "content": "Folds."}
    return spec(variants=variants, auxiliary_files=[folds], **changes)


def get(dataset: DatasetSpec, raw: Path, *mirrors: Path, network: bool = True) -> RawFiles:
    found = resolve("small", dataset, raw, mirrors, network)
    return obtain("small", dataset, found, raw, RetryPolicy(retries=0, timeout=5))


def test_local_files_are_described_with_checksums_and_expectations(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "ratings.dat").write_bytes(CONTENT)
    (folder / "folds.txt").write_bytes(FOLDS)
    dataset = small(variant("dat", "ratings.dat"), expected={"users": 1})
    raw = get(dataset, tmp_path / "raw", tmp_path)
    assert raw == RawFiles(
        dataset="small",
        variant="dat",
        parser=PARSER,
        files=(RawFile(folder / "ratings.dat", sha256(CONTENT)),),
        auxiliary_files=(RawFile(folder / "folds.txt", sha256(FOLDS)),),
        source="local",
        expected=ExpectedCounts(users=1),
    )


@pytest.mark.parametrize("wrong", ["ratings.dat", "folds.txt"])
def test_a_local_file_with_another_checksum_is_refused_and_kept(tmp_path: Path, wrong: str) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "ratings.dat").write_bytes(CONTENT)
    (folder / "folds.txt").write_bytes(FOLDS)
    (folder / wrong).write_bytes(b"5::5::5\n")
    with pytest.raises(ChecksumError, match=f"{wrong}.*sha256.*Move it away or replace it"):
        get(small(variant("dat", "ratings.dat")), tmp_path / "raw", tmp_path)
    assert (folder / wrong).read_bytes() == b"5::5::5\n"


def test_a_download_goes_into_the_own_folder(server: HostileServer, tmp_path: Path) -> None:
    url = server.serve("/ratings.dat", CONTENT)
    raw = get(small(variant("dat", "ratings.dat", url)), tmp_path / "raw")
    assert raw.source == "download"
    assert raw.files == (RawFile(tmp_path / "raw" / "ratings.dat", sha256(CONTENT)),)


def test_a_variant_that_cannot_be_had_falls_through_to_the_next(
    server: HostileServer, dead_address: str, tmp_path: Path
) -> None:
    other = b"1::2::3::4\n"
    dataset = small(
        variant("zip", "small.zip", f"{dead_address}/small.zip"),
        variant("local-only", "local.dat"),
        variant("dat", "ratings.dat", server.serve("/ratings.dat", other), content=other),
    )
    raw = get(dataset, tmp_path / "raw")
    assert (raw.variant, raw.files[0].path.read_bytes()) == ("dat", other)


def test_no_network_names_every_address_and_place(dead_address: str, tmp_path: Path) -> None:
    dataset = small(
        variant("zip", "small.zip", f"{dead_address}/small.zip"),
        variant("dat", "ratings.dat", f"{dead_address}/ratings.dat"),
    )
    with pytest.raises(DownloadError) as caught:
        get(dataset, tmp_path / "raw")
    for name in ("small.zip", "ratings.dat"):
        assert f"{dead_address}/{name}" in str(caught.value)
        assert (tmp_path / "raw" / name).as_posix() in str(caught.value)
    assert len(str(caught.value)) <= 500


def test_a_place_that_cannot_be_written_is_told_and_no_other_variant_is_tried(
    server: HostileServer, tmp_path: Path
) -> None:
    dataset = small(
        variant("zip", "small.dat", server.serve("/small.dat", CONTENT)),
        variant("dat", "ratings.dat", server.serve("/ratings.dat", CONTENT)),
    )
    (tmp_path / "raw" / "small.dat").mkdir(parents=True)
    with pytest.raises(FileAccessError, match=r"small\.dat is a folder"):
        get(dataset, tmp_path / "raw")
    assert server.asked == []


def test_absent_data_is_refused_with_instructions(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"small is not available: .* Ask for it\."):
        get(small(variant("dat", "ratings.dat")), tmp_path / "raw")


def test_files_of_a_pattern_are_taken_in_the_order_of_their_names(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    for name in ("b.txt", "a.txt"):
        (tmp_path / "small" / name).write_text(name)
    dataset = small({"name": "all", "parser": PARSER, "pattern": "*.txt"})
    raw = get(dataset, tmp_path / "raw", tmp_path)
    assert [file.path.name for file in raw.files] == ["a.txt", "b.txt"]


class TestDescription:
    RAW = RawFiles(
        dataset="small",
        variant="dat",
        parser=PARSER,
        files=(RawFile(Path("raw/ratings.dat"), "0" * 64),),
        auxiliary_files=(RawFile(Path("raw/folds.txt"), "1" * 64),),
        source="twin",
        expected=ExpectedCounts.model_validate(
            {"users": 3, "values": {0.5: 2, 1: 4}, "known": {"items": 2}, "per_user": [1, 2]}
        ),
    )

    @pytest.mark.parametrize("expected", [RAW.expected, None])
    def test_it_reads_what_it_wrote_and_writes_the_same_bytes(
        self, tmp_path: Path, expected: ExpectedCounts | None
    ) -> None:
        raw = replace(self.RAW, expected=expected)
        raw.write(tmp_path / "one.json")
        read = RawFiles.read(tmp_path / "one.json")
        read.write(tmp_path / "two.json")
        assert read == raw
        assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()

    @pytest.mark.each("content", ["", "[]", "{}", '{"source": "guess"}'])
    def test_another_file_is_refused_in_a_sentence(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "raw.json"
        path.write_text(content)
        with pytest.raises(DamagedFileError, match=r"raw\.json .*it does not describe raw files"):
            RawFiles.read(path)

    @pytest.mark.each("field", ["dataset", "variant", "parser"])
    def test_a_field_that_is_no_text_is_refused(self, tmp_path: Path, field: str) -> None:
        path = tmp_path / "raw.json"
        self.RAW.write(path)
        path.write_text(json.dumps({**json.loads(path.read_text()), field: 1}))
        with pytest.raises(DamagedFileError, match="should be a valid string"):
            RawFiles.read(path)

    def test_a_missing_file_and_a_folder_in_its_place_are_named(self, tmp_path: Path) -> None:
        path = tmp_path / "raw.json"
        with pytest.raises(DamagedFileError, match=r"raw\.json is missing"):
            RawFiles.read(path)
        path.mkdir()
        with pytest.raises(ValueError, match=r"raw\.json: it is a folder"):
            RawFiles.read(path)


def test_a_raw_file_that_has_changed_since_it_was_found_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "folds.txt"
    path.write_text("1\n2\n")
    found = RawFile.of(path)
    found.check()
    path.write_text("1\n3\n")
    with pytest.raises(RawDataError, match=r"folds\.txt: the file has changed since it was found"):
        found.check()
    path.unlink()
    with pytest.raises(RawDataError, match=r"folds\.txt: the file cannot be read"):
        found.check()
