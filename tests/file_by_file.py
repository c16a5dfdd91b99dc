# SPDX-License-Identifier: MIT
"""Where several processes test, each file is read by the one that runs its tests, at its turn.

Otherwise every process reads all files before the first test: the same again for each process. A
plugin of pytest, loaded by ``conftest.py``, for ``--dist loadgroup``. The processes agree on the
files, and share them out; whether tests are selected by marks, each decides for the file it reads.
Tests that are selected by their names are collected as usual.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


class FileOfTests(pytest.Item):
    """All tests of a file that nobody has read yet."""

    def runtest(self) -> None:
        raise AssertionError("Its tests run, and not the file.")

    def run_tests(self, next_file: pytest.Item | None) -> None:
        """Read the file, and run what is selected of its tests."""
        session, hooks = self.session, self.config.hook
        assert isinstance(self.parent, pytest.Collector)
        tests = list(session.genitems(pytest.Module.from_parent(self.parent, path=self.path)))
        hooks.pytest_collection_modifyitems(session=session, config=self.config, items=tests)
        if not tests:
            # The last test before left what the tests of this file were to share with it.
            session._setupstate.teardown_exact(next_file)
        place = session.items.index(self)
        try:
            for test, next_item in zip(tests, [*tests[1:], next_file], strict=False):
                # xdist looks up by its place what a report is of.
                session.items[place] = test
                hooks.pytest_runtest_protocol(item=test, nextitem=next_item)
                if session.shouldfail or session.shouldstop:
                    return
        finally:
            session.items[place] = self


def reads_file_by_file(config: pytest.Config) -> bool:
    """Tell whether this is one of several processes, none of which is asked for single tests."""
    return (
        hasattr(config, "workerinput")
        and config.option.loadgroup
        and not config.option.keyword
        and not any("::" in argument for argument in config.args)
    )


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Leave a file unread."""
    if not reads_file_by_file(parent.config):
        return None
    nodeid = module_path.relative_to(parent.config.rootpath).as_posix()
    return FileOfTests.from_parent(parent, name=module_path.name, path=module_path, nodeid=nodeid)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Select no files by marks, which tests have."""
    asked = config.option.markexpr
    if any(isinstance(item, FileOfTests) for item in items):
        config.option.markexpr = ""
    try:
        return (yield)
    finally:
        config.option.markexpr = asked


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    if not isinstance(item, FileOfTests):
        return None
    item.run_tests(nextitem)
    return True


class Progress:
    """Tell the terminal how many tests there will be, by those of the files that have begun."""

    def __init__(self, session: pytest.Session) -> None:
        self._session, self._files, self._tests = session, 0, 0
        self._begun: set[str] = set()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._files = 0 if any("::" in name for name in ids) else len(ids)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._tests += 1
        self._begun.add(nodeid.partition("::")[0])
        if self._files:
            expected = self._tests * self._files // len(self._begun)
            self._session.testscollected = max(expected, self._tests)


def pytest_sessionstart(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Progress(session))
        return
    # Benchmarks, which some tests import and a conftest.py puts first, have names of such folders.
    for folder in HERE.iterdir():
        if folder.is_dir() and folder.name.isidentifier() and folder.name != "__pycache__":
            import_module(folder.name)
