from __future__ import annotations

from pathlib import Path

import pytest
from workflow.running import Workflow

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of the workflow to one process: they share what the first of them makes."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("workflow"))


@pytest.fixture(scope="session")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """The repository with its whole configuration, in which nothing has been made."""
    folder = tmp_path_factory.mktemp("workflow")
    return Workflow.of_repository(folder / "untouched", folder / "home")


@pytest.fixture(scope="session")
def finished(untouched: Workflow) -> Workflow:
    """A small workflow, all of which has been made on two cores."""
    workflow = untouched.copied(untouched.folder.with_name("finished"), with_results=False)
    workflow.shrink()
    run = workflow.run("--cores", "2")
    assert run.status == 0, run.text
    return workflow
