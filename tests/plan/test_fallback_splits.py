# SPDX-License-Identifier: MIT
"""Which split an experiment takes: the authors' own where its file is there, else another one."""

from __future__ import annotations

import pytest
from plan.planned import MIRROR, demo, full_with, opened, plan_of, put_movielens, put_raw_files
from yahoo_files import YahooFiles

from receval.figures.display import absence_of
from reproduction.workflow.plan.plan import Plan

STUDY = "menamaldonado2021"
FOLDS = "folds_menamaldonado2021.txt"
PAIRS = "temporal_test.tsv"
TEMPORAL = "movielens-temporal"

# A figure that reads the ranks of the temporal experiment itself, and nothing else.
READER = {
    "studies": {
        STUDY: {
            "artifacts": {
                "fig99": {
                    "kind": "figure",
                    "reading": "A bar.",
                    "shows": ["B-002"],
                    "title": "Added",
                    "caption": "Added.",
                    "experiments": [TEMPORAL],
                }
            }
        }
    }
}


def split_of(plan: Plan, experiment: str) -> str:
    return plan.experiments.studies[STUDY].experiments[experiment].split


# --- folds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("of_movielens", [False, True])
@pytest.mark.parametrize("of_cm100k", [False, True])
def test_the_authors_folds_are_taken_where_their_file_lies_beside_the_data(
    of_movielens: bool, of_cm100k: bool
) -> None:
    put_movielens(*[FOLDS] * of_movielens)
    put_raw_files("cm100k")
    if of_cm100k:
        (MIRROR / "cm100k" / FOLDS).touch()
    plan = plan_of("full")
    taken = {
        "ml-1m": "released-folds" if of_movielens else "random-folds",
        "cm100k": "released-folds-unbiased" if of_cm100k else "missing-at-random-fold",
    }
    assert [split_of(plan, name) for name in ("movielens", "cm100k")] == list(taken.values())
    inputs = plan.artifacts.inputs(STUDY, "values")
    for dataset, split in taken.items():
        assert f"work/full/{dataset}/{split}/split.npz" in inputs["splits"]
        assert f"work/full/{dataset}/{split}/librec-wrmf/ranks.npz" in inputs["ranks"]
        read = [path for paths in inputs.values() for path in paths if f"/{dataset}/rel" in path]
        assert all(f"/{split}/" in path for path in read)


def test_the_demo_takes_seeded_folds_whatever_files_there_are() -> None:
    put_movielens(FOLDS, PAIRS)
    plan = demo()
    taken = {name: split_of(plan, name) for name in plan.experiments.studies[STUDY].experiments}
    assert taken == {
        "movielens": "random-folds",
        "yahoo": "missing-at-random",
        "cm100k": "missing-at-random-fold",
        "cm100k-opposed": "opposed-familiarity-folds",
        "movielens-temporal": "temporal-80",
    }


# --- the temporal split -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auxiliary_files", "split"), [([PAIRS], "released-temporal"), ([], "temporal-80")]
)
def test_the_authors_pairs_come_before_timestamps(auxiliary_files: list[str], split: str) -> None:
    put_movielens(*auxiliary_files, timestamps=True)
    plan = plan_of("full", READER)
    assert plan.datasets.has_split("ml-1m", "temporal-80")
    assert "fig18" in plan.artifacts.made(STUDY)
    assert plan.artifacts.inputs(STUDY, "fig99")["splits"] == [f"work/full/ml-1m/{split}/split.npz"]
    # Protocols are ranked on the split that was taken.
    (protocol,) = plan.experiments.protocols("ml-1m", split, "librec-wrmf")
    assert (protocol.candidates, protocol.ties) == ("train", "librec")
    (other,) = {"released-temporal", "temporal-80"} - {split}
    assert plan.experiments.protocols("ml-1m", other, "librec-wrmf") == []
    # A description that names timestamps would run every job anew when a plan learns of them.
    for variant in plan.datasets.description("ml-1m")["variants"]:
        assert "timestamps" not in variant
        assert {"name", "parser", "files"} <= set(variant)


def test_with_neither_the_temporal_experiment_is_absent() -> None:
    put_movielens()
    plan = plan_of("full", READER)
    assert not plan.datasets.has_split("ml-1m", "temporal-80")
    for figure in ("fig99", "fig18"):
        assert plan.artifacts.absent(STUDY, figure) == ["ml-1m"]
        assert figure not in plan.artifacts.made(STUDY)
        assert not any(figure in file for file in plan.studies.all_files())
    with pytest.raises(
        ValueError, match=r"fig99 cannot be made, because all its datasets are absent \(ml-1m\)"
    ):
        plan.artifacts.inputs(STUDY, "fig99")
    # What also reads the other experiment on this dataset is made, from that one alone.
    assert {"values", "fig01"} <= set(plan.artifacts.made(STUDY))
    assert list(plan.descriptions.results(STUDY, "values")["experiments"]) == ["movielens"]
    assert "temporal" not in " ".join(plan.artifacts.inputs(STUDY, "values")["ranks"])


TIMESTAMPS = {
    **dict.fromkeys(("ml-1m", "netflix", "beeradvocate", "lastfm-1k"), True),
    **dict.fromkeys(("librarything", "yahoo-r3", "cm100k", "trec-qrels"), False),
}


