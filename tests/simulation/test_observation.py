# SPDX-License-Identifier: MIT
from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from scipy.stats import chisquare, spearmanr

from reproduction.simulation.observation import Observation, play_counts
from reproduction.simulation.spec import Plays, TwinSpec
from reproduction.simulation.twins import Simulation

RATED = ["ml-1m", "netflix", "librarything", "beeradvocate", "yahoo-r3", "cm100k"]
TIMED = ["ml-1m", "netflix", "netflix, large", "beeradvocate", "lastfm-1k"]


@pytest.mark.costly
@pytest.mark.parametrize("dataset", RATED)
def test_every_rating_is_the_true_one(simulations: dict[str, Simulation], dataset: str) -> None:
    seen, world = simulations[dataset].observation, simulations[dataset].world
    assert (seen.values == world.ratings()[seen.users, seen.items]).all()


@pytest.mark.costly
@pytest.mark.each("name", [*RATED, "netflix, large"])
def test_sizes_are_those_asked_for_and_no_pair_is_rated_twice(
    observations: dict[str, Observation], specs: dict[str, TwinSpec], name: str
) -> None:
    seen, spec = observations[name], specs[name.partition(", ")[0]]
    pairs = seen.users.astype(np.int64) * spec.items + seen.items
    assert len(np.unique(pairs)) == len(pairs)
    by_user = np.bincount(seen.users, seen.known, minlength=spec.users)
    assert by_user.sum() == spec.activity.total
    assert by_user.min() >= spec.activity.minimum
    assert by_user.max() <= spec.activity.maximum
    assert len(np.unique(seen.items)) == spec.items


@pytest.mark.costly
@pytest.mark.parametrize("dataset", ["yahoo-r3", "cm100k"])
def test_the_random_sample_is_unbiased(
    simulations: dict[str, Simulation], specs: dict[str, TwinSpec], dataset: str
) -> None:
    simulation, sample = simulations[dataset], specs[dataset].random_sample
    seen = simulation.observation
    # In CM100k the whole table is the sample, in Yahoo! R3 the rows that nobody chose.
    rows = np.ones(len(seen), dtype=bool) if sample.holds_choices else ~seen.known
    by_user = np.bincount(seen.users[rows], minlength=simulation.world.n_users)
    assert by_user[: sample.users].min() >= sample.minimum
    assert by_user[: sample.users].max() <= sample.maximum
    assert not by_user[sample.users :].any()

    everything = simulation.world.ratings()[: sample.users]
    standard_error = everything.std() / np.sqrt(rows.sum())
    assert seen.values[rows].mean() == pytest.approx(everything.mean(), abs=4 * standard_error)
    by_item = np.bincount(seen.items[rows], minlength=simulation.world.n_items)
    assert chisquare(by_item).pvalue > 0.001


def test_choices_of_yahoo_users_are_far_from_unbiased(simulations: dict[str, Simulation]) -> None:
    seen = simulations["yahoo-r3"].observation
    positive = seen.values >= 4
    # The original: .391 and .088.
    assert positive[seen.known].mean() == pytest.approx(0.39, abs=0.03)
    assert positive[~seen.known].mean() == pytest.approx(0.088, abs=0.04)


def test_familiarity_rises_with_relevance_and_popularity(
    simulations: dict[str, Simulation],
) -> None:
    simulation = simulations["cm100k"]
    seen = simulation.observation
    by_rating = [seen.known[seen.values == rating].mean() for rating in (1, 2, 3, 4)]
    assert by_rating == sorted(by_rating)
    # The original: .632 of the known tracks are relevant, .286 of all, and .112 are known.
    assert (seen.values[seen.known] >= 3).mean() == pytest.approx(0.632, abs=0.05)
    assert (seen.values >= 3).mean() == pytest.approx(0.286, abs=0.02)
    assert seen.known.mean() == pytest.approx(0.112, abs=0.005)
    known_share = np.bincount(seen.items, seen.known) / np.bincount(seen.items)
    mean_exposure = simulation.world.exposure.mean(axis=0)
    assert spearmanr(known_share, mean_exposure).statistic > 0.6


