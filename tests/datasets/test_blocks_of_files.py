# SPDX-License-Identifier: MIT
"""Raw files that are read in blocks of a few bytes, against those that are read at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasets.parsed_rows import refused, rows_of
from faults.raw_samples import BEER_HEADER, PLAYS, SAMPLES, Sample, csv_row

from reproduction.datasets.formats import archives, beeradvocate, columns, lastfm_1k, netflix

# No line may be longer than a block; the others may be of any size.
LONGEST_LINE = 130


def read_in_small_blocks(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(columns, "LONGEST_LINE", LONGEST_LINE)
    patch.setattr(lastfm_1k, "LONGEST_LINE", LONGEST_LINE)
    patch.setattr(beeradvocate, "_CSV_BYTES", LONGEST_LINE)
    patch.setattr(beeradvocate, "_BLOCK_BYTES", 3)
    patch.setattr(beeradvocate, "_PIECE", 3)
    patch.setattr(netflix, "_BLOCK", 3)
    patch.setattr(lastfm_1k, "_PIECE", 3)
    patch.setattr(archives, "_TAR_BUFFER", 3)


@pytest.mark.each("sample", SAMPLES, ids=lambda sample: sample.name.replace(" ", "-"))
def test_blocks_of_a_few_bytes_give_the_rows_of_the_whole_file(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = sample.write(sample.good_files, tmp_path)
    whole = sample.parse(files)
    read_in_small_blocks(monkeypatch)
    blocks = sample.parse(files)
    assert rows_of(blocks) == rows_of(whole)
    assert blocks.user_ids.tolist() == whole.user_ids.tolist()
    assert blocks.item_ids.tolist() == whole.item_ids.tolist()


@pytest.mark.each(
    ("bad", "reason"),
    [
        (b"Ale,5\n", "expected 6 fields"),
        (b'Ale,1,2.5,bo"b,,3\n', "a quotation mark is inside a field"),
        (b"Ale,1,9,bob,,3\n", "the overall rating is '9'"),
    ],
)
def test_a_bad_row_of_a_later_block_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: bytes, reason: str
) -> None:
    read_in_small_blocks(monkeypatch)
    rows = [csv_row(number) for number in range(12)]
    rows[9] = bad
    path = tmp_path / "beer_reviews.csv"
    path.write_bytes(BEER_HEADER + b"".join(rows))
    refused(beeradvocate.parse_csv, path, line=11, reason=reason)


def test_a_bad_play_of_a_later_piece_is_told_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_in_small_blocks(monkeypatch)
    path = tmp_path / lastfm_1k.PLAYS_FILE
    path.write_bytes(b"".join([*PLAYS[:9], PLAYS[9].replace(b"T", b"S", 1), *PLAYS[10:]]))
    refused(lastfm_1k.parse_tsv, path, line=10, reason="not an instant")