def test_temporal_splits_are_planned_for_datasets_with_timestamps_alone() -> None:
    for dataset, spec in demo().settings.datasets.items():
        expected = any(variant.timestamps for variant in spec.variants)
        assert demo().datasets.has_split(dataset, "temporal-80") == expected, dataset
        assert TIMESTAMPS.get(dataset, expected) == expected, dataset
    full = plan_of("full", {"network": "on"}).datasets
    found = [full.has_split("ml-1m", f"{which}temporal-80") for which in ("", "user-")]
    assert [*found, full.has_split("ml-1m", "released-temporal")] == [True, True, False]


def test_a_dataset_that_is_not_there_has_no_split_at_all() -> None:
    plan = plan_of("full")
    assert not plan.datasets.has_split("ml-1m", "random-folds")
    assert not plan.datasets.has_split("ml-1m", "released-folds")
    # The experiment keeps the split of the paper, whose absence is then told.
    assert split_of(plan, "movielens") == "released-folds"
    assert plan.artifacts.absent(STUDY, "fig01") == ["ml-1m"]
    assert "fig01" not in plan.artifacts.made(STUDY)


@pytest.mark.parametrize("auxiliary_files", [(), ("users.dat",)])
def test_what_reads_features_of_users_needs_their_file(auxiliary_files: tuple[str, ...]) -> None:
    put_movielens(*auxiliary_files)
    made = plan_of("full").artifacts.made("rampisela2025")
    everything = demo().artifacts.made("rampisela2025")
    # What reads no ratings is always made, and so is what the archive of the demo's twin has.
    assert made == (everything if auxiliary_files else ["measures_of_cases"])
    inputs = demo().artifacts.inputs("rampisela2025", "measured_groups")
    assert inputs["raw_files"] == ["work/demo/ml-1m/raw.json"]
    entries = demo().artifacts.results_entries("rampisela2025", "measured_groups")
    assert "reproduction.datasets.formats.movielens" in entries


# --- what is told of it -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auxiliary_files", "expected"),
    [
        ((), {"movielens": "random-folds"}),
        ((FOLDS, PAIRS), {"movielens": "released-folds", TEMPORAL: "released-temporal"}),
    ],
    ids=["without the files", "with the files"],
)
def test_description_and_record_name_the_split_that_was_taken(
    auxiliary_files: tuple[str, ...], expected: dict[str, str]
) -> None:
    put_movielens(*auxiliary_files)
    plan = plan_of("full")
    described = plan.descriptions.results(STUDY, "values")["experiments"]
    assert {name: experiment["split"] for name, experiment in described.items()} == expected
    read = opened(plan, STUDY, "values").experiments
    assert {name: experiment.split for name, experiment in read.items()} == expected
    record = plan.studies.description(STUDY)
    # Figure 5 reads the seeded folds in any case, without any system.
    assert list(record["splits"]) == list(dict.fromkeys([*expected.values(), "random-folds"]))
    recorded = record["study"]["experiments"]["movielens"]
    assert (recorded["split"], recorded["fallback_splits"]) == (expected["movielens"], [])
    assert [split for _, split in plan.studies.splits(STUDY)] == list(record["splits"])


def test_evaluations_and_the_released_threshold_reach_the_values() -> None:
    YahooFiles.put_into(MIRROR / "yahoo-r3")
    read = opened(full_with("ml-1m"), STUDY, "values").experiments
    told = {
        name: (each.evaluations, each.threshold, each.released_real_threshold)
        for name, each in read.items()
    }
    assert told["yahoo"] == (("observed", "real"), 4.0, 3.0)
    assert (told["movielens"][0], told["movielens"][2]) == (("observed",), None)


# --- figures of some of the experiments behind the numbers -------------------------------------


def test_figures_speak_only_of_the_datasets_that_they_show() -> None:
    put_movielens(PAIRS)
    plan = full_with("cm100k")
    for figure, shown in {"fig01": ["ml-1m"], "fig16": ["cm100k"], "fig18": ["ml-1m"]}.items():
        assert plan.artifacts.datasets_of(STUDY, figure) == shown
        assert plan.artifacts.absent(STUDY, figure) == []
        display = plan.descriptions.display(STUDY, figure)
        assert (display["absence"], list(display["datasets"])) == (absence_of([]), shown)
    for figure in ("fig12", "fig13", "fig14", "fig17"):
        assert plan.artifacts.absent(STUDY, figure) == ["yahoo-r3"]
        assert plan.descriptions.display(STUDY, figure)["absence"] == absence_of(["Yahoo! R3"])
    assert set(plan.artifacts.datasets_of(STUDY, "fig12")) == {"ml-1m", "yahoo-r3", "cm100k"}
    assert set(plan.artifacts.datasets_of(STUDY, "fig13")) == {"yahoo-r3", "cm100k"}


def test_figures_without_any_of_their_datasets_are_not_made() -> None:
    put_movielens(PAIRS)
    made = plan_of("full").artifacts.made(STUDY)
    assert {"fig01", "fig12", "fig18", "values", "taus"} <= set(made)
    assert not {"fig13", "fig14", "fig16", "fig17"} & set(made)
    YahooFiles.put_into(MIRROR / "yahoo-r3")
    made = plan_of("full").artifacts.made(STUDY)
    assert {"fig13", "fig14", "fig17"} <= set(made)
    assert "fig16" not in made


def test_the_display_style_has_the_systems_of_the_experiments_that_are_shown() -> None:
    plan = plan_of("full")
    opposed = plan.experiments.studies[STUDY].experiments["cm100k-opposed"]
    assert list(plan.descriptions.display(STUDY, "fig16")["systems"]) == list(opposed.all_systems)
    assert "optimal-real" not in opposed.all_systems
    assert "optimal-real" in plan.descriptions.display(STUDY, "fig13")["systems"]
