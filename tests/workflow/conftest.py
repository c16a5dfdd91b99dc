# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest
from workflow.running import Workflow


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
