# SPDX-License-Identifier: MIT
"""Plans of replications: their files, what they share with their edition, what jobs are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import ROOT, put_raw_files

from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.plan import Plans

R01 = "full-r01"


@pytest.fixture
def plans() -> Plans:
    """Plans of a repository whose two datasets are pretended to be there."""
    put_raw_files(Path("mirror"), "ml-1m", "cm100k")
    return plans_with()


def plans_with(**given: object) -> Plans:
    """Plans with some keys of the configuration changed."""
    known = {"network": "off", "local_mirrors": [str(Path("mirror").absolute())]}
    return Plans(RunFolders(ROOT, ROOT), known | given)


def test_plans_are_those_of_editions_until_a_replication_is_asked_for(plans: Plans) -> None:
    assert list(plans) == ["demo", "full"]
    assert plans[R01].run == R01
    assert plans[R01] is plans[R01]
    assert list(plans) == ["demo", "full"]


def test_prepared_ratings_are_the_editions_and_all_else_is_the_runs(plans: Plans) -> None:
    inputs = plans[R01].artifacts.inputs("bellogin2017", "fig02")
    assert all(file.startswith("work/full/ml-1m/") for file in inputs["ratings"])
    assert all(file.startswith(f"work/{R01}/ml-1m/") for file in inputs["ranks"])
    assert all(file.startswith(f"work/{R01}/ml-1m/") for file in inputs["splits"])
    assert plans[R01].studies.record_file("bellogin2017").startswith(f"work/{R01}/artifacts/")


def test_records_read_the_summaries_of_the_edition(plans: Plans) -> None:
    inputs = plans[R01].studies.provenance_inputs("bellogin2017")
    assert inputs["summaries"] == ["work/full/ml-1m/summary.json"]


def test_claims_of_a_run_are_judged_by_its_own_results(plans: Plans) -> None:
    claims = plans[R01].claims
    for study in plans[R01].replications.studies:
        assert all(f.startswith(f"work/{R01}/artifacts/") for f in claims.results(study))
        assert claims.record(study) == f"work/{R01}/artifacts/{study}/provenance.json"


def test_the_table_of_all_replications_reads_every_study_of_every_one(plans: Plans) -> None:
    files = plans["full"].replications.verdict_files()
    assert len(files) == len(set(files)) == 20 * 5
    assert f"work/{R01}/verdicts/valcarce2018.csv" in files


def test_only_what_is_asked_for_is_repeated() -> None:
    put_raw_files(Path("mirror"), "ml-1m", "cm100k")
    replications = plans_with(repeat="r02..r03")["full"].replications
    assert {Path(file).parts[1] for file in replications.verdict_files()} == {
        "full-r02",
        "full-r03",
    }
    assert not replications.number_files()
    assert not any("variance" in file for file in replications.files())


def test_the_crossed_design_alone_makes_the_variances_alone() -> None:
    put_raw_files(Path("mirror"), "ml-1m", "cm100k")
    replications = plans_with(repeat="crossed")["full"].replications
    assert replications.files() == ["work/full/artifacts/variance.csv"]
    assert len(replications.number_files()) == 27


def test_every_file_of_replications_has_a_name_that_acceptance_knows(plans: Plans) -> None:
    replications = plans["full"].replications
    made = {Path(file).relative_to("work/full/artifacts").stem for file in replications.files()}
    assert made == set(replications.names())


def test_results_that_no_run_made_are_not_compared(plans: Plans) -> None:
    replications = plans["full"].replications
    assert replications.made() == []
    table = Path(replications.table_file("certainty"))
    table.parent.mkdir(parents=True)
    table.write_text("claim\n", encoding="utf-8")
    assert replications.made() == ["certainty"]


@pytest.mark.costly
def test_rows_of_all_replications_are_made_with_the_same(plans: Plans) -> None:
    labels = [plans[f"full-{name}"].replications.label("canamares2020") for name in ("r01", "r02")]
    assert labels[0]["code"] == labels[1]["code"]
    assert labels[0]["seed"] != labels[1]["seed"]
    assert [label["name"] for label in labels] == ["r01", "r02"]
    assert plans["full"].replications.seeds()["r02"] == labels[1]["seed"]


@pytest.mark.costly
def test_other_parameters_are_seen_in_what_rows_are_made_with(plans: Plans) -> None:
    neighbours = {"systems": {"knn-user": {"parameters": {"neighbours": 7}}}}
    other = plans_with(**neighbours)
    one, changed = (p[R01].replications.label("canamares2020")["code"] for p in (plans, other))
    assert one != changed


@pytest.mark.costly
def test_other_words_are_not_seen_in_what_rows_are_made_with(plans: Plans) -> None:
    words = {"title": "Another", "artifacts": {"fig02": {"caption": "Other words."}}}
    other = plans_with(studies={"canamares2020": words})
    one, changed = (p[R01].replications.label("canamares2020")["code"] for p in (plans, other))
    assert one == changed


def test_runs_of_the_crossed_design_read_the_models_of_the_first_candidates(plans: Plans) -> None:
    plan = plans["full-s2-t3-c2"]
    assert plan.experiments.models_folder("ml-1m", "coin-flip-80", "mf") == (
        "work/full-s2-t3-c1/ml-1m/coin-flip-80/mf/models"
    )
    assert plan.datasets.split_file("ml-1m", "coin-flip-80") == (
        "work/full-s2-t1-c1/ml-1m/coin-flip-80/split.npz"
    )


def test_accepted_rows_are_read_where_there_are_any() -> None:
    put_raw_files(Path("mirror"), "ml-1m", "cm100k")
    given = {"network": "off", "local_mirrors": ["mirror"]}
    replications = Plans(RunFolders(ROOT), given)["full"].replications
    assert replications.accepted_files() == []
    accepted = Path("results/full/replications.csv")
    accepted.parent.mkdir(parents=True)
    accepted.write_text("claim\n", encoding="utf-8")
    assert replications.accepted_files() == [accepted.as_posix()]
