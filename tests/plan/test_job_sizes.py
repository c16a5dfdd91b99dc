# SPDX-License-Identifier: MIT
"""What the workflow's jobs ask a cluster for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan.planned import demo, full_with, plan_of, put_raw_files

from reproduction.workflow.plan.job_sizes import ITEM_PAIRS, MEDIUM, SMALL, SMALL_DATA, job_size

RATINGS = st.integers(0, 10**9)


@pytest.mark.costly
@given(RATINGS, RATINGS, st.booleans())
def test_more_ratings_never_ask_for_less(one: int, other: int, demanding: bool) -> None:
    less, more = (job_size(n, demanding=demanding) for n in sorted((one, other)))
    assert less.megabytes <= more.megabytes
    assert less.minutes <= more.minutes
    assert less.shares >= more.shares


@given(RATINGS, st.booleans())
def test_every_attempt_asks_for_more(ratings: int, demanding: bool) -> None:
    size = job_size(ratings, demanding=demanding)
    assert size.memory(1) < size.memory(2) < size.memory(3)
    assert size.runtime(1) < size.runtime(2) < size.runtime(3)


@pytest.mark.each(
    ("millions", "gibibytes"), [(3, 0.57), (10, 1.11), (30, 2.72), (100.480507, 8.19)]
)
def test_a_first_attempt_has_the_memory_that_was_measured(
    millions: float, gibibytes: float
) -> None:
    # The docstring of job_size.
    asked = job_size(round(millions * 10**6)).memory(1)
    assert gibibytes * 1.074e3 < asked < 2.2 * gibibytes * 1.074e3


def test_only_small_jobs_share() -> None:
    assert job_size(SMALL_DATA).group("split") == "split"
    assert job_size(SMALL_DATA + 1).group("split") is None
    assert job_size(1, demanding=True).group("split") is None


def test_every_job_of_the_demo_is_small() -> None:
    plan = demo()
    assert plan.sizes.of("netflix", demanding=True) == SMALL
    assert plan.sizes.artifact("multiverse", "pairs") == SMALL
    assert plan.sizes.shard("netflix", 9, 9) == plan.sizes.joined("netflix") == SMALL


def test_jobs_of_the_full_edition_are_as_large_as_their_data() -> None:
    plan = full_with("ml-1m", "lastfm-1k")
    assert plan.sizes.of() == plan.sizes.of("ml-1m") == SMALL
    assert plan.sizes.of("ml-1m", "lastfm-1k").minutes > 60
    # Drawn from the universes' numbers, which are few; they themselves hold a grid of decisions.
    assert plan.sizes.artifact("multiverse", "shares") == SMALL
    assert plan.sizes.artifact("multiverse", "universes") == MEDIUM
    assert plan.sizes.judgment_sampling("valcarce2018", "sparsity") == MEDIUM
    simulation = next(iter(plan.settings.simulations))
    assert plan.sizes.simulation(simulation).shares is False


def test_jobs_on_many_items_ask_for_what_pairs_of_items_take() -> None:
    put_raw_files("ml-1m", "librarything", "lastfm-1k")
    sizes = plan_of("full").sizes
    assert sizes.of("librarything") == sizes.of("ml-1m", "librarything") == ITEM_PAIRS
    # A shard that is a fold compares all items.
    assert sizes.shard("librarything", 5, 5) == ITEM_PAIRS
    # What joins ranks sees no items.
    assert sizes.joined("librarything") == SMALL
    assert sizes.of("ml-1m") == SMALL
    # More data never ask for less.
    both = sizes.of("lastfm-1k", "librarything")
    assert both.megabytes == max(sizes.of(own).megabytes for own in ("lastfm-1k", "librarything"))
    assert both.minutes == max(sizes.of(own).minutes for own in ("lastfm-1k", "librarything"))


def test_data_that_cannot_be_had_does_not_count() -> None:
    put_raw_files("ml-1m")
    assert plan_of("full").sizes.of("ml-1m", "netflix") == SMALL


def test_no_group_of_a_study_waits_for_itself() -> None:
    # Numbers in a group, others outside that read them, and yet others in it that read those:
    # Snakemake would refuse. What reads the numbers of others is small, so it is in the group.
    plan = plan_of("full", {"leave_out": []})
    for study, spec in plan.settings.studies.items():
        for name, artifact in spec.artifacts.items():
            assert not artifact.results_of or plan.sizes.artifact(study, name).shares, name
