from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from workflow.running import FIG02, Workflow


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("caches")
    (folder / "home").mkdir()
    return folder


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, caches: Path) -> Workflow:
    """A workflow whose figure 2 was made with one core."""
    workflow = Workflow(tmp_path_factory.mktemp("finished") / "repository", caches)
    workflow.run("--cores", "1", FIG02)
    return workflow


@pytest.fixture
def edited(finished: Workflow) -> Iterator[Workflow]:
    """The finished workflow; its sources and configuration are put back after the test."""
    kept = finished.folder.parent / "kept"
    names = ("src", "config", "small.yaml")
    for name in names:
        source = finished.folder / name
        if source.is_dir():
            shutil.copytree(source, kept / name)
        else:
            shutil.copy2(source, kept / name)
    yield finished
    for name in names:
        target = finished.folder / name
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink()
        shutil.move(kept / name, target)
    shutil.rmtree(kept)
