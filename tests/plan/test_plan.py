# SPDX-License-Identifier: MIT
"""What a plan makes from the data that is there, and from which files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from plan.planned import MIRROR, ROOT, demo, full_with, plan_of, put_movielens, put_raw_files

from receval.data import ratings
from receval.data.ratings import table_folder
from receval.protocols.protocol import Protocol
from receval.storage.files import sha256_of
from reproduction.workflow.plan import datasets as planned_datasets

EXPERIMENT: dict[str, Any] = {
    "dataset": "ml-1m",
    "split": "coin-flip-80",
    "systems": ["pop", "random"],
    "protocols": [{"relevant": "AR", "candidates": "AI"}],
}


def with_experiment(study: str, **changes: Any) -> dict[str, Any]:
    """Return overrides that give a study one experiment more, read by one figure more."""
    return {
        "studies": {
            study: {
                "experiments": {"added": {**EXPERIMENT, **changes}},
                "artifacts": {
                    "fig99": {
                        "kind": "figure",
                        "reading": "A bar.",
                        "shows": ["B-002"],
                        "title": "Added",
                        "caption": "Added.",
                        "experiments": ["added"],
                    }
                },
            }
        }
    }


# --- what can be made -------------------------------------------------------------------------


def test_the_demo_makes_every_artifact_without_raw_files_and_a_mirror() -> None:
    put_raw_files("ml-1m")
    plan = plan_of("demo")
    assert plan.studies.artifact_names() == plan.studies.all_artifact_names()
    assert len(plan.studies.artifact_names()) == len(set(plan.studies.artifact_names())) >= 11
    absent = {name for study in plan.settings.studies for name in plan.studies.absent(study)}
    # Judgments of search results, which no twin of ratings stands for.
    assert absent == {"trec-qrels"}
    files = plan.artifacts.inputs("bellogin2017", "fig02")
    assert all(path.startswith("work/demo/") for paths in files.values() for path in paths)


def test_an_artifact_without_any_data_is_left_out_and_cannot_be_asked_for() -> None:
    plan = plan_of("full")
    assert plan.artifacts.made("bellogin2017") == ["table1", "table2", "table3", "fig01"]
    assert plan.artifacts.made("valcarce2018") == ["table1"]
    assert plan.artifacts.made("canamares2020") == []
    assert "work/full/artifacts/canamares2020/fig01.csv" not in plan.studies.all_files()
    with pytest.raises(ValueError, match=r"fig02 cannot be made.*\(ml-1m, lastfm-1k\)"):
        plan.artifacts.inputs("bellogin2017", "fig02")


def test_an_artifact_with_a_part_of_its_data_is_made_from_that_part() -> None:
    plan = full_with("ml-1m")
    assert plan.artifacts.absent("bellogin2017", "fig02") == ["lastfm-1k"]
    files = plan.artifacts.inputs("bellogin2017", "fig02")
    assert files["splits"] == ["work/full/ml-1m/coin-flip-80/split.npz"]
    assert files["ratings"] == [
        f"work/full/ml-1m/{name}" for name in ("ratings.parquet", "users.parquet", "items.parquet")
    ]
    systems = ("plsa", "mf", "knn-centred", "pop", "random", "knn-user", "wrmf")
    assert files["ranks"] == [f"work/full/ml-1m/coin-flip-80/{s}/ranks.npz" for s in systems]
    description = plan.descriptions.results("bellogin2017", "fig02")
    assert list(description["experiments"]) == ["movielens"]
    assert description["datasets"] == ["ml-1m"]
    assert description["absent"] == ["lastfm-1k"]


def test_a_dataset_that_is_left_out_is_absent_although_it_is_there() -> None:
    put_raw_files("ml-1m", "lastfm-1k")
    assert plan_of("full").artifacts.absent("bellogin2017", "fig02") == []
    plan = plan_of("full", {"leave_out": ["ml-1m"]})
    assert plan.artifacts.absent("bellogin2017", "fig02") == ["ml-1m"]
    assert "fig07" not in plan.artifacts.made("bellogin2017")
    assert "Left out by the configuration: ml-1m." in plan.datasets.table()
    demo = plan_of("demo", {"leave_out": ["ml-1m"]})
    assert demo.artifacts.absent("bellogin2017", "fig02") == ["ml-1m"]


def test_with_the_network_what_can_be_downloaded_is_planned() -> None:
    plan = plan_of("full", {"network": "on"})
    assert plan.studies.absent("valcarce2018") == ["librarything"]
    assert plan.studies.absent("menamaldonado2021") == ["yahoo-r3"]
    assert plan.studies.absent("bellogin2017") == ["trec-qrels"]
    assert plan.datasets.local_checksums("ml-1m") == {}


@pytest.mark.costly
def test_raw_files_that_are_there_are_watched_by_what_is_in_them() -> None:
    put_movielens("temporal_test.tsv")
    file = MIRROR / "ml-1m" / "temporal_test.tsv"
    before = plan_of("full").datasets.local_checksums("ml-1m")
    assert before == {
        f"mirror/ml-1m/{name}": sha256_of(MIRROR / "ml-1m" / name)
        for name in ("ratings.dat", file.name)
    }
    # A file that is only touched is the same.
    os.utime(file, (1, 1))
    assert plan_of("full").datasets.local_checksums("ml-1m") == before
    file.write_text("1\t2\n")
    after = plan_of("full").datasets.local_checksums("ml-1m")
    assert {path for path in after if after[path] != before[path]} == {f"mirror/ml-1m/{file.name}"}


def test_where_raw_files_may_come_from_is_told_as_the_configuration_has_it() -> None:
    assert plan_of("full").datasets.sources() == {
        "raw_folder": Path("work/raw"),
        "local_mirrors": ["mirror"],
        "network": False,
    }


def test_an_unknown_artifact_is_refused_with_those_there_are() -> None:
    with pytest.raises(KeyError, match=r"has no artifact fig99. Its artifacts are table1, table2"):
        demo().artifacts.files("valcarce2018", "fig99")


def test_the_table_of_datasets_has_all_of_them_and_how_to_get_the_absent() -> None:
    plan = plan_of("full")
    table = plan.datasets.table()
    assert all(name in table for name in plan.settings.datasets)
    assert "UI2.txt" in table
    assert "the network is off" in " ".join(table.split())
    generated = demo().datasets.table()
    assert generated.count("synthetic twin") == len(plan.settings.twins) - 1
    assert "trec-qrels     none" in generated
    assert "dated-twin     generated" in generated


# --- protocols --------------------------------------------------------------------------------


def test_protocols_of_a_split_are_those_of_all_studies_together() -> None:
    alone = demo().experiments.protocols("ml-1m", "coin-flip-80")
    experiment = demo().settings.studies["bellogin2017"].experiments["movielens-designs"]
    designs = {p for spec in experiment.protocols for p in spec.protocols(5.0)}
    assert set(alone) == {
        Protocol("AR", "TI"),
        Protocol("AR", "AI"),
        *(Protocol(kind, "TI", n, 5.0) for kind in ("1R", "AR") for n in range(99, 500, 100)),
        *designs,
    }
    more = {"protocols": [{"relevant": "1R", "candidates": "TI", "sampled": [99, 500]}]}
    both = plan_of("demo", with_experiment("valcarce2018", **more))
    together = both.experiments.protocols("ml-1m", "coin-flip-80")
    # The study's own threshold is the dataset's, 4; the same samples from 5 are other protocols.
    assert set(together) == {*alone, Protocol("1R", "TI", 99, 4.0), Protocol("1R", "TI", 500, 4.0)}
    assert [p.key for p in together] == sorted(p.key for p in together)


def test_a_system_is_ranked_under_the_protocols_of_its_own_experiments_alone() -> None:
    # The multiverse shares a split with the study of metrics, whose systems are others.
    protocols = plan_of("full").experiments.protocols
    found = {
        system: sorted(protocol.candidates for protocol in protocols("ml-1m", "user-80", system))
        for system in ("pop", "rm2")
    }
    assert found == {"pop": ["AI", *["rated"] * 4], "rm2": ["AI"]}
    assert len(protocols("ml-1m", "user-80")) == 5


def test_an_experiment_that_no_artifact_reads_is_not_run() -> None:
    change = with_experiment(
        "canamares2020", split="random-folds", protocols=[{"candidates": "TI"}]
    )
    added = Protocol("AR", "TI")
    assert added in plan_of("demo", change).experiments.protocols("ml-1m", "random-folds")
    del change["studies"]["canamares2020"]["artifacts"]
    assert added not in plan_of("demo", change).experiments.protocols("ml-1m", "random-folds")


def test_the_threshold_is_the_experiment_s_or_the_dataset_s() -> None:
    plan = plan_of("demo", with_experiment("valcarce2018"))
    studies = plan.settings.studies
    assert plan.experiments.threshold(studies["bellogin2017"].experiments["movielens"]) == 5
    assert plan.experiments.threshold(studies["valcarce2018"].experiments["added"]) == 4
    description = plan.descriptions.results("valcarce2018", "fig99")
    assert description["experiments"]["added"]["threshold"] == 4


# --- files ------------------------------------------------------------------------------------


def test_files_of_figures_and_tables() -> None:
    plan = demo()
    stem = "work/demo/artifacts/bellogin2017/"
    assert plan.artifacts.files("bellogin2017", "fig02") == [
        f"{stem}fig02.{suffix}" for suffix in ("csv", "svg")
    ]
    assert plan.artifacts.files("bellogin2017", "table1") == [
        f"{stem}table1.{suffix}" for suffix in ("csv", "md", "tex")
    ]
    files = plan.studies.all_files()
    assert set(plan.studies.files("bellogin2017")) < set(files)
    assert f"{stem}provenance.json" in files
    assert files[-1] == "work/demo/drift.md"
    assert len(files) == len(set(files))


def test_every_path_is_relative_and_fits_the_workflow_s_wildcards() -> None:
    put_raw_files("ml-1m", "lastfm-1k", "cm100k", "librarything")
    for edition in ("demo", "full"):
        plan = plan_of(edition)
        paths = plan.studies.all_files()
        for study in plan.settings.studies:
            for artifact in plan.artifacts.made(study):
                inputs = plan.artifacts.inputs(study, artifact)
                for path in inputs.pop("published"):
                    assert (ROOT / path).is_file()
                for files in inputs.values():
                    paths += files
        assert all(path.startswith(f"work/{edition}/") for path in paths)
        assert max(path.count("/") for path in paths) <= 5


def test_the_files_of_a_table_are_those_that_ratings_are_read_from() -> None:
    # A plan spells them out, as it does without the libraries that read them.
    assert planned_datasets.TABLE_FILES == ratings.TABLE_FILES
    read = table_folder([Path(path) for path in demo().datasets.ratings_files("ml-1m")])
    assert read == Path("work/demo/ml-1m")


def test_accepted_files_are_those_of_the_edition(tmp_path: Path) -> None:
    for name in ("demo/valcarce2018/table2.csv", "full/valcarce2018/table1.csv"):
        (tmp_path / "results" / name).parent.mkdir(parents=True)
        (tmp_path / "results" / name).touch()
    assert demo().accepted.files() == ["results/demo/valcarce2018/table2.csv"]


def test_a_dataset_may_be_on_one_side_alone_only_where_the_other_cannot_have_it(
    tmp_path: Path,
) -> None:
    put_raw_files("ml-1m", "cm100k")
    full = plan_of("full")
    there = ("ml-1m", "cm100k", "dated-twin")
    absent = [name for name in full.settings.datasets if name not in there]
    assert full.accepted.one_sided_datasets() == absent
    assert demo().accepted.one_sided_datasets() == ["trec-qrels"]
    record = tmp_path / "results/full/menamaldonado2021/provenance.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"absent": ["cm100k"]}')
    assert full.accepted.absent("menamaldonado2021") == ["cm100k"]
    assert full.accepted.one_sided_datasets() == sorted(
        [*absent, "cm100k"], key=list(full.settings.datasets).index
    )
