# SPDX-License-Identifier: MIT
"""What runs again after an edit of code or configuration, and what does not."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from workflow.edits import with_changed_function, with_changed_words
from workflow.running import Workflow

pytestmark = [pytest.mark.processes, pytest.mark.repository]

PLSA = "src/receval/recommenders/plsa.py"
AVERAGE_PRECISION = "src/receval/metrics/average_precision.py"
PRECISION = "src/receval/metrics/precision_and_recall.py"
FIG02 = "src/reproduction/studies/bellogin2017/configuration_bars.py"

NUMBERS_AND_WHAT_HANGS_ON_THEM = {
    "compute_artifact fig02",
    "draw_figure fig02",
    "write_index bellogin2017",
    "record_provenance bellogin2017",
    "report_drift demo",
}


SAMPLING_AND_WHAT_HANGS_ON_IT = {
    "sample_judgments ratings",
    "compute_artifact fig03",
    "draw_figure fig03",
    "write_index valcarce2020",
    "record_provenance valcarce2020",
    "report_drift demo",
}


def test_a_second_run_does_nothing_after_edits_of_comments_and_docstrings(made: Workflow) -> None:
    names = (
        PLSA,
        FIG02,
        "src/receval/protocols/evaluation.py",
        "src/receval/data/ratings.py",
        "src/reproduction/workflow/jobs/artifacts.py",
        "src/reproduction/workflow/jobs/systems.py",
    )
    work = made.folder / "work"
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*")}
    with made.edited({name: with_changed_words(made.read(name)) for name in names}):
        run = made.run("--cores", "2")
    assert run.did_nothing, run.text
    assert {path: path.stat().st_mtime_ns for path in work.rglob("*")} == before


def test_editing_plsa_reruns_only_its_jobs_and_what_hangs_on_them(made: Workflow) -> None:
    with made.edited({PLSA: with_changed_function(made.read(PLSA), "_fit")}):
        run = made.run("-n")
    assert run.jobs == {"train_system plsa", "rank_system plsa", *NUMBERS_AND_WHAT_HANGS_ON_THEM}, (
        run.text
    )


def test_editing_how_a_figure_is_drawn_redraws_only_that_figure(made: Workflow) -> None:
    with made.edited({FIG02: with_changed_function(made.read(FIG02), "draw")}):
        run = made.run("-n")
    # The record has the digest of the code that draws, and what is judged reads the record.
    assert run.jobs == {
        "draw_figure fig02",
        "write_index bellogin2017",
        "record_provenance bellogin2017",
        "report_drift demo",
    }, run.text


def test_editing_the_numbers_of_a_figure_and_a_metric_of_another_does_no_more_than_both(
    made: Workflow,
) -> None:
    edited = {FIG02: with_changed_function(made.read(FIG02), "data")}
    edited[AVERAGE_PRECISION] = with_changed_function(made.read(AVERAGE_PRECISION), "per_list")
    with made.edited(edited):
        run = made.run("-n")
    assert run.jobs == NUMBERS_AND_WHAT_HANGS_ON_THEM | SAMPLING_AND_WHAT_HANGS_ON_IT, run.text


def test_another_parameter_retrains_only_its_system_and_more_samples_train_nothing(
    made: Workflow,
) -> None:
    small: dict[str, Any] = yaml.safe_load(made.read("small.yaml"))
    small["systems"]["plsa"]["parameters"]["topics"] = 6
    small["studies"]["valcarce2020"]["judgment_samplings"] = {"ratings": {"samples": 4}}
    run = made.run("-n", changes=small)
    assert run.jobs == {
        "train_system plsa",
        "rank_system plsa",
        *NUMBERS_AND_WHAT_HANGS_ON_THEM,
        *SAMPLING_AND_WHAT_HANGS_ON_IT,
    }, run.text


def test_one_more_protocol_ranks_again_and_trains_nothing(made: Workflow) -> None:
    small: dict[str, Any] = yaml.safe_load(made.read("small.yaml"))
    experiment = small["studies"]["bellogin2017"]["experiments"]["movielens"]
    experiment["protocols"].append({"relevant": "AR", "candidates": "AI"})
    run = made.run("-n", changes=small)
    assert run.jobs == {
        "rank_system plsa",
        "rank_system pop",
        "rank_system knn-user",
        *NUMBERS_AND_WHAT_HANGS_ON_THEM,
    }, run.text


def test_another_colour_and_another_caption_recompute_nothing(made: Workflow) -> None:
    changes = {
        "display": {"shades": {"pLSA": 0.9}},
        "studies": {"bellogin2017": {"artifacts": {"table3": {"caption": "In other words."}}}},
    }
    run = made.run("-n", changes=changes)
    # The record is of the whole configuration of a study, captions included; the index prints them.
    assert run.jobs == {
        "write_index bellogin2017",
        "draw_figure fig02",
        "write_table table3",
        "record_provenance bellogin2017",
        "report_drift demo",
    }, run.text
