# SPDX-License-Identifier: MIT
"""What runs again after an edit of code or configuration, and what does not."""

from __future__ import annotations

from typing import Any

import yaml
from workflow.edits import with_changed_function, with_changed_words
from workflow.running import Workflow

PLSA = "src/receval/recommenders/plsa.py"
FIG02 = "src/receval/studies/bellogin2017/configuration_bars.py"
PRECISION = "src/receval/metrics/precision.py"

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


def test_a_second_run_does_nothing(finished: Workflow) -> None:
    made = sorted((finished.folder / "work").rglob("*"))
    before = {path: path.stat().st_mtime_ns for path in made}
    run = finished.run("--cores", "2")
    assert run.did_nothing, run.text
    after = {path: path.stat().st_mtime_ns for path in (finished.folder / "work").rglob("*")}
    assert after == before


def test_editing_plsa_reruns_only_its_jobs_and_what_hangs_on_them(finished: Workflow) -> None:
    with finished.edited({PLSA: with_changed_function(finished.read(PLSA), "_fit")}):
        run = finished.run("-n")
    assert run.jobs == {
        "train_system plsa",
        "rank_system plsa",
        *NUMBERS_AND_WHAT_HANGS_ON_THEM,
    }, run.text


def test_editing_how_a_figure_is_drawn_redraws_only_that_figure(finished: Workflow) -> None:
    with finished.edited({FIG02: with_changed_function(finished.read(FIG02), "draw")}):
        run = finished.run("-n")
    # The record has the digest of the code that draws; the index follows from numbers alone.
    assert run.jobs == {
        "draw_figure fig02",
        "record_provenance bellogin2017",
        "report_drift demo",
    }, run.text


def test_editing_the_numbers_of_a_figure_computes_only_that_figure(finished: Workflow) -> None:
    with finished.edited({FIG02: with_changed_function(finished.read(FIG02), "data")}):
        run = finished.run("-n")
    assert run.jobs == NUMBERS_AND_WHAT_HANGS_ON_THEM, run.text


def test_editing_a_metric_recomputes_the_artifacts_that_name_it(finished: Workflow) -> None:
    changed = with_changed_function(finished.read(PRECISION), "per_list")
    with finished.edited({PRECISION: changed}):
        run = finished.run("-n")
    assert run.jobs == NUMBERS_AND_WHAT_HANGS_ON_THEM, run.text


def test_editing_a_metric_of_a_judgment_sampling_samples_again(finished: Workflow) -> None:
    name = "src/receval/metrics/average_precision.py"
    with finished.edited({name: with_changed_function(finished.read(name), "per_list")}):
        run = finished.run("-n")
    assert run.jobs == SAMPLING_AND_WHAT_HANGS_ON_IT, run.text


def test_more_samples_of_judgments_rank_and_train_nothing(finished: Workflow) -> None:
    small: dict[str, Any] = yaml.safe_load(finished.read("small.yaml"))
    small["studies"]["valcarce2020"]["judgment_samplings"] = {"ratings": {"samples": 4}}
    run = finished.run("-n", changes=small)
    assert run.jobs == SAMPLING_AND_WHAT_HANGS_ON_IT, run.text


def test_editing_comments_and_docstrings_reruns_nothing(finished: Workflow) -> None:
    names = (
        PLSA,
        FIG02,
        "src/receval/protocols/ranking.py",
        "src/receval/ratings.py",
        "src/receval/workflow/artifacts.py",
        "src/receval/workflow/systems.py",
    )
    with finished.edited({name: with_changed_words(finished.read(name)) for name in names}):
        run = finished.run("-n")
    assert run.did_nothing, run.text


def test_another_parameter_retrains_only_its_system(finished: Workflow) -> None:
    run = finished.run("-n", changes={"systems": {"plsa": {"parameters": {"topics": 6}}}})
    assert run.jobs == {
        "train_system plsa",
        "rank_system plsa",
        *NUMBERS_AND_WHAT_HANGS_ON_THEM,
    }, run.text


def test_one_more_protocol_ranks_again_and_trains_nothing(finished: Workflow) -> None:
    small: dict[str, Any] = yaml.safe_load(finished.read("small.yaml"))
    experiment = small["studies"]["bellogin2017"]["experiments"]["movielens"]
    experiment["protocols"].append({"relevant": "AR", "candidates": "AI"})
    run = finished.run("-n", changes=small)
    assert run.jobs == {
        "rank_system plsa",
        "rank_system pop",
        *NUMBERS_AND_WHAT_HANGS_ON_THEM,
    }, run.text


def test_another_colour_and_another_caption_recompute_nothing(finished: Workflow) -> None:
    changes = {
        "systems": {"plsa": {"shade": 0.9}},
        "studies": {"bellogin2017": {"artifacts": {"table3": {"caption": "In other words."}}}},
    }
    run = finished.run("-n", changes=changes)
    # The record is of the whole configuration of a study, captions included; the index prints them.
    assert run.jobs == {
        "write_index bellogin2017",
        "draw_figure fig02",
        "write_table table3",
        "record_provenance bellogin2017",
        "report_drift demo",
    }, run.text
