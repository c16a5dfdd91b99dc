# SPDX-License-Identifier: MIT
"""Which split an experiment takes: the authors' own where its file is there, else another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plan.planned import opened, plan_of, put_raw_files
from yahoo_files import YahooFiles

from receval.figures.display import absence_of
from reproduction.workflow.plan.plan import Plan

STUDY = "menamaldonado2021"
FOLDS = "folds_menamaldonado2021.txt"
PAIRS = "temporal_test.tsv"
SIZE_WITH_TIMESTAMPS = 24_594_131
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


def put_movielens(folder: Path, *auxiliary_files: str, timestamps: bool = False) -> None:
    """Pretend that MovieLens 1M is in the mirror, with some of the optional files."""
    put_raw_files(folder / "mirror", "ml-1m")
    if timestamps:
        with (folder / "mirror/ml-1m/ratings.dat").open("wb") as file:
            file.truncate(SIZE_WITH_TIMESTAMPS)
    for name in auxiliary_files:
        (folder / "mirror/ml-1m" / name).touch()


def split_of(plan: Plan, experiment: str) -> str:
    return plan.experiments.studies[STUDY].experiments[experiment].split


# --- folds ------------------------------------------------------------------------------------


def test_the_authors_folds_are_taken_where_their_file_lies_beside_the_data(
    tmp_path: Path,
) -> None:
    put_movielens(tmp_path, FOLDS)
    put_raw_files(tmp_path / "mirror", "cm100k")
    (tmp_path / "mirror/cm100k" / FOLDS).touch()
    plan = plan_of("full")
    assert split_of(plan, "movielens") == "released-folds"
    assert split_of(plan, "cm100k") == "released-folds-unbiased"
    ranks = plan.artifacts.inputs(STUDY, "values")["ranks"]
    assert "work/full/ml-1m/released-folds/librec-wrmf/ranks.npz" in ranks
    assert "work/full/cm100k/released-folds-unbiased/librec-wrmf/ranks.npz" in ranks


def test_without_their_file_seeded_folds_are_taken(tmp_path: Path) -> None:
    put_movielens(tmp_path)
    put_raw_files(tmp_path / "mirror", "cm100k")
    plan = plan_of("full")
    assert split_of(plan, "movielens") == "random-folds"
    assert split_of(plan, "cm100k") == "missing-at-random-fold"
    inputs = plan.artifacts.inputs(STUDY, "values")
    assert not any("released" in path for paths in inputs.values() for path in paths)
    assert "work/full/ml-1m/random-folds/split.npz" in inputs["splits"]


def test_each_dataset_falls_back_for_itself(tmp_path: Path) -> None:
    put_movielens(tmp_path, FOLDS)
    put_raw_files(tmp_path / "mirror", "cm100k")
    plan = plan_of("full")
    assert split_of(plan, "movielens") == "released-folds"
    assert split_of(plan, "cm100k") == "missing-at-random-fold"


def test_the_demo_takes_seeded_folds_whatever_files_there_are(tmp_path: Path) -> None:
    put_movielens(tmp_path, FOLDS, PAIRS)
    plan = plan_of("demo")
    taken = {name: split_of(plan, name) for name in plan.experiments.studies[STUDY].experiments}
    assert taken == {
        "movielens": "random-folds",
        "yahoo": "missing-at-random",
        "cm100k": "missing-at-random-fold",
        "cm100k-opposed": "opposed-familiarity-folds",
        "movielens-temporal": "temporal-80",
    }


# --- the temporal split -----------------------------------------------------------------------


def test_the_authors_pairs_come_before_timestamps(tmp_path: Path) -> None:
    put_movielens(tmp_path, PAIRS, timestamps=True)
    plan = plan_of("full", READER)
    assert plan.datasets.has_split("ml-1m", "temporal-80")
    assert split_of(plan, TEMPORAL) == "released-temporal"
    assert plan.artifacts.inputs(STUDY, "fig99")["splits"] == [
        "work/full/ml-1m/released-temporal/split.npz"
    ]


def test_without_the_pairs_timestamps_do(tmp_path: Path) -> None:
    put_movielens(tmp_path, timestamps=True)
    plan = plan_of("full", READER)
    edition = plan.datasets.availability["ml-1m"].variant
    assert edition is not None
    assert edition.name == "with-timestamps"
    assert split_of(plan, TEMPORAL) == "temporal-80"
    assert "fig18" in plan.artifacts.made(STUDY)
    assert plan.artifacts.inputs(STUDY, "fig99")["splits"] == [
        "work/full/ml-1m/temporal-80/split.npz"
    ]


def test_with_neither_the_temporal_experiment_is_absent(tmp_path: Path) -> None:
    put_movielens(tmp_path)
    plan = plan_of("full", READER)
    edition = plan.datasets.availability["ml-1m"].variant
    assert edition is not None
    assert edition.name == "without-timestamps"
    assert not plan.datasets.has_split("ml-1m", "temporal-80")
    assert plan.artifacts.absent(STUDY, "fig99") == ["ml-1m"]
    assert "fig99" not in plan.artifacts.made(STUDY)
    with pytest.raises(ValueError, match=r"fig99 cannot be made: all its data is absent \(ml-1m\)"):
        plan.artifacts.inputs(STUDY, "fig99")
    # What also reads the other experiment on this dataset is made, from that one alone.
    assert "values" in plan.artifacts.made(STUDY)
    assert list(plan.descriptions.results(STUDY, "values")["experiments"]) == ["movielens"]
    assert "temporal" not in " ".join(plan.artifacts.inputs(STUDY, "values")["ranks"])


def test_with_neither_the_figure_of_its_numbers_is_not_made(tmp_path: Path) -> None:
    put_movielens(tmp_path)
    plan = plan_of("full")
    assert "fig01" in plan.artifacts.made(STUDY)
    assert "fig18" not in plan.artifacts.made(STUDY)
    assert plan.artifacts.absent(STUDY, "fig18") == ["ml-1m"]
    assert not any("fig18" in file for file in plan.studies.all_files())


TIMESTAMPS = {
    **dict.fromkeys(("ml-1m", "netflix", "beeradvocate", "lastfm-1k"), True),
    **dict.fromkeys(("librarything", "yahoo-r3", "cm100k", "trec-qrels"), False),
}


def test_temporal_splits_are_planned_for_datasets_with_timestamps_alone() -> None:
    demo = plan_of("demo")
    for dataset, spec in demo.settings.datasets.items():
        expected = any(variant.timestamps for variant in spec.variants)
        assert demo.datasets.has_split(dataset, "temporal-80") == expected, dataset
        assert TIMESTAMPS.get(dataset, expected) == expected, dataset
    timestamps = [variant.timestamps for variant in demo.settings.datasets["ml-1m"].variants]
    assert timestamps == [True, True, False]
    full = plan_of("full", {"network": "on"})
    assert full.datasets.has_split("ml-1m", "temporal-80")
    assert full.datasets.has_split("ml-1m", "user-temporal-80")
    assert not full.datasets.has_split("ml-1m", "released-temporal")


def test_a_dataset_that_is_not_there_has_no_split_at_all() -> None:
    plan = plan_of("full")
    assert not plan.datasets.has_split("ml-1m", "random-folds")
    assert not plan.datasets.has_split("ml-1m", "released-folds")
    # The experiment keeps the split of the paper, whose absence is then told.
    assert split_of(plan, "movielens") == "released-folds"
    assert plan.artifacts.absent(STUDY, "fig01") == ["ml-1m"]
    assert "fig01" not in plan.artifacts.made(STUDY)


# --- what is told of it -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("auxiliary_files", "folds", "temporal"),
    [((), "random-folds", None), ((FOLDS, PAIRS), "released-folds", "released-temporal")],
    ids=["without the files", "with the files"],
)
def test_description_and_record_name_the_split_that_was_taken(
    tmp_path: Path, auxiliary_files: tuple[str, ...], folds: str, temporal: str | None
) -> None:
    put_movielens(tmp_path, *auxiliary_files)
    plan = plan_of("full")
    description = plan.descriptions.results(STUDY, "values")
    taken = {name: experiment["split"] for name, experiment in description["experiments"].items()}
    expected = {"movielens": folds, **({TEMPORAL: temporal} if temporal else {})}
    assert taken == expected
    read = opened(plan, STUDY, "values").experiments
    assert {name: experiment.split for name, experiment in read.items()} == expected
    record = plan.studies.description(STUDY)
    # Figure 5 reads the seeded folds in any case, without any system.
    assert list(record["splits"]) == list(dict.fromkeys([*expected.values(), "random-folds"]))
    assert record["study"]["experiments"]["movielens"]["split"] == folds
    assert record["study"]["experiments"]["movielens"]["fallback_splits"] == []
    assert [split for _, split in plan.studies.splits(STUDY)] == list(record["splits"])


def test_protocols_are_ranked_on_the_split_that_was_taken(tmp_path: Path) -> None:
    put_movielens(tmp_path, timestamps=True)
    plan = plan_of("full")
    (protocol,) = plan.experiments.protocols("ml-1m", "temporal-80", "librec-wrmf")
    assert (protocol.candidates, protocol.ties) == ("train", "librec")
    assert plan.experiments.protocols("ml-1m", "released-temporal") == []


def test_what_is_known_of_timestamps_reaches_no_job(tmp_path: Path) -> None:
    # A description that names it would run every job anew when a plan learns of it.
    put_movielens(tmp_path, timestamps=True)
    for edition in plan_of("full").datasets.description("ml-1m")["variants"]:
        assert "timestamps" not in edition
        assert {"name", "parser", "files"} <= set(edition)


def test_evaluations_and_the_released_threshold_reach_the_values(tmp_path: Path) -> None:
    YahooFiles.put_into(tmp_path / "mirror/yahoo-r3")
    put_movielens(tmp_path)
    read = opened(plan_of("full"), STUDY, "values").experiments
    assert read["yahoo"].evaluations == ("observed", "real")
    assert read["yahoo"].released_real_threshold == 3.0
    assert read["yahoo"].threshold == 4.0
    assert read["movielens"].evaluations == ("observed",)
    assert read["movielens"].released_real_threshold is None


@pytest.mark.parametrize(
    ("value", "sentence"), [([], "at least 1 item"), (["published"], "'observed' or 'real'")]
)
def test_evaluations_that_there_are_not_are_refused(value: list[str], sentence: str) -> None:
    changed = {"studies": {STUDY: {"experiments": {"movielens": {"evaluations": value}}}}}
    with pytest.raises(ValueError, match=sentence):
        plan_of("demo", changed)


def test_configuration_before_the_choice_is_untouched(tmp_path: Path) -> None:
    put_movielens(tmp_path)
    plan = plan_of("full")
    assert split_of(plan, "movielens") == "random-folds"
    configured = plan.settings.studies[STUDY].experiments["movielens"]
    assert configured.all_splits == ("released-folds", "random-folds")


@pytest.mark.parametrize("key", ["split", "fallback_splits"])
def test_an_unknown_split_is_refused_when_the_configuration_is_read(key: str) -> None:
    value: Any = "coins" if key == "split" else ["random-folds", "coins"]
    changed = {"studies": {STUDY: {"experiments": {"movielens": {key: value}}}}}
    with pytest.raises(ValueError, match=r"movielens of menamaldonado2021 names the split coins"):
        plan_of("demo", changed)


# --- figures of some of the experiments behind the numbers -------------------------------------


def test_figures_speak_only_of_the_datasets_that_they_show(tmp_path: Path) -> None:
    put_movielens(tmp_path, PAIRS)
    put_raw_files(tmp_path / "mirror", "cm100k")
    plan = plan_of("full")
    for figure, shown in {
        "fig01": ["ml-1m"],
        "fig16": ["cm100k"],
        "fig18": ["ml-1m"],
    }.items():
        assert plan.artifacts.datasets_of(STUDY, figure) == shown
        assert plan.artifacts.absent(STUDY, figure) == []
        assert plan.descriptions.display(STUDY, figure)["absence"] == absence_of([])
        assert list(plan.descriptions.display(STUDY, figure)["datasets"]) == shown
    for figure in ("fig12", "fig13", "fig14", "fig17"):
        assert plan.artifacts.absent(STUDY, figure) == ["yahoo-r3"]
        assert plan.descriptions.display(STUDY, figure)["absence"] == absence_of(["Yahoo! R3"])
    assert set(plan.artifacts.datasets_of(STUDY, "fig12")) == {"ml-1m", "yahoo-r3", "cm100k"}
    assert set(plan.artifacts.datasets_of(STUDY, "fig13")) == {"yahoo-r3", "cm100k"}


def test_figures_without_any_of_their_datasets_are_not_made(tmp_path: Path) -> None:
    put_movielens(tmp_path, PAIRS)
    made = plan_of("full").artifacts.made(STUDY)
    assert {"fig01", "fig12", "fig18", "values", "taus"} <= set(made)
    assert not {"fig13", "fig14", "fig16", "fig17"} & set(made)
    YahooFiles.put_into(tmp_path / "mirror/yahoo-r3")
    made = plan_of("full").artifacts.made(STUDY)
    assert {"fig13", "fig14", "fig17"} <= set(made)
    assert "fig16" not in made


def test_a_figure_reads_the_numbers_of_all_datasets_whatever_it_shows(tmp_path: Path) -> None:
    put_movielens(tmp_path)
    inputs = plan_of("full").artifacts.inputs(STUDY, "fig01")
    assert inputs["other_results"] == ["work/full/artifacts/menamaldonado2021/values.csv"]
    assert inputs["ranks"] == []


def test_the_display_style_has_the_systems_of_the_experiments_that_are_shown() -> None:
    plan = plan_of("full")
    shown = plan.descriptions.display(STUDY, "fig16")["systems"]
    assert list(shown) == list(
        plan.experiments.studies[STUDY].experiments["cm100k-opposed"].all_systems
    )
    assert "optimal-real" not in shown
    assert "optimal-real" in plan.descriptions.display(STUDY, "fig13")["systems"]


def test_an_unknown_experiment_to_show_is_refused_when_the_configuration_is_read() -> None:
    changed = {"studies": {STUDY: {"artifacts": {"fig01": {"only_experiments": ["films"]}}}}}
    with pytest.raises(ValueError, match="fig01 needs the experiment films, but the study has"):
        plan_of("demo", changed)
