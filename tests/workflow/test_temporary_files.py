# SPDX-License-Identifier: MIT
"""What killed runs had half written goes when the next one begins, and nothing else does."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from reproduction.workflow.jobs.job_runner import remove_parts_of, remove_temporary_files
from reproduction.workflow.jobs.run import begin_run, remove_stale_locks, say_what_was_of_the_future

LEFT = [
    "ml-1m/user-80/pop/models.4711.part/fold0.npz",
    "ml-1m/user-80/pop/models.4712.part/.fold1.npz.4712.part",
    "ml-1m/user-80/.split.npz.0a1b2c3d.part",
    "ml-1m/.4711.part/ratings.parquet",
    "artifacts/bellogin2017/.fig02.csv.99.part",
    "raw/.checksums.json.4711.part",
]
KEPT = [
    "ml-1m/user-80/pop/models/fold0.npz",
    "ml-1m/raw/ratings.part",
    "ml-1m/raw/mv_1.part",
    "raw/ml-1m/ratings.dat.part",
    "raw/ml-1m/.zip.part.json",
    "ml-1m/counterpart/.part",
    "ml-1m/models.part",
    "artifacts/bellogin2017/fig02.csv",
]


@pytest.fixture
def edition(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "demo"
    write_parts(folder, *LEFT, *KEPT)
    return folder


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_what_was_half_written_goes(edition: Path) -> None:
    removed = remove_temporary_files(edition)
    assert files(edition) == sorted(KEPT)
    assert len(removed) == len(LEFT)
    assert not any(path.exists() for path in removed)
    assert remove_temporary_files(edition) == []
    assert remove_temporary_files(edition / "nowhere") == []


def write_parts(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a part")


def test_before_a_job_is_tried_again_what_it_had_half_written_goes_and_nothing_of_others(
    tmp_path: Path,
) -> None:
    others = [
        "shards/.15-of-8.npz.4711.part",
        "shards/.4-of-8.npz.4711.part",
        "shards/.5-of-8-npz.1.part",
        "shards/4-of-8.npz",
    ]
    own = [
        "shards/.5-of-8.npz.4711.part",
        "shards/.5-of-8.npz.0a1b2c3d.part",
        "models.4711.part/fold0.npz",
        # A prepared dataset is a folder without its own name until it is complete.
        "ml-1m/.4711.part/ratings.parquet",
    ]
    write_parts(tmp_path, *own, *others)
    made = ("shards/5-of-8.npz", "models", "nowhere/ranks.npz", "ml-1m/users.parquet")
    remove_parts_of([tmp_path / name for name in made])
    assert files(tmp_path) == sorted(others)
    assert not list(tmp_path.glob("models*"))


def test_a_run_begins_by_clearing_up(edition: Path, tmp_path: Path) -> None:
    remove_stale_locks(tmp_path / ".snakemake", [edition])
    assert files(edition) == sorted(KEPT)


def test_while_another_run_is_alive_all_stays(edition: Path, tmp_path: Path) -> None:
    # This process holds the lock of the first one until it ends.
    remove_stale_locks(tmp_path / ".snakemake")
    assert remove_stale_locks(tmp_path / ".snakemake", [edition]) == []
    assert files(edition) == sorted((*LEFT, *KEPT))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setattr("reproduction.workflow.jobs.run.collect_rarely", lambda: None)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], at_once: tuple[int | None, ...] = (2, None)) -> str:
    """Return why a run in the current folder may not begin."""
    with pytest.raises(SystemExit) as ended:
        begin_run(Path("src"), in_main_process=True, dry=False, at_once=at_once, abandon=print)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_where_no_records_can_be_kept_a_run_ends_with_2_and_a_sentence(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / ".snakemake").write_text("a file where a folder should be", encoding="utf-8")
    assert refused(capsys).startswith("The run cannot start. .snakemake")


@pytest.mark.parametrize("at_once", [(0, None), (None, 0), (-1, None)])
def test_a_run_without_a_core_or_a_job_is_refused(
    here: Path, capsys: pytest.CaptureFixture[str], at_once: tuple[int | None, ...]
) -> None:
    assert refused(capsys, at_once).startswith("A run cannot start with --cores 0 or --jobs 0. ")
    assert not (here / "work").exists()


@pytest.mark.parametrize("name", ["work", ".snakemake", "work/demo"])
def test_a_link_to_a_disk_that_is_not_there_is_named(
    here: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (here / name).parent.mkdir(exist_ok=True)
    (here / name).symlink_to(here / "disk")
    assert refused(capsys) == (
        f"The run cannot start. {name}: it is a link to {here}/disk, which does not exist. Mount "
        "its disk, or remove the link."
    )


def test_a_file_in_place_of_the_folder_of_results_is_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "work").touch()
    assert refused(capsys).startswith(
        "The run cannot start. work: it is a file, where a folder was"
    )


def test_what_came_from_the_future_is_dated_as_of_now(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "work" / name for name in ("demo/a.npz", "demo/b.npz", "raw/c.dat")]
    old = tmp_path / "work" / "demo" / "old.npz"
    for file in (*files, old):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    before, tomorrow = time.time() - 100, time.time() + 86400
    os.utime(old, (before, before))
    for file in files:
        os.utime(file, (tomorrow, tomorrow))
    say_what_was_of_the_future(tmp_path / "work")
    first, second, raw = (file.stat().st_mtime for file in files)
    # Neither is newer than the other, so that nothing is made again.
    assert first == second <= time.time()
    assert old.stat().st_mtime == pytest.approx(before)
    assert raw == pytest.approx(tomorrow)
    assert "2 files in " in capsys.readouterr().err
    say_what_was_of_the_future(tmp_path / "work")
    assert capsys.readouterr().err == ""
