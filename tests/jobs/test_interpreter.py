# SPDX-License-Identifier: MIT
"""What the fork server loads is there; how processes look for garbage and use memory."""

from __future__ import annotations

import gc
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from reproduction.workflow.jobs.artifacts import collection_put_off
from reproduction.workflow.jobs.fork_server import (
    LEFT_OUT,
    LIBRARIES,
    LOADED_WHEN_USED,
    module_names,
)
from reproduction.workflow.jobs.interpreter import collect_rarely

ROOT = Path(__file__).resolve().parents[2]

# Of memory that was filled page by page, how much is in large pages before and after.
LARGE_PAGES = """
import mmap
import re
from pathlib import Path

from reproduction.workflow.jobs.interpreter import use_large_pages

filled = mmap.mmap(-1, 2**23, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
filled.madvise(mmap.MADV_NOHUGEPAGE)
filled[:] = bytes(range(256)) * 2**15
filled.madvise(mmap.MADV_HUGEPAGE)


def kilobytes():
    return int(re.search(r"AnonHugePages: +(\\d+)", Path("/proc/self/smaps_rollup").read_text())[1])


before = kilobytes()
use_large_pages()
print(filled[:] == bytes(range(256)) * 2**15, kilobytes() - before)
"""


def test_all_modules_of_the_package_are_loaded_but_programs() -> None:
    source = ROOT / "src"
    packages = {"receval", "reproduction"}
    paths = [path for package in packages for path in (source / package).rglob("*.py")]
    files = (path.relative_to(source).with_suffix("") for path in paths)
    names = {".".join(path.parts).removesuffix(".__init__") for path in files}
    assert sorted(module_names()) == sorted(names - LEFT_OUT - packages)


@pytest.mark.each("name", [*LIBRARIES, *LOADED_WHEN_USED])
def test_every_library_that_is_loaded_is_there(name: str) -> None:
    assert find_spec(name) is not None


def knows_large_pages() -> bool:
    version = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
    size = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
    return sys.platform == "linux" and size.exists() and version >= (6, 1)


@pytest.mark.processes
@pytest.mark.skipif(not knows_large_pages(), reason="needs Linux 6.1 with large pages")
def test_memory_is_put_into_large_pages_and_is_the_same() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        [sys.executable, "-c", LARGE_PAGES], env=environment, capture_output=True, text=True
    )
    same, kilobytes = ran.stdout.split()
    assert same == "True"
    assert int(kilobytes) >= 6 * 2**10, "Of 8 MiB, three large pages fit in wherever they begin."


@collection_put_off()
def draw_nothing() -> None:
    raise ValueError(f"not drawn, collecting: {gc.isenabled()}")


def test_collection_is_taken_up_again_after_an_error() -> None:
    assert gc.isenabled()
    with pytest.raises(ValueError, match="not drawn, collecting: False"):
        draw_nothing()
    assert gc.isenabled()


def test_who_has_put_it_off_before_keeps_it_so() -> None:
    with collection_put_off():
        with collection_put_off():
            pass
        assert not gc.isenabled()


@pytest.fixture
def as_python_begins() -> Iterator[None]:
    """Collect as often as Python does by itself."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.costly
@pytest.mark.usefixtures("as_python_begins")
def test_rare_collection_is_still_collection() -> None:
    collect_rarely()
    assert gc.isenabled()
    assert gc.get_threshold()[0] > 10_000
