# SPDX-License-Identifier: MIT
"""The jobs of a study on a generated dataset are those of the workflow, and can be run in parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from generated_studies import choices, sized_twin
from generated_studies import planned as planned_anew
from measured_jobs import Job
from study_jobs import behind, jobs_of, making

ROOT = Path(__file__).resolve().parents[2]
STUDIES = (
    ("canamares2020", "netflix"),
    ("bellogin2017", "netflix"),
    ("bellogin2017", "lastfm-1k"),
    ("valcarce2018", "librarything"),
    ("valcarce2020", "beeradvocate"),
    ("multiverse", "netflix"),
)


# Jobs are read from plans, which stay as they are.
planned = cache(planned_anew)


def every_job(study: str, dataset: str) -> list[Job]:
    plan = planned(study, dataset)
    return [*making(plan, dataset, 500_000), *jobs_of(plan, study)]


def unmade_inputs(jobs: Sequence[Job]) -> list[str]:
    made: set[str] = set()
    missing = []
    for job in jobs:
        there = made.union(path for path in job.inputs if (ROOT / path).exists())
        missing += [f"{job.name}: {path}" for path in job.inputs if path not in there]
        made.update(job.outputs)
    return missing


@pytest.mark.costly
@pytest.mark.parametrize(("study", "dataset"), STUDIES)
def test_all_files_of_a_study_are_made_each_from_what_was_made_before(
    study: str, dataset: str
) -> None:
    plan = planned(study, dataset)
    jobs = every_job(study, dataset)
    assert unmade_inputs(jobs) == []
    judged = [
        name for name in plan.artifacts.made(study) if plan.artifacts.spec(study, name).reads_claims
    ]
    left_out = {
        file
        for name in judged
        for file in (*plan.artifacts.files(study, name), f"work/full/pages/{study}/{name}.html")
    }
    # The page of a study has verdicts on claims, which these jobs do not judge.
    left_out.add(f"work/full/artifacts/{study}/index.md")
    wanted = {*plan.studies.files(study), *plan.studies.shown_files(study)} - left_out
    made = [path for job in jobs for path in job.outputs]
    assert wanted <= set(made)
    assert len(made) == len(set(made))


@pytest.mark.costly
def test_a_part_of_a_study_has_what_its_artifacts_need_and_nothing_else() -> None:
    jobs = behind(every_job("canamares2020", "netflix"), ["fig08"])
    assert unmade_inputs(jobs) == []
    assert {job.subject for job in jobs if job.stage == "split_ratings"} == {"random-50"}
    assert [job.subject for job in jobs if job.stage == "compute_artifact"] == ["fig08"]
    assert jobs[-1].stage == "draw_figure"


@pytest.mark.costly
def test_a_part_may_read_the_results_of_another_artifact() -> None:
    jobs = behind(every_job("multiverse", "netflix"), ["shares"])
    assert [job.subject for job in jobs if job.stage == "compute_artifact"] == [
        "universes",
        "shares",
    ]
    assert {job.subject for job in jobs if job.stage == "draw_figure"} == {"shares"}


@pytest.mark.costly
def test_artifacts_that_a_study_does_not_make_of_the_dataset_are_refused() -> None:
    with pytest.raises(SystemExit, match="makes no fig07 of this dataset; it makes table1"):
        behind(every_job("canamares2020", "netflix"), ["fig07"])


@pytest.mark.costly
def test_studies_and_datasets_that_do_not_meet_are_refused() -> None:
    with pytest.raises(SystemExit, match="valcarce2018 does not read netflix"):
        planned("valcarce2018", "netflix")
    with pytest.raises(SystemExit, match="no size of ml-1m"):
        planned("valcarce2018", "ml-1m")
    with pytest.raises(SystemExit, match="no study fig02"):
        planned("fig02", "netflix")


@pytest.mark.costly
def test_shards_of_users_train_if_they_can_and_those_of_folds_whatever_they_are() -> None:
    plan = planned("canamares2020", "netflix", 2)
    jobs = [*making(plan, "netflix", 500_000), *jobs_of(plan, "canamares2020")]
    assert unmade_inputs(jobs) == []
    trained = {job.subject for job in jobs if job.stage == "train_system"}
    assert trained == {
        f"{split}, {system}"
        for split in ("random-80", "random-50")
        for system in ("ranksys-mf", "ranksys-mf-text")
    }
    shards = [job.subject for job in jobs if job.stage == "rank_shard"]
    assert {f"{n}-of-2, random-50, knn-overlap-10" for n in (1, 2)} < set(shards)
    assert len(shards) == 2 * sum(job.stage == "join_shards" for job in jobs) == 30


def test_a_generated_dataset_has_all_items_and_its_share_of_users() -> None:
    twin = sized_twin("netflix", choices("netflix") // 10)
    assert (twin["items"], twin["users"]) == (17_770, 48_019)


def test_a_small_part_of_a_dataset_with_few_ratings_an_item_has_fewer_items() -> None:
    whole, tenth = (sized_twin("lastfm-1k", choices("lastfm-1k") // n) for n in (1, 10))
    assert (whole["items"], whole["users"]) == (176_948, 992)
    assert (tenth["items"], tenth["users"]) == (17_695, 99)
