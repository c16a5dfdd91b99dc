# SPDX-License-Identifier: MIT
from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from theory.worlds import THRESHOLD, fold_of, lists_of, random_fold

from receval.protocols.protocol import Protocol
from receval.splits.split import Fold
from receval.theory.precision import (
    TargetDensities,
    random_precision,
    random_precision_within_percentiles,
)


def world(seed: int, n_users: int = 120, n_items: int = 60) -> Fold:
    """Popular items have more ratings; a fifth of the ratings tests."""
    rng = np.random.default_rng(seed)
    rated = rng.random((n_users, n_items)) < np.linspace(0.7, 0.1, n_items)
    tests = rated & (rng.random(rated.shape) < 0.2)
    train = [(int(u), int(i)) for u, i in np.argwhere(rated & ~tests)]
    test = [(int(u), int(i), float(rng.integers(1, 6))) for u, i in np.argwhere(tests)]
    return fold_of(train, test, rated.shape)


PROTOCOLS = (
    Protocol("AR", "AI"),
    Protocol("AR", "TI"),
    Protocol("AR", "TI", 15, THRESHOLD),
    Protocol("1R", "TI", 15, THRESHOLD),
    Protocol("1R", "AI", None, THRESHOLD),
)


def chances_of_hits(relevant: int, others: int, cutoff: int, one: bool) -> list[float]:
    """Return the chances of 0, 1, ... hits of a user in all orders of some items."""
    whole = comb(relevant + others, relevant)
    found = []
    for hits in range(relevant + 1):
        if not one:
            # So many relevant items among the first of the list.
            first = min(cutoff, relevant + others)
            ways = comb(first, hits) * comb(relevant + others - first, relevant - hits)
        elif cutoff <= others:
            # So many before the n-th of the others.
            ways = comb(hits + cutoff - 1, hits)
            ways *= comb(relevant + others - hits - cutoff, relevant - hits)
        else:
            ways = whole if hits == relevant else 0
        found.append(ways / whole)
    return found


@given(
    seed=st.integers(0, 10_000),
    protocol=st.builds(
        Protocol,
        st.sampled_from(["AR", "1R"]),
        st.sampled_from(["AI", "TI", "train"]),
        st.sampled_from([None, 1, 2, 6]),
        st.just(THRESHOLD),
    ),
    cutoff=st.integers(1, 25),
)
def test_users_are_independent_and_each_has_a_hypergeometric_number_of_hits(
    seed: int, protocol: Protocol, cutoff: int
) -> None:
    densities = TargetDensities.of(random_fold(seed), protocol, THRESHOLD)
    one = densities.one_relevant
    mean = variance = 0.0
    for user, pool in enumerate(densities.pools):
        relevant = int(densities.relevant[densities.users == user].sum())
        others = int(pool if protocol.sampled is None else min(pool, protocol.sampled))
        if not one:
            others = int(densities.sizes[user]) - relevant
        chances = chances_of_hits(relevant, others, cutoff, one)
        own = sum(hits * chance for hits, chance in enumerate(chances))
        mean += own
        variance += sum((hits - own) ** 2 * chance for hits, chance in enumerate(chances))
    scale = cutoff * len(densities.sizes)
    found = random_precision(densities, cutoff)
    assert found.mean == pytest.approx(mean / scale)
    assert found.standard_error**2 == pytest.approx(variance / scale**2, abs=1e-15)


@given(seed=st.integers(0, 10_000), cutoff=st.integers(1, 4))
@pytest.mark.costly
def test_percentiles_with_lists_weigh_alike_and_are_independent(seed: int, cutoff: int) -> None:
    data = random_fold(seed, n_users=4)
    protocol = Protocol("1R", "TI", 3, THRESHOLD, percentiles=6)
    parts = [TargetDensities.of(data, protocol, THRESHOLD, percentile=k) for k in range(6)]
    own = [random_precision(part, cutoff) for part in parts if len(part.sizes)]
    found = random_precision_within_percentiles(data, protocol, THRESHOLD, cutoff)
    assert found.mean == pytest.approx(np.mean([one.mean for one in own]))
    errors = [one.standard_error / len(own) for one in own]
    assert found.standard_error == pytest.approx(np.linalg.norm(errors))


@pytest.mark.parametrize("percentiles", [2, None])
def test_percentiles_without_a_relevant_rating_or_none_are_refused(percentiles: int | None) -> None:
    protocol = Protocol("1R", "AI", 2, THRESHOLD, percentiles=percentiles)
    with pytest.raises(ValueError, match="no target sets within percentiles"):
        random_precision_within_percentiles(fold_of([], [(0, 0, 1.0)], (1, 4)), protocol, 4.0, 5)


@given(
    seed=st.integers(0, 10_000),
    share=st.floats(0.1, 1),
    # Under AR with samples removed items leave the lists, so that other ranks are measured.
    protocol=st.sampled_from([p for p in PROTOCOLS if p.relevant == "1R" or not p.sampled]),
)
@pytest.mark.costly
def test_random_precision_under_removed_test_ratings(
    seed: int, share: float, protocol: Protocol
) -> None:
    data = world(2)
    rng = np.random.default_rng([seed, 7])
    kept = rng.random(len(data.test)) < share
    expected = random_precision(TargetDensities.of(data, protocol, THRESHOLD, kept), 5)
    (lists,) = lists_of(data, rng.random(data.train.shape), protocol, seed=seed)
    view = lists.full
    hit = view.relevant & (view.ranks <= 5) & kept[view.judged.positions[view.indices]]
    n_lists = (
        int((kept & (data.test.values >= THRESHOLD)).sum()) if lists.one_relevant else view.n_lists
    )
    measured = hit.sum() / (5 * n_lists)
    assert abs(measured - expected.mean) <= 5 * expected.standard_error


def test_no_target_sets_are_refused() -> None:
    densities = TargetDensities.of(
        fold_of([], [(0, 0, 1.0)], (1, 4)), Protocol("1R", "AI", 2, THRESHOLD), THRESHOLD
    )
    with pytest.raises(ValueError, match="Lower the threshold, or keep more test ratings"):
        random_precision(densities, 5)
