# SPDX-License-Identifier: MIT
"""A dataset without an original is generated in every edition, others in the demo alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.planned import demo, plan_of, put_raw_files

GENERATED = "dated-twin"
DATED = ["random-folds", "user-temporal-80", "leave-last-out", "temporal-80"]


def test_the_full_edition_has_it_without_files_and_network() -> None:
    full = plan_of("full").datasets
    assert full.is_available(GENERATED)
    assert [name for name in full.settings.datasets if full.is_generated(name)] == [GENERATED]
    assert full.note().startswith("Full edition: generated dated-twin.")


def test_the_demo_generates_all() -> None:
    datasets = demo().datasets
    assert all(datasets.is_generated(name) for name in datasets.settings.datasets)
    assert datasets.note().splitlines()[0].endswith("; generated dated-twin. Without trec-qrels.")


@pytest.mark.parametrize("edition", ["demo", "full"])
def test_it_can_be_split_by_time(edition: str) -> None:
    datasets = plan_of(edition).datasets
    assert all(datasets.has_split(GENERATED, split) for split in DATED)


def test_it_may_be_left_out() -> None:
    assert not plan_of("full", {"leave_out": [GENERATED]}).datasets.is_available(GENERATED)


def test_its_title_is_the_same_in_both_editions_and_no_twin_is_named() -> None:
    put_raw_files("ml-1m")
    titles = [
        plan_of(edition).descriptions.display("followups", "time_leaks")["datasets"]
        for edition in ("demo", "full")
    ]
    assert [each[GENERATED] for each in titles] == ["Generated ratings"] * 2
    assert [each["ml-1m"] for each in titles] == ["ML-1M twin", "ML-1M"]
    for edition, own in zip(("demo", "full"), titles, strict=True):
        assert own.items() <= plan_of(edition).site.dataset_titles().items()
    assert "Generated ratings" not in demo().studies.page("followups")["datasets"]


def test_how_it_was_generated_is_recorded_in_both_editions() -> None:
    for edition, users in (("demo", 600), ("full", 2000)):
        recorded = plan_of(edition).studies.description("followups")["twins"]
        assert recorded[GENERATED]["users"] == users


def test_timestamps_of_movielens_add_its_splits(tmp_path: Path) -> None:
    put_raw_files("ml-1m")
    names = ("movielens-newest-of-users", "movielens-last-of-users", "movielens-newest")
    without = plan_of("full").descriptions.results("followups", "time_orders")["experiments"]
    assert not set(names) & set(without)
    with (tmp_path / "mirror/ml-1m/ratings.dat").open("wb") as file:
        file.truncate(24_594_131)
    plan = plan_of("full").descriptions.results("followups", "time_orders")["experiments"]
    assert [plan[name]["split"] for name in names] == DATED[1:]
