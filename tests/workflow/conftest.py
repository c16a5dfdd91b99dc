# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest
from workflow.running import Workflow


@pytest.fixture(scope="session")
def finished(small_edition: Path) -> Workflow:
    """A small workflow, all of which has been made on two cores; it is for all to copy or read."""
    return Workflow(small_edition, small_edition.with_name("home"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the copies of a module's tests."""
    return tmp_path_factory.mktemp("workflow")


@pytest.fixture(scope="module")
def untouched(small_edition: Path, folder: Path) -> Workflow:
    """The repository with its whole configuration, in which nothing has been made."""
    whole = Workflow(small_edition.with_name("untouched"), small_edition.with_name("home"))
    return whole.copied(folder / "untouched", with_results=False)


@pytest.fixture(scope="module")
def made(finished: Workflow, folder: Path) -> Workflow:
    """A copy of the finished workflow, whose files may be made again."""
    return finished.copied(folder / "made", with_results=True)
