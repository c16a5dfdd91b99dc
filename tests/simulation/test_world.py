# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from receval.seeds import gumbel_noise
from receval.statistics.inequality import gini
from reproduction.simulation.observation import (
    Observation,
    draw_activity,
    draw_random_sample,
    generate_world,
    sample_items,
)
from reproduction.simulation.spec import Activity, RandomSample, TwinSpec
from reproduction.simulation.twins import Simulation, simulate

ITEM_GINI_OF_ORIGINAL = {
    "ml-1m": 0.634,
    "librarything": 0.581,
    "beeradvocate": 0.865,
    "cm100k": 0.518,
}
RATING_TWINS = ["ml-1m", "netflix", "librarything", "beeradvocate", "yahoo-r3", "cm100k"]


def changed(spec: TwinSpec, **parts: dict[str, object]) -> TwinSpec:
    content = spec.model_dump()
    for part, values in parts.items():
        content[part] |= values
    return TwinSpec.model_validate(content)


def chosen(simulation: Simulation) -> tuple[np.ndarray, np.ndarray]:
    """Distinct pairs that users chose themselves."""
    seen = simulation.observation
    rows = slice(None) if seen.known is None else seen.known
    mask = np.zeros(simulation.world.relevance.shape, dtype=bool)
    mask[seen.users[rows], seen.items[rows]] = True
    users, items = np.nonzero(mask)
    return users, items


def within_item_surplus(simulation: Simulation) -> float:
    """Mean over items of observed minus complete mean affinity, weighted by observations."""
    users, items = chosen(simulation)
    affinity = simulation.world.affinity
    return float((affinity[users, items] - affinity.mean(axis=0)[items]).mean())


@given(st.integers(1, 40), st.integers(0, 10), st.integers(1, 30), st.floats(0, 2), st.floats(0, 1))
def test_activity_keeps_its_total_and_its_bounds(
    users: int, minimum: int, room: int, spread: float, fill: float
) -> None:
    total = max(1, users * minimum + round(fill * users * room))
    activity = Activity(total=total, minimum=minimum, maximum=minimum + room, spread=spread)
    counts = draw_activity(activity, users, np.random.default_rng(0))
    assert counts.sum() == total
    assert counts.min() >= minimum
    assert counts.max() <= minimum + room


@pytest.mark.costly
def test_shares_of_variance_are_those_asked_for(specs: dict[str, TwinSpec]) -> None:
    spec = changed(
        specs["ml-1m"],
        preferences={"factors": 400, "taste": 0.0, "quality": 0.3, "leniency": 0.2},
    )
    affinity = generate_world(spec, np.random.default_rng(5)).affinity
    assert affinity.mean(axis=0).var() == pytest.approx(0.3, abs=0.05)
    assert affinity.mean(axis=1).var() == pytest.approx(0.2, abs=0.05)
    assert affinity.var() == pytest.approx(1.0, abs=0.1)


@pytest.mark.costly
def test_taste_lies_in_as_many_dimensions_as_there_are_factors(specs: dict[str, TwinSpec]) -> None:
    spec = changed(
        specs["ml-1m"], preferences={"factors": 3, "taste": 1.0, "quality": 0.0, "leniency": 0.0}
    )
    affinity = generate_world(spec, np.random.default_rng(5)).affinity
    assert np.linalg.matrix_rank(affinity[:60, :60], tol=1e-8) == 3


@pytest.mark.costly
def test_the_shares_of_the_factors_fall_as_the_decay_says(specs: dict[str, TwinSpec]) -> None:
    pure = {"factors": 4, "taste": 1.0, "quality": 0.0, "leniency": 0.0}

    def shares(decay: float) -> np.ndarray:
        spec = changed(specs["ml-1m"], preferences={**pure, "decay": decay})
        affinity = generate_world(spec, np.random.default_rng(5)).affinity
        assert affinity.var() == pytest.approx(1.0, abs=0.15)
        # The squares of the largest singular values.
        variances = np.linalg.eigvalsh(affinity @ affinity.T)[:-5:-1]
        return variances / variances.sum()

    assert shares(0.0) == pytest.approx(np.full(4, 1 / 4), abs=0.08)
    assert shares(1.0) == pytest.approx(np.array([12, 6, 4, 3]) / 25, abs=0.08)


@pytest.mark.costly
@pytest.mark.each("dataset", [*RATING_TWINS, "lastfm-1k"])
def test_relevance_is_complete_and_rises_with_affinity(
    simulations: dict[str, Simulation], specs: dict[str, TwinSpec], dataset: str
) -> None:
    world, spec = simulations[dataset].world, specs[dataset]
    assert world.relevance.shape == (spec.users, spec.items)
    by_affinity = world.relevance.ravel()[np.argsort(world.affinity, axis=None)]
    assert (np.diff(by_affinity) >= 0).all()
    if spec.scale is not None:
        assert set(np.unique(world.ratings())) <= set(spec.scale.marginal)
    else:
        assert world.relevance.min() >= 1


@pytest.mark.each("name", [*RATING_TWINS, "netflix, large"])
@pytest.mark.costly
def test_observed_ratings_are_distributed_as_in_the_original(
    observations: dict[str, Observation], specs: dict[str, TwinSpec], name: str
) -> None:
    marginal = specs[name.partition(", ")[0]].scale.marginal
    seen = observations[name]
    # In CM100k the printed distribution is that of the random sample.
    rows = seen.known if name == "yahoo-r3" else slice(None)
    assert set(seen.values[rows].tolist()) <= set(marginal)
    total = sum(marginal.values())
    for rating, count in marginal.items():
        assert (seen.values[rows] == rating).mean() == pytest.approx(count / total, abs=0.015)


