# SPDX-License-Identifier: MIT
from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from commands.demo_run import ROOT, STUDIES, STUDY, run

from reproduction.config.settings import load_settings
from reproduction.workflow.plan.plan import Plan
from reproduction.workflow.provenance.code_digest import CodeSnapshot
from reproduction.workflow.provenance.versions import processor_and_arithmetic

_followed_once = cache(CodeSnapshot)

KEPT = ("table1", "table2")
"""The artifacts of ``STUDY`` that the made-up run has; more of them would slow every test down."""


def _keep_few(study: dict[str, Any]) -> None:
    study["artifacts"] = {name: own for name, own in study["artifacts"].items() if name in KEPT}
    study.pop("findings", None)


def _described_here(patch: pytest.MonkeyPatch) -> None:
    """Describe the arithmetic of this process, and follow the sources once."""
    patch.setattr("reproduction.workflow.plan.plan.described_processor", processor_and_arithmetic)
    # No test here edits the sources, which each plan would follow anew. Tests of other folders do.
    patch.setattr("reproduction.workflow.plan.code.CodeSnapshot", _followed_once)


@pytest.fixture(autouse=True)
def _without_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    _described_here(monkeypatch)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository whose demo has been run, and the folder that each test finds a copy of it in.

    It is also made in that folder, so that the sources are parsed once.
    """
    folder = tmp_path_factory.mktemp("cli")
    copy, made = folder / "copy", folder / "made"
    shutil.copytree(ROOT / "config", copy / "config")
    (copy / "src").symlink_to(ROOT / "src")
    for study in (copy / "config/studies").iterdir():
        if study.stem not in STUDIES:
            study.unlink()
    study = copy / "config/studies" / f"{STUDY}.yaml"
    content = yaml.safe_load(study.read_text())
    _keep_few(content)
    study.write_text(yaml.safe_dump(content))
    (copy / "config/claims" / study.name).unlink()
    demo = copy / "config/demo.yaml"
    content = yaml.safe_load(demo.read_text())
    content["studies"] = {name: content["studies"][name] for name in STUDIES}
    _keep_few(content["studies"][STUDY])
    demo.write_text(yaml.safe_dump(content))
    table = pd.DataFrame({"dataset": ["ml-1m"], "system": ["pop"], "value": [0.25], "lists": [600]})
    with pytest.MonkeyPatch.context() as patch:
        _described_here(patch)
        patch.chdir(copy)
        plan = Plan(load_settings(Path("config"), "demo"), Path())
        for study in plan.settings.studies:
            for artifact in plan.artifacts.made(study):
                for file in map(Path, plan.artifacts.files(study, artifact)):
                    file.parent.mkdir(parents=True, exist_ok=True)
                    if file.suffix == ".csv":
                        table.to_csv(file, index=False)
                    else:
                        file.write_text(f"{artifact} drawn")
        for file in map(Path, plan.claims.files() + plan.errata.files()):
            file.write_text("claim,verdict\nB-001,holds\n" if file.suffix == ".csv" else "page")
        run(plan, {})
    copy.rename(made)
    return made, copy


@pytest.fixture
def repository(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the repository whose demo has been run, the current folder."""
    made, copy = folders
    shutil.copytree(made, copy, symlinks=True)
    with monkeypatch.context() as patch:
        patch.chdir(copy)
        yield copy
    shutil.rmtree(copy)
