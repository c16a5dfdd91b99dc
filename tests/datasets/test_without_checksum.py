# SPDX-License-Identifier: MIT
"""Files that no published checksum vouches for: what their counts tell."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from datasets.registry_entries import registry, spec

from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import RawFile, RawFiles
from reproduction.datasets.reports import CountError
from reproduction.datasets.spec import ExpectedCounts

PARSER = "reproduction.datasets.formats.netflix:parse_archive"
MOVIES = {number: f"{number}:\n7,3,2005-09-06\n{number + 7},4,2005-09-07\n" for number in (1, 2, 3)}
EXPECTED = ExpectedCounts(rows=6, ratings=6, users=4, items=3)


def archive(movies: Mapping[int, str], path: Path) -> Path:
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as training_set:
        for number, content in movies.items():
            member = tarfile.TarInfo(f"training_set/mv_{number:07d}.txt")
            member.size = len(content)
            training_set.addfile(member, io.BytesIO(content.encode()))
    with tarfile.open(path, "w:gz") as outer:
        member = tarfile.TarInfo("download/training_set.tar")
        member.size = inner.tell()
        inner.seek(0)
        outer.addfile(member, inner)
    return path


def prepared(movies: Mapping[int, str], folder: Path) -> dict[str, object]:
    path = archive(movies, folder / "nf_prize_dataset.tar.gz")
    raw = RawFiles("netflix", "archive", PARSER, (RawFile.of(path),), expected=EXPECTED)
    return prepare(raw, spec(), folder / "prepared")


def test_an_archive_with_all_members_is_prepared(tmp_path: Path) -> None:
    assert prepared(MOVIES, tmp_path)["n_items"] == 3


@pytest.mark.parametrize(
    ("movies", "said"),
    [
        ({1: MOVIES[1], 2: MOVIES[2]}, "items: 3 expected, 2 found"),
        ({**MOVIES, 4: "4:\n7,1,2005-09-06\n"}, "items: 3 expected, 4 found"),
    ],
)
def test_a_member_too_few_or_too_many_is_refused(
    tmp_path: Path, movies: Mapping[int, str], said: str
) -> None:
    with pytest.raises(CountError, match=said):
        prepared(movies, tmp_path)
    assert not (tmp_path / "prepared").exists()


def test_counts_vouch_for_every_file_without_a_checksum() -> None:
    for name, dataset in registry().items():
        files = [file for variant in dataset.variants for file in variant.files]
        if dataset.access == "generated":
            continue  # Whoever writes the files knows the counts.
        if not all(file.verifiable for file in files):
            expected = dataset.expected
            counts = (expected.rows, expected.users)
            items = expected.items or expected.files
            assert None not in counts, name
            assert items, name


def test_every_download_has_a_limit_that_its_documents_allow() -> None:
    limits = {
        file.name: file.most_bytes
        for dataset in registry().values()
        for variant in dataset.variants
        for file in variant.files
        if file.urls
    }
    assert limits["ml-1m.zip"] == 5_917_549
    assert 700_000_000 < limits["nf_prize_dataset.tar.gz"] <= 1_000_000_000
    assert 672_700_000 < limits["lastfm-dataset-1K.tar.gz"] <= 1_000_000_000
    assert max(limits.values()) <= 1 << 31
