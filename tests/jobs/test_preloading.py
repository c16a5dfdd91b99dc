# SPDX-License-Identifier: MIT
"""What the fork server loads is there, and leaves a job of the usual kinds nothing to load."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from reproduction.workflow.jobs.fork_server import (
    LEFT_OUT,
    LIBRARIES,
    LOADED_WHEN_USED,
    module_names,
)

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


@pytest.mark.parametrize("name", [*LIBRARIES, *LOADED_WHEN_USED])
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