@pytest.mark.costly
def test_plays_grow_with_preference(
    simulations: dict[str, Simulation], specs: dict[str, TwinSpec]
) -> None:
    simulation = simulations["lastfm-1k"]
    seen, world = simulation.observation, simulation.world
    plays = np.zeros(world.relevance.shape, dtype=np.int64)
    np.add.at(plays, (seen.users, seen.items), 1)
    heard = plays > 0
    assert (plays[heard] == world.relevance[heard]).all()
    assert spearmanr(plays[heard], world.affinity[heard]).statistic > 0.9
    assert heard.sum() == specs["lastfm-1k"].activity.total
    assert 40_000 < len(seen) < 60_000
    wide = Plays(mean=200, spread=2, fade_days=60)
    assert play_counts(np.array([1e6]), np.arange(100_000), wide).tolist() == [32_767]


@pytest.mark.costly
@pytest.mark.each("name", TIMED)
def test_everything_happens_within_the_period(
    observations: dict[str, Observation], specs: dict[str, TwinSpec], name: str
) -> None:
    period, times = specs[name.partition(", ")[0]].period, observations[name].timestamps
    first, last = (datetime.fromtimestamp(int(t), UTC) for t in (times.min(), times.max()))
    assert period.start <= first.date()
    assert last.date() < period.end
    # The data spans most of its period and has no pile at the end.
    assert (last - first).days > 0.8 * (period.end - period.start).days
    assert np.unique(times, return_counts=True)[1].max() <= 10


@pytest.mark.costly
def test_users_arrive_over_time(simulations: dict[str, Simulation]) -> None:
    seen = simulations["ml-1m"].observation
    newest = seen.timestamps >= np.quantile(seen.timestamps, 0.8)
    test_users = np.unique(seen.users[newest])
    with_training = np.isin(test_users, seen.users[~newest]).mean()
    # The original: 1,143 of 1,783 test users (.64) have training ratings.
    assert 0.3 < with_training < 0.9


@pytest.mark.costly
def test_items_appear_over_time(
    simulations: dict[str, Simulation], specs: dict[str, TwinSpec]
) -> None:
    seen, period = simulations["netflix"].observation, specs["netflix"].period
    first = np.full(specs["netflix"].items, np.iinfo(np.int64).max)
    np.minimum.at(first, seen.items, seen.timestamps)
    popular = np.bincount(seen.items) >= 100
    start = datetime.combine(period.start, datetime.min.time(), UTC).timestamp()
    end = datetime.combine(period.end, datetime.min.time(), UTC).timestamp()
    late = (first[popular] > start + 0.5 * (end - start)).mean()
    # Half of the items are there from the start, the others are spread over the period.
    assert 0.1 < late < 0.4


@pytest.mark.costly
def test_ratings_come_in_sessions(simulations: dict[str, Simulation]) -> None:
    seen = simulations["ml-1m"].observation
    order = np.lexsort((seen.timestamps, seen.users))
    same_user = np.diff(seen.users[order]) == 0
    gaps = np.diff(seen.timestamps[order])[same_user]
    assert (gaps <= 60).mean() > 0.5
    assert (gaps >= 86_400).mean() > 0.01


def test_most_listeners_discover_relevant_artists_in_their_last_plays(
    simulations: dict[str, Simulation],
) -> None:
    simulation = simulations["lastfm-1k"]
    seen, shape = simulation.observation, simulation.world.relevance.shape
    order = np.lexsort((seen.timestamps, seen.users))
    counts = np.bincount(seen.users)
    position = np.arange(len(seen)) - np.repeat(np.cumsum(counts) - counts, counts)
    late = np.zeros(len(seen), dtype=bool)
    late[order] = position >= 0.8 * counts[seen.users[order]]
    train, test = np.zeros(shape, dtype=int), np.zeros(shape, dtype=int)
    np.add.at(train, (seen.users[~late], seen.items[~late]), 1)
    np.add.at(test, (seen.users[late], seen.items[late]), 1)
    relevant_and_new = (test > 2) & (train == 0)
    assert relevant_and_new.any(axis=1).mean() > 0.8
