# SPDX-License-Identifier: MIT
"""What a run reads stands beside its Snakefile, unless the current folder has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import ROOT, put_raw_files

from reproduction.config.settings import load_settings
from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.plan import Plan, Plans


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with nothing in it the current one, without a configuration, too."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_in_the_repository_all_paths_are_relative(tmp_path: Path) -> None:
    folders = RunFolders.of(tmp_path)
    assert folders == RunFolders()
    assert folders.published("systems.csv").as_posix() == "config/published/systems.csv"
    assert folders.results("demo").as_posix() == "results/demo"
    assert folders.are_own


def test_elsewhere_they_lead_to_the_repository() -> None:
    folders = RunFolders.of(ROOT)
    assert folders.config == ROOT / "config"
    assert folders.results("full") == ROOT / "results" / "full"
    assert not folders.are_own


def test_a_folder_with_a_configuration_of_receval_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.yaml").write_text("of: another workflow\n")
    assert RunFolders.of(ROOT).own == ROOT
    (tmp_path / "config" / "studies").mkdir()
    folders = RunFolders.of(ROOT)
    assert (folders.repository, folders.config) == (ROOT, Path("config"))
    assert folders.are_own


def test_commands_find_the_repository_of_their_code(tmp_path: Path) -> None:
    assert RunFolders.of_command() == RunFolders.of(ROOT)
    # A copy of the repository is one of its own, whoever's code is installed.
    (tmp_path / "src" / "receval").mkdir(parents=True)
    assert RunFolders.of_command() == RunFolders()


@pytest.mark.costly
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_a_plan_elsewhere_reads_beside_the_snakefile_and_makes_here(edition: str) -> None:
    settings = load_settings(ROOT / "config", edition)
    plan = Plan(settings, RunFolders.of(ROOT))
    config = (ROOT / "config").as_posix()
    assert plan.searches.published_file() == f"{config}/published/systems.csv"
    for study in plan.claims.papers:
        assert plan.claims.claims_file(study) == f"{config}/claims/{study}.yaml"
    assert len(plan.claims.papers) == 11
    assert plan.accepted.file("systems", "searches").startswith(f"{ROOT}/results/{edition}/")
    assert all(file.startswith(f"work/{edition}/") for file in plan.studies.all_files())
    assert all(Path(file).is_absolute() for file in plan.paper.inputs()["configuration"])


def test_a_plan_elsewhere_describes_results_as_in_the_repository(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = Plan(load_settings(ROOT / "config", "demo"), RunFolders.of(ROOT)).studies
    described = [elsewhere.description(study) for study in elsewhere.specs]
    monkeypatch.chdir(ROOT)
    there = Plan(load_settings(Path("config"), "demo"), RunFolders()).studies
    assert described == [there.description(study) for study in there.specs]


def test_local_mirrors_are_relative_to_the_configuration(tmp_path: Path) -> None:
    mirrored = {"network": "off", "local_mirrors": ["mirror"]}
    settings = load_settings(ROOT / "config", "full", mirrored)
    put_raw_files("ml-1m")
    assert Plan(settings, RunFolders()).datasets.is_available("ml-1m")
    assert not Plan(settings, RunFolders(ROOT, ROOT)).datasets.is_available("ml-1m")
    assert Plan(settings, RunFolders(ROOT, tmp_path)).datasets.is_available("ml-1m")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("mirror", "said"),
    [("~/data", r"~/data, which does not exist \(~ does not"), ("miror", r"miror, which does not")],
)
def test_a_mirror_that_a_run_is_given_and_that_is_not_there_is_refused(
    mirror: str, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Plans(RunFolders(ROOT, ROOT), {"network": "off", "local_mirrors": [mirror]})
