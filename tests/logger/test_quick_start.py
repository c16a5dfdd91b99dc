# SPDX-License-Identifier: MIT
"""What is left out when Snakemake starts is what nobody asked for (docs/snakemake_scheduler.md)."""

from __future__ import annotations

import gc
import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yte.value_handler
from snakemake.common import get_appdirs
from snakemake.exceptions import WorkflowError
from snakemake.io import AnnotatedString, IOFile, flag, is_flagged
from snakemake.sourcecache import LocalSourceFile, SourceCache, SourceFile
from snakemake_interface_common.plugin_registry import PluginRegistryBase
from snakemake_interface_report_plugins.registry import ReportPluginRegistry

from snakemake_logger_plugin_receval.quick_start import ASK_FOR_FLAGS, flagging, start_quickly

REMEDY = "Read docs/snakemake_scheduler.md: this Snakemake may need no remedy, or another one."
USUAL_FLAGS = is_flagged
USUAL_PLACE = LocalSourceFile.get_cache_path
USUAL_COLLECTING = ReportPluginRegistry.collect_plugins


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo what is changed in Snakemake, and collect as often as Python does by itself."""
    monkeypatch.setattr(LocalSourceFile, "get_cache_path", USUAL_PLACE)
    monkeypatch.setattr(SourceCache, "_open", SourceCache._open)
    monkeypatch.setattr(ReportPluginRegistry, "collect_plugins", USUAL_COLLECTING)
    for module in ASK_FOR_FLAGS:
        monkeypatch.setattr(module, "is_flagged", USUAL_FLAGS)
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.costly
@pytest.mark.parametrize("program", ["/bin/snakemake", "/lib/snakemake/__main__.py", "snakemake"])
def test_collection_is_rare_from_the_start_of_snakemake(program: str) -> None:
    start_quickly([program, "-n"])
    assert gc.get_threshold()[0] > 10_000


def test_a_user_without_a_home_gets_a_cache_beside_the_records_of_snakemake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("MPLCONFIGDIR", "")
    monkeypatch.delenv("MPLCONFIGDIR")
    monkeypatch.setattr("snakemake.common.APPDIRS", None)
    start_quickly(["snakemake", "--cores", "1"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"The cache in {tmp_path}/home/.cache is not writable, so .snakemake/cache "
    )
    assert get_appdirs().user_cache_dir == str(tmp_path / ".snakemake" / "cache" / "snakemake")
    assert os.environ["MPLCONFIGDIR"] == str(tmp_path / ".snakemake" / "cache" / "matplotlib")


def test_in_another_program_nothing_changes() -> None:
    start_quickly(["/lib/pytest/__main__.py", "-n", "2"])
    assert gc.get_threshold()[0] == 700
    assert LocalSourceFile.get_cache_path is USUAL_PLACE
    assert ReportPluginRegistry.collect_plugins is USUAL_COLLECTING
    assert all(module.is_flagged is USUAL_FLAGS for module in ASK_FOR_FLAGS)


@pytest.mark.each("word", ["-n", "--dry-run", "--dryrun"])
def test_a_dry_run_loads_no_reporter_of_snakemake(word: str) -> None:
    start_quickly(["snakemake", "--cores", "1", word])
    assert ReportPluginRegistry.collect_plugins is PluginRegistryBase.collect_plugins


@pytest.mark.each(
    "words",
    ["", "--cores 2", "-n --report report.html", "-n --report=report.html", "-n -h", "-n --help"],
)
def test_whoever_may_want_a_reporter_finds_it(words: str) -> None:
    start_quickly(["snakemake", *words.split()])
    assert ReportPluginRegistry.collect_plugins is USUAL_COLLECTING


@pytest.mark.each(
    ("where", "code"),
    [
        (USUAL_COLLECTING, "from snakemake.report import html_reporter"),
        (SourceCache._open, "from smart_open import open"),
        (SourceFile.get_cache_path, "parse_uri("),
        (USUAL_FLAGS, "isinstance(value, AnnotatedStringInterface)"),
        (USUAL_FLAGS, "return value.is_flagged(flag)"),
        (AnnotatedString.is_flagged, "return flag in self.flags and bool(self.flags[flag])"),
        (yte.value_handler, "    import numpy as np\n"),
        (yte.value_handler, "\nexcept ImportError:\n"),
    ],
)
def test_snakemake_loads_there_what_is_left_out(where: object, code: str) -> None:
    assert code in inspect.getsource(where), REMEDY  # type: ignore[arg-type]


def test_snakemake_decides_there_what_is_decided_faster() -> None:
    assert USUAL_PLACE is SourceFile.get_cache_path, REMEDY
    assert AnnotatedString.is_flagged is type(IOFile("a")).is_flagged, REMEDY


@pytest.mark.parametrize(
    "path", ["/a/Snakefile", "/a b/rules/c.smk", "rules/c.smk", "/a/50%20.smk", "~/Snakefile"]
)
def test_copies_of_sources_lie_where_snakemake_puts_them(path: str) -> None:
    source = LocalSourceFile(path)
    expected = source.get_cache_path()
    start_quickly(["snakemake"])
    assert source.get_cache_path() == expected


@pytest.mark.each(
    "value",
    [
        "a",
        Path("a"),
        None,
        len,
        IOFile("a"),
        IOFile(AnnotatedString("a")),
        IOFile(flag("a", "temp")),
        flag("a", "temp"),
        flag("a", "temp", False),
        flag(len, "temp"),
        flag("a", "protected"),
    ],
    ids=repr,
)
def test_files_have_the_flags_that_they_have_without(value: object) -> None:
    start_quickly(["snakemake"])
    for module in ASK_FOR_FLAGS:
        assert module.is_flagged is not USUAL_FLAGS
        for name in ("temp", "storage_object"):
            assert module.is_flagged(value, name) is USUAL_FLAGS(value, name)


def test_of_other_things_snakemake_is_asked_for_flags() -> None:
    class Flagged(AnnotatedString):
        def is_flagged(self, flag: str) -> bool:
            return True

    assert flagging(USUAL_FLAGS)(Flagged("a"), "temp")


def test_sources_are_opened_as_they_are_without(tmp_path: Path) -> None:
    file = tmp_path / "Snakefile"
    file.write_text("rule é:\n", encoding="utf-8")
    start_quickly(["snakemake"])
    cache = SourceCache(tmp_path / "cache", tmp_path)
    with cache.open(LocalSourceFile(str(file))) as opened:
        assert opened.read() == "rule é:\n"
    with cache._open(LocalSourceFile(str(file)), "rb") as opened:
        assert opened.read() == "rule é:\n".encode()


def test_what_cannot_be_opened_is_snakemakes_to_say(tmp_path: Path) -> None:
    start_quickly(["snakemake"])
    cache = SourceCache(tmp_path / "cache", tmp_path)
    with pytest.raises(WorkflowError, match="Failed to open source file"):
        cache._open(LocalSourceFile(str(tmp_path / "nowhere")), "r")