@pytest.mark.parametrize("dataset", ITEM_GINI_OF_ORIGINAL)
@pytest.mark.costly
def test_popularity_is_as_skewed_as_in_the_original(
    simulations: dict[str, Simulation], dataset: str
) -> None:
    simulation = simulations[dataset]
    counts = np.bincount(chosen(simulation)[1], minlength=simulation.world.n_items)
    assert gini(counts) == pytest.approx(ITEM_GINI_OF_ORIGINAL[dataset], abs=0.05)


def test_a_skew_that_cannot_be_had_is_refused(specs: dict[str, TwinSpec]) -> None:
    spec = changed(specs["yahoo-r3"], exposure={"item_gini": 0.99})
    with pytest.raises(
        ValueError, match=r"item Gini of 0\.99 cannot be reached .* nearest is 0\.\d+"
    ):
        simulate("yahoo-r3", spec, 1)


@pytest.mark.each("dataset", [*RATING_TWINS, "lastfm-1k"])
@pytest.mark.costly
def test_ratings_are_missing_not_at_random(
    simulations: dict[str, Simulation], dataset: str
) -> None:
    simulation = simulations[dataset]
    relevance = simulation.world.relevance
    # By a fifth of the standard deviation at least, and within items too: not popularity alone.
    surplus = relevance[chosen(simulation)].mean() - relevance.mean()
    assert surplus > 0.2 * relevance.std()
    assert within_item_surplus(simulation) > 0.2


@pytest.mark.costly
def test_without_relevance_strength_exposure_ignores_relevance(specs: dict[str, TwinSpec]) -> None:
    spec = changed(specs["ml-1m"], exposure={"relevance_strength": 0.0, "quality_correlation": 0.0})
    assert within_item_surplus(simulate("ml-1m", spec, 1)) == pytest.approx(0, abs=0.02)


def test_positive_ratio_grows_with_popularity_as_in_movielens(
    simulations: dict[str, Simulation],
) -> None:
    simulation = simulations["ml-1m"]
    seen = simulation.observation
    positive = seen.values >= 4
    counts = np.bincount(seen.items)
    ratios = np.bincount(seen.items, positive) / counts
    # The original: Spearman .33, deciles from .38 to .68.
    assert spearmanr(counts, ratios).statistic > 0.3
    deciles = np.array_split(np.argsort(counts, kind="stable"), 10)
    by_decile = [positive[np.isin(seen.items, decile)].mean() for decile in deciles]
    assert by_decile[9] == max(by_decile)
    assert np.mean(by_decile[7:]) > np.mean(by_decile[:3]) + 0.15


# --- sampling ---------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_every_user_gets_as_many_distinct_items_as_there_are(seed: int, cover: bool) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(5, 8))
    weights[rng.random((5, 8)) < 0.3] = -np.inf
    counts = rng.integers(0, 9, 5)
    users, items = sample_items(weights, counts, gumbel_noise((5, 8), rng), cover_items=cover)
    drawn = np.zeros((5, 8), dtype=int)
    np.add.at(drawn, (users, items), 1)
    assert drawn.max() <= 1
    assert not drawn[np.isinf(weights)].any()
    assert drawn.sum(axis=1).tolist() == np.minimum(counts, np.isfinite(weights).sum(1)).tolist()


def test_items_are_drawn_one_after_the_other_in_proportion_to_weight() -> None:
    weights = np.array([5.0, 3.0, 2.0])
    n_users = 40_000
    noise = gumbel_noise((n_users, 3), np.random.default_rng(7))
    users, items = sample_items(
        np.broadcast_to(np.log(weights), (n_users, 3)), np.full(n_users, 2), noise
    )
    ordered = items.reshape(n_users, 2)
    share = weights / weights.sum()
    for first in range(3):
        for second in {0, 1, 2} - {first}:
            expected = share[first] * share[second] / (1 - share[first])
            found = ((ordered[:, 0] == first) & (ordered[:, 1] == second)).mean()
            assert found == pytest.approx(expected, abs=4 * np.sqrt(0.25 / n_users))
    assert users.tolist() == np.repeat(np.arange(n_users), 2).tolist()


def test_covering_gives_even_a_hopeless_item_one_user() -> None:
    rng = np.random.default_rng(3)
    weights = np.zeros((30, 12))
    weights[:, 4] = -60
    counts = np.full(30, 3)
    noise = gumbel_noise((30, 12), rng)
    assert 4 not in sample_items(weights, counts, noise)[1]
    covered = sample_items(weights, counts, noise, cover_items=True)[1]
    assert np.bincount(covered, minlength=12)[4] == 1
    assert set(covered.tolist()) == set(range(12))


def test_only_the_first_users_get_a_random_sample_and_all_items_are_as_likely() -> None:
    sample = RandomSample(users=4_000, minimum=2, maximum=4, holds_choices=False)
    drawn = draw_random_sample(sample, (5_000, 20), np.random.default_rng(0))
    sizes = drawn.sum(axis=1)
    assert set(sizes[:4_000].tolist()) == {2, 3, 4}
    assert not sizes[4_000:].any()
    by_item = drawn.sum(axis=0)
    assert by_item == pytest.approx(np.full(20, 4_000 * 3 / 20), abs=5 * np.sqrt(600))
    assert not draw_random_sample(None, (3, 4), np.random.default_rng(0)).any()
