# SPDX-License-Identifier: MIT
"""Prepared datasets are compared with what was recorded of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from datasets.registry_entries import spec

from receval.cli.main import main
from receval.data.ratings import TABLE_FILES
from receval.storage.files import DamagedFileError
from reproduction.config.reading import load_drift_spec
from reproduction.datasets.prepare import PREPARED_FILES, not_as_recorded, prepare, verification
from reproduction.datasets.raw import RawFile, RawFiles
from reproduction.workflow.jobs.artifacts import record_provenance, report_drift

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An edition's folder with one prepared dataset, small."""
    raw = tmp_path / "ratings.dat"
    raw.write_text("9::7::5::300\n2::7::1::100\n9::3::4::200\n")
    parser = "reproduction.datasets.formats.movielens:parse_dat"
    edition = tmp_path / "work" / "demo"
    prepare(RawFiles("ml-1m", "dat", parser, (RawFile.of(raw),)), spec(), edition / "ml-1m")
    return edition


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_what_was_just_prepared_is_as_recorded(folder: Path) -> None:
    assert not_as_recorded(folder / "ml-1m") == []
    lines, sound = verification(folder, ["ml-1m", "netflix"])
    assert lines == ["ml-1m: as recorded.", "netflix: not prepared."]
    assert sound


@pytest.mark.parametrize("name", TABLE_FILES)
def test_a_changed_bit_is_told_with_the_file_and_the_command(folder: Path, name: str) -> None:
    spoil(folder / "ml-1m" / name)
    (problem,) = not_as_recorded(folder / "ml-1m")
    assert f"ml-1m/{name} differs from its record in summary.json" in problem
    assert problem.endswith("snakemake --cores all --force work/demo/ml-1m/ratings.parquet")
    assert len(problem) <= 500
    assert not verification(folder, ["ml-1m"])[1]


@pytest.mark.parametrize("name", PREPARED_FILES)
def test_a_missing_file_is_told(folder: Path, name: str) -> None:
    (folder / "ml-1m" / name).unlink()
    (problem,) = not_as_recorded(folder / "ml-1m")
    assert f"ml-1m/{name} is missing. Make it again, configured as before: snakemake" in problem


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[" * 100_000, b'{"prepared_files": 3}', b"\xff\xfe\x00"],
    ids=["empty", "without", "nested", "a number", "no text"],
)
def test_a_summary_that_records_nothing_is_told(folder: Path, content: bytes) -> None:
    (folder / "ml-1m" / "summary.json").write_bytes(content)
    (problem,) = not_as_recorded(folder / "ml-1m")
    assert "summary.json is damaged: " in problem
    assert len(problem) <= 500


def test_without_a_prepared_dataset_there_is_nothing_to_verify(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"There is no prepared dataset in .* to"):
        verification(tmp_path, ["ml-1m"])


def test_the_command_gives_1_where_a_dataset_is_not_as_recorded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = folder.parents[1]
    (repository / "config").symlink_to(ROOT / "config")
    monkeypatch.chdir(repository)
    assert main(["repo", "verify", "--edition", "full"]) == 2
    assert "There is no prepared dataset in work/full" in capsys.readouterr().err
    assert main(["repo", "verify", "--edition", "demo"]) == 0
    assert "ml-1m: as recorded.\n" in capsys.readouterr().out
    spoil(folder / "ml-1m" / "users.parquet")
    assert main(["repo", "verify", "--edition", "demo"]) == 1
    printed = capsys.readouterr().out
    assert "ml-1m: work/demo/ml-1m/users.parquet differs from its record" in printed
    assert "cm100k: not prepared.\n" in printed


def test_one_damaged_dataset_is_enough(folder: Path) -> None:
    shutil.copytree(folder / "ml-1m", folder / "cm100k")
    spoil(folder / "ml-1m" / "users.parquet")
    for order in (["ml-1m", "cm100k"], ["cm100k", "ml-1m"]):
        assert not verification(folder, order)[1]


@pytest.mark.parametrize("content", [b"{", b"\xff", b"{}", b"[]", b"[" * 100_000], ids=range(5))
def test_no_record_is_made_of_a_damaged_summary(folder: Path, content: bytes) -> None:
    summary = folder / "ml-1m" / "summary.json"
    summary.write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"ml-1m/summary\.json is damaged") as raised:
        record_provenance(
            summaries=[summary],
            splits=(),
            results=(),
            record=folder / "provenance.json",
            config={},
            absent=(),
            digests={},
            versions={},
        )
    assert len(str(raised.value)) <= 500


def test_the_drift_report_begins_with_what_is_not_as_recorded(folder: Path) -> None:
    prepared = [folder / "ml-1m" / name for name in PREPARED_FILES]
    report = folder / "drift.md"
    tolerances = load_drift_spec(ROOT / "config" / "drift.yaml").model_dump(mode="json")

    def written() -> str:
        report_drift(
            fresh=(),
            accepted=(),
            prepared=prepared,
            report=report,
            folders=(str(folder / "artifacts"), str(folder / "results")),
            drift=tolerances,
            artifacts=(),
            one_sided_datasets=(),
        )
        return report.read_text(encoding="utf-8")

    sound = written()
    spoil(prepared[0])
    assert written().startswith(f"{prepared[0]} differs from its record in summary.json")
    assert written().endswith(f"\n\n{sound}")
