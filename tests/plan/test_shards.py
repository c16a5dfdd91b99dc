# SPDX-License-Identifier: MIT
"""Which systems are shared out by shards of folds and users, and what the plan says of them."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan.planned import demo, plan_of, put_raw_files

from reproduction.workflow.plan.job_sizes import (
    FITTED_BY_USERS,
    SMALL,
    SMALL_DATA,
    job_size,
    joined_ranks,
    shard_size,
)

NETFLIX = ("netflix", "random-80", "knn-user-1000")
RATIOS = ("netflix", "nine-ratios", "knn-user-1000")
TRAIN_RATIOS = [n / 10 for n in range(1, 10)]
WITH_RATIOS = {"splits": {"nine-ratios": {"kind": "random-ratio", "train_ratio": TRAIN_RATIOS}}}


def test_the_plan_knows_which_classes_fit_some_users() -> None:
    named = {system.recommender for system in plan_of("full").settings.systems.values()}
    for recommender in named:
        module, _, name = recommender.partition(":")
        fits = getattr(import_module(module), name).FITS_SOME_USERS
        assert fits == (recommender in FITTED_BY_USERS), recommender


@pytest.mark.parametrize("asked", ["auto", "folds"])
def test_unless_a_number_is_asked_for_only_much_data_has_shards(asked: str) -> None:
    full, demo = (plan_of(e, {**WITH_RATIOS, "shards": asked}).shards for e in ("full", "demo"))
    several = {
        dataset
        for dataset in full.settings.datasets
        for split in ("random-80", "nine-ratios")
        for system in full.settings.systems
        if full.number(dataset, split, system) > 1
    }
    assert several == {"netflix"}
    assert demo.number(*RATIOS) == 1


def test_unless_told_users_of_neighbourhoods_alone_are_divided() -> None:
    shards = plan_of("full", WITH_RATIOS).shards
    systems = shards.settings.systems
    numbers = {
        systems[name].recommender: tuple(
            shards.number("netflix", split, name) for split in ("random-80", "nine-ratios")
        )
        for name in systems
    }
    divided = {recommender for recommender, number in numbers.items() if number == (8, 9)}
    assert divided == FITTED_BY_USERS
    assert {number for name, number in numbers.items() if name not in divided} == {(1, 9)}


@pytest.mark.parametrize(("asked", "numbers"), [(3, (3, 3)), ({"netflix": 20}, (20, 1))])
def test_a_number_is_of_all_systems_on_all_datasets_or_on_those_named(
    asked: object, numbers: tuple[int, int]
) -> None:
    shards = plan_of("full", {"shards": asked}).shards
    for system in ("knn-user", "pop"):
        found = tuple(
            shards.number(dataset, "random-80", system) for dataset in ("netflix", "ml-1m")
        )
        assert found == numbers


@pytest.mark.parametrize(("n_ratios", "number"), [(1, 8), (4, 8), (5, 5), (9, 9)])
def test_unless_told_folds_are_shards_where_the_users_of_all_cannot_be_divided(
    n_ratios: int, number: int
) -> None:
    ratios = {"kind": "random-ratio", "train_ratio": TRAIN_RATIOS[:n_ratios]}
    shards = plan_of("full", {"splits": {"nine-ratios": ratios}}).shards
    assert shards.number(*RATIOS) == number


@pytest.mark.parametrize("asked", ["folds", {"netflix": "folds"}])
def test_with_folds_no_users_are_divided(asked: object) -> None:
    shards = plan_of("full", {**WITH_RATIOS, "shards": asked}).shards
    assert (shards.number(*NETFLIX), shards.number(*RATIOS)) == (1, 9)
    others = [("ml-1m", *RATIOS[1:]), (*RATIOS[:2], "ranksys-mf")]
    assert [shards.number(*one) for one in others] == [1, 9]
    joined = joined_ranks([shards])
    found = [bool(re.match(joined, f"full/{'/'.join(one)}/ranks.npz")) for one in (NETFLIX, RATIOS)]
    assert found == [False, True]


def test_a_shard_of_users_trains_where_the_class_can_and_nobody_reads_the_models() -> None:
    plan = plan_of("full", {"shards": 4})
    assert plan.shards.models("ml-1m", "s", "knn-user-3") == []
    assert plan.shards.models("ml-1m", "s", "pop") == ["work/full/ml-1m/s/pop/models"]
    read = [
        (study.experiments[name].dataset, system)
        for study in plan.settings.studies.values()
        for artifact in study.artifacts.values()
        if artifact.reads_models
        for name in artifact.experiments
        for system in study.experiments[name].all_systems
    ]
    assert read
    assert not any(plan.shards.is_fitted_by_shard(d, "s", system) for d, system in read)


@pytest.mark.parametrize(("number", "trains"), [(4, True), (9, True), (10, False)])
def test_a_shard_of_whole_folds_trains_whatever_the_class(number: int, trains: bool) -> None:
    shards = plan_of("full", {**WITH_RATIOS, "shards": number}).shards
    assert shards.is_fitted_by_shard("netflix", "nine-ratios", "ranksys-mf") == trains


def test_a_system_that_meets_users_by_appearance_is_fitted_for_all_of_a_fold() -> None:
    changes = {**WITH_RATIOS, "shards": 4, "systems": {"knn-user-3": {"order": "appearance"}}}
    shards = plan_of("full", changes).shards
    assert not shards.is_fitted_by_shard("ml-1m", "s", "knn-user-3")
    assert shards.is_fitted_by_shard("ml-1m", "nine-ratios", "knn-user-3")


@pytest.mark.costly
def test_records_do_not_depend_on_how_systems_are_shared_out() -> None:
    one, eight = (plan_of("demo", {"shards": number}) for number in (1, 8))
    for study in ("bellogin2017", "canamares2020"):
        assert one.code_digests.of_study(study) == eight.code_digests.of_study(study)
        assert one.studies.description(study) == eight.studies.description(study)


def test_files_of_shards_have_their_number_and_the_count() -> None:
    shards = plan_of("demo", {"shards": 10}).shards
    files = shards.files("ml-1m", "s", "pop")
    assert files[9] == "work/demo/ml-1m/s/pop/shards/10-of-10.npz"
    assert [shards.position(Path(file).stem) for file in files] == [(n, 10) for n in range(1, 11)]


@pytest.mark.costly
def test_ranks_are_joined_of_what_has_shards_and_of_its_replications() -> None:
    joined = joined_ranks(plan_of(edition).shards for edition in ("demo", "full"))
    for run in ("full", "full-r01", "full-s1-t2-c3"):
        assert re.match(joined, f"{run}/netflix/random-50/knn-user-1000/ranks.npz")
    for path in (
        "demo/netflix/random-50/knn-user-1000/ranks.npz",
        "full/netflix/random-50/pop/ranks.npz",
        "full/ml-1m/random-50/knn-user-1000/ranks.npz",
        "full/netflix/random-50/knn-user-1000/search.csv",
    ):
        assert not re.match(joined, path)
    assert not re.match(joined_ranks([demo().shards]), "demo/ml-1m/s/pop/ranks.npz")


def test_what_other_divisions_have_left_is_stale() -> None:
    shards = plan_of("demo", {"shards": {"ml-1m": 8}}).shards
    kept = {"ml-1m/s/pop/shards/3-of-8.npz", "ml-1m/s/pop/ranks.npz"}
    stale = {
        "ml-1m/s/pop/shards/3-of-4.npz",
        "ml-1m/s/no-system/shards/3-of-8.npz",
        "netflix/s/pop/shards/1-of-8.npz",
        "nowhere/s/pop/shards/1-of-8.npz",
    }
    for name in (*kept, *stale):
        path = Path("work/demo", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert {path.as_posix() for path in shards.stale_files()} == {f"work/demo/{n}" for n in stale}


@given(st.integers(0, 10**9), st.integers(1, 64), st.integers(1, 64), st.integers(1, 9))
def test_more_shards_never_ask_for_more_each(
    ratings: int, one: int, other: int, folds: int
) -> None:
    more, less = (shard_size(ratings, number, folds) for number in sorted((one, other)))
    assert less.megabytes <= more.megabytes <= job_size(ratings).megabytes
    assert less.minutes <= more.minutes <= job_size(ratings).minutes


def test_a_shard_that_is_a_fold_has_its_part_of_the_time_and_the_memory_of_the_whole() -> None:
    whole, fold = job_size(10**8), shard_size(10**8, 9, folds=9)
    assert fold.megabytes == whole.megabytes
    assert fold.minutes == SMALL.minutes + -(-(whole.minutes - SMALL.minutes) // 9)


def test_a_shard_of_small_data_is_a_small_job_and_one_of_large_data_less_than_the_whole() -> None:
    assert shard_size(SMALL_DATA, 8) == SMALL
    put_raw_files("lastfm-1k")
    plan = plan_of("full", {"shards": 8})
    whole, shard = (
        plan.sizes.of("lastfm-1k"),
        plan.shards.size("lastfm-1k", "random-80", "knn-user"),
    )
    joined = plan.sizes.joined("lastfm-1k")
    assert joined.megabytes < shard.megabytes < whole.megabytes
    assert shard.minutes < whole.minutes / 3
    assert not shard.shares
    assert plan.sizes.joined("ml-1m") == SMALL
