# SPDX-License-Identifier: MIT
"""Plans of replications: their files, what they share with their edition, what jobs are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import MIRROR, ROOT, put_raw_files

from reproduction.workflow.plan.datasets import RunFolders
from reproduction.workflow.plan.plan import Plans

R01 = "full-r01"


@pytest.fixture(autouse=True)
def mirror() -> None:
    """The two datasets of replications are pretended to be there."""
    put_raw_files("ml-1m", "cm100k")


def plans_with(**given: object) -> Plans:
    """Plans with some keys of the configuration changed."""
    known = {"network": "off", "local_mirrors": [str(MIRROR.absolute())]}
    return Plans(RunFolders(ROOT, ROOT), known | given)


@pytest.fixture
def plans() -> Plans:
    return plans_with()


def test_plans_are_those_of_editions_until_a_replication_is_asked_for(plans: Plans) -> None:
    assert list(plans) == ["demo", "full"]
    assert plans[R01].run == R01
    assert plans[R01] is plans[R01]
    assert list(plans) == ["demo", "full"]


def test_prepared_ratings_are_the_editions_and_all_else_is_the_runs(plans: Plans) -> None:
    plan = plans[R01]
    inputs = plan.artifacts.inputs("bellogin2017", "fig02")
    for kind, run in {"ratings": "full", "ranks": R01, "splits": R01}.items():
        assert all(file.startswith(f"work/{run}/ml-1m/") for file in inputs[kind])
    summaries = plan.studies.provenance_inputs("bellogin2017")["summaries"]
    assert summaries == ["work/full/ml-1m/summary.json"]
    # Claims of a run are judged by its own results.
    for study in plan.replications.studies:
        results = plan.claims.results(study)
        assert all(file.startswith(f"work/{R01}/artifacts/") for file in results)
        assert plan.claims.record(study) == f"work/{R01}/artifacts/{study}/provenance.json"


def test_runs_of_the_crossed_design_read_the_models_of_the_first_candidates(plans: Plans) -> None:
    plan = plans["full-s2-t3-c2"]
    assert plan.experiments.models_folder("ml-1m", "coin-flip-80", "mf") == (
        "work/full-s2-t3-c1/ml-1m/coin-flip-80/mf/models"
    )
    assert plan.datasets.split_file("ml-1m", "coin-flip-80") == (
        "work/full-s2-t1-c1/ml-1m/coin-flip-80/split.npz"
    )


def test_the_table_of_all_replications_reads_every_study_of_every_one(plans: Plans) -> None:
    replications = plans["full"].replications
    files = replications.verdict_files()
    assert len(files) == len(set(files)) == sum(replications.spec.counts.values())
    assert f"work/{R01}/verdicts/valcarce2018.csv" in files


def test_only_what_is_asked_for_is_repeated() -> None:
    some = plans_with(repeat="r02..r03")["full"].replications
    assert {Path(file).parts[1] for file in some.verdict_files()} == {"full-r02", "full-r03"}
    assert not some.number_files()
    assert not any("variance" in file for file in some.files())
    crossed = plans_with(repeat="crossed")["full"].replications
    assert crossed.files() == ["work/full/artifacts/variance.csv"]
    assert len(crossed.number_files()) == 27


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


def test_accepted_rows_are_read_where_there_are_any() -> None:
    given = {"network": "off", "local_mirrors": ["mirror"]}
    replications = Plans(RunFolders(ROOT), given)["full"].replications
    assert replications.accepted_files() == []
    accepted = Path("results/full/replications.csv")
    accepted.parent.mkdir(parents=True)
    accepted.write_text("claim\n", encoding="utf-8")
    assert replications.accepted_files() == [accepted.as_posix()]


@pytest.mark.costly
def test_rows_of_all_replications_are_made_with_the_same(plans: Plans) -> None:
    labels = [plans[f"full-{name}"].replications.label("canamares2020") for name in ("r01", "r02")]
    assert labels[0]["code"] == labels[1]["code"]
    assert labels[0]["seed"] != labels[1]["seed"]
    assert [label["name"] for label in labels] == ["r01", "r02"]
    assert plans["full"].replications.seeds()["r02"] == labels[1]["seed"]


@pytest.mark.costly
def test_a_replication_of_one_dataset_judges_it_alone_with_the_label_of_a_whole_one(
    plans: Plans,
) -> None:
    study = "menamaldonado2021"
    whole, further = plans[R01].replications, plans["full-r21"].replications
    assert whole.datasets(study) == ["ml-1m", "cm100k", ""]
    assert further.datasets(study) == ["cm100k"]
    assert further.label(study)["code"] == whole.label(study)["code"]
    read = plans["full-r21"].claims.results(study)
    assert "work/full-r21/artifacts/menamaldonado2021/fig16.csv" in read
    assert not any(file.endswith(("fig01.csv", "fig18.csv")) for file in read)


WORDS = {"title": "Another", "artifacts": {"fig02": {"caption": "Other words."}}}


@pytest.mark.costly
@pytest.mark.parametrize(
    ("change", "is_seen"),
    [
        ({"systems": {"knn-user": {"parameters": {"neighbours": 7}}}}, True),
        ({"studies": {"canamares2020": WORDS}}, False),
    ],
)
def test_other_parameters_are_seen_in_what_rows_are_made_with_and_other_words_are_not(
    plans: Plans, change: dict[str, object], is_seen: bool
) -> None:
    one, other = (
        each[R01].replications.label("canamares2020")["code"]
        for each in (plans, plans_with(**change))
    )
    assert (one != other) is is_seen
