# SPDX-License-Identifier: MIT
"""Sources parsed by an earlier process save time, and never give the digest of other code."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import pytest

from reproduction.workflow.provenance import code_digest as parsed_sources
from reproduction.workflow.provenance.code_digest import CodeSnapshot, ParsedSources

Edit = Callable[[str, str, str], None]

ENTRIES = (
    "receval.systems.plsa",
    "reproduction.studies.fig02:data",
    "reproduction.studies.fig02:draw",
    "receval.systems.knn",
)


@pytest.fixture
def file(repository: Path) -> Path:
    """Where the sources are kept, after one process has put them there."""
    path = repository / ".snakemake" / "parsed_sources.json"
    path.parent.mkdir()
    digests_with(path, repository)
    return path


def as_next_process() -> AbstractContextManager[object]:
    """Forget for a while what this process has parsed."""
    return patch.dict(parsed_sources._PARSED_HERE, clear=True)


def digests_with(file: Path, root: Path) -> list[str]:
    with as_next_process():
        parsed = ParsedSources(file)
        code = CodeSnapshot(root, parsed)
        digests = [code.digest(entry) for entry in ENTRIES]
        parsed.save()
        return digests


def digests_without(root: Path) -> list[str]:
    with as_next_process():
        return [CodeSnapshot(root).digest(entry) for entry in ENTRIES]


@pytest.fixture
def parsed_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are parsed, not found."""
    names: list[str] = []
    parse = parsed_sources.parse_source

    def noted(path: Path, content: bytes) -> object:
        names.append(path.name)
        return parse(path, content)

    monkeypatch.setattr(parsed_sources, "parse_source", noted)
    return names


def test_next_process_parses_what_was_edited(
    repository: Path, file: Path, edit: Edit, parsed_files: list[str]
) -> None:
    assert digests_with(file, repository) == digests_without(repository)
    parsed_files.clear()
    assert digests_with(file, repository)
    assert parsed_files == []
    edit("src/receval/style.py", "3.3", "3.4")
    after = digests_with(file, repository)
    assert parsed_files == ["style.py"]
    assert after == digests_without(repository)


def test_other_plan_of_a_process_parses_nothing_again(
    repository: Path, parsed_files: list[str]
) -> None:
    with as_next_process():
        first = CodeSnapshot(repository).digest(*ENTRIES)
        assert parsed_files
        parsed_files.clear()
        assert CodeSnapshot(repository).digest(*ENTRIES) == first
    assert parsed_files == []


def test_edit_within_a_tick_of_the_clock_is_seen(repository: Path, file: Path) -> None:
    style = repository / "src/receval/style.py"
    status = style.stat()
    before = digests_with(file, repository)
    style.write_text(style.read_text().replace("3.3", "3.4"))
    os.utime(style, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert style.stat().st_size == status.st_size
    assert digests_with(file, repository) != before


def test_moved_checkout_needs_no_parsing(
    repository: Path, file: Path, tmp_path_factory: pytest.TempPathFactory, parsed_files: list[str]
) -> None:
    before = digests_with(file, repository)
    copy = tmp_path_factory.mktemp("elsewhere") / "copy"
    shutil.copytree(repository, copy)
    assert digests_with(copy / file.relative_to(repository), copy) == before
    assert parsed_files == []


def test_messages_name_the_file_of_this_checkout(repository: Path, file: Path) -> None:
    twin = repository / "src/receval/twin.py"
    shutil.copy(repository / "src/receval/style.py", twin)
    code = CodeSnapshot(repository, ParsedSources(file))
    code.digest("receval.style")
    with pytest.raises(ValueError, match=r"twin\.py does not define height"):
        code.digest("receval.twin:height")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-7],
        lambda text: text.replace("WIDTH", "DEPTH", 1),
        lambda text: "0" * 64 + text[64:],
        lambda text: text.partition("\n")[0] + "\n[]",
        lambda text: "\0\xff",
    ],
    ids=["empty", "cut off", "altered", "of another parser", "with other content", "binary"],
)
def test_broken_or_foreign_file_is_as_good_as_none(
    repository: Path, file: Path, damage: Callable[[str], str]
) -> None:
    file.write_text(damage(file.read_text(encoding="utf-8")), encoding="latin-1")
    assert digests_with(file, repository) == digests_without(repository)
    # It has been replaced by a good one.
    assert parsed_sources._read(file)


def test_file_that_cannot_be_written_costs_time_only(repository: Path, file: Path) -> None:
    file.unlink()
    file.mkdir()
    assert digests_with(file, repository) == digests_without(repository)
    assert list(file.parent.iterdir()) == [file]


def test_no_folder_is_made(repository: Path) -> None:
    digests_with(repository / ".snakemake" / "parsed_sources.json", repository)
    assert not (repository / ".snakemake").exists()


def test_two_writers_add_to_each_other(repository: Path, file: Path, edit: Edit) -> None:
    file.unlink()
    one, other = ParsedSources(file), ParsedSources(file)
    CodeSnapshot(repository, one).digest("receval.style")
    CodeSnapshot(repository, other).digest("receval.palette")
    one.save()
    other.save()
    assert len(parsed_sources._read(file)) == len({"receval", "style", "palette"})


def _write_again_and_again(file: Path, root: Path, times: int) -> None:
    for _ in range(times):
        parsed = ParsedSources(file)
        CodeSnapshot(root, parsed).digest(*ENTRIES)
        parsed._has_news = True
        parsed.save()


@pytest.mark.processes
def test_reader_never_meets_half_a_file(repository: Path, file: Path) -> None:
    number = len(parsed_sources._read(file))
    writers = [
        get_context("fork").Process(target=_write_again_and_again, args=(file, repository, 40))
        for _ in range(2)
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert len(parsed_sources._read(file)) == number
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert list(file.parent.iterdir()) == [file]


def test_old_entries_leave_a_full_file(
    repository: Path, file: Path, edit: Edit, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = len(parsed_sources._read(file))
    monkeypatch.setattr(parsed_sources, "LIMIT", number + 2)
    for width in range(5):
        edit("src/receval/style.py", f"3.{width + 3}", f"3.{width + 4}")
        digests_with(file, repository)
    assert len(parsed_sources._read(file)) == number + 2
    assert digests_with(file, repository) == digests_without(repository)
