# SPDX-License-Identifier: MIT
"""How far lists are from the tastes of users."""

from __future__ import annotations

from math import log, log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics.whole_lists.made_lists import measured
from metrics.whole_lists.test_diversity import _random, with_genres

from receval.metrics.whole_lists.calibration import Miscalibration


def _value(*own: int, train: tuple[int, ...] = (0, 1, 3), **parameters: object) -> float:
    lists = with_genres(measured(own, train=[(0, item) for item in train]))
    metric = Miscalibration(cutoff=3, feature="genre", **parameters)
    return float(metric.per_user(lists)[0])


def test_the_divergence_of_a_hand_worked_list() -> None:
    # Training items A, AB and C: p = (1/2, 1/6, 1/3). The list A, B: q = (1/2, 1/2, 0).
    p, q = (1 / 2, 1 / 6, 1 / 3), (1 / 2, 1 / 2, 0.0)
    mixed = [0.99 * b + 0.01 * a for a, b in zip(p, q, strict=True)]

    kl = sum(a * log(a / b) for a, b in zip(p, mixed, strict=True))
    assert _value(0, 2) == pytest.approx(kl, rel=1e-12)
    hellinger = sqrt(1 - sum(sqrt(a * b) for a, b in zip(p, q, strict=True)))
    assert _value(0, 2, divergence="hellinger") == pytest.approx(hellinger, rel=1e-12)
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    shannon = sum(a * log2(a / m) / 2 for a, m in zip(p, middle, strict=True)) + sum(
        b * log2(b / m) / 2 for b, m in zip(q, middle, strict=True) if b
    )
    assert _value(0, 2, divergence="jensen-shannon") == pytest.approx(shannon, rel=1e-12)


def test_the_first_ranks_can_count_more() -> None:
    share = 1 / (1 + 1 / log2(3))
    wanted = sqrt(1 - sqrt(share * 0.5) - sqrt((1 - share) * 0.5))

    found = _value(0, 2, train=(0, 2), divergence="hellinger", weights="log2")

    assert found == pytest.approx(wanted, rel=1e-12)


def test_a_list_like_the_profile_is_calibrated_whatever_items_without_a_value_it_has() -> None:
    assert _value(0, 4, 2, train=(0, 2)) == 0.0
    assert _value(0, 2, train=(1, 4), divergence="hellinger") == pytest.approx(0.0, abs=1e-8)


@pytest.mark.each(
    ("divergence", "largest"), [("kl", log(100)), ("jensen-shannon", 1.0), ("hellinger", 1.0)]
)
def test_a_list_without_a_value_has_the_largest_divergence(divergence: str, largest: float) -> None:
    assert _value(4, divergence=divergence) == pytest.approx(largest)
    assert _value(divergence=divergence) == pytest.approx(largest)
    assert _value(0, train=(4,), divergence=divergence) == 0.0


def test_ratings_can_weight_the_profile() -> None:
    lists = with_genres(measured([0, 0], train=[(0, 0), (0, 0), (0, 0), (0, 2)]))

    found = Miscalibration(
        cutoff=2, feature="genre", divergence="hellinger", profile="ratings"
    ).per_user(lists)

    assert found[0] == pytest.approx(sqrt(1 - sqrt(0.75)))


@given(st.integers(0, 2**32 - 1))
def test_the_divergence_is_that_of_a_loop_over_users_and_items(seed: int) -> None:
    lists, genres = _random(seed)
    wanted = []
    for user, row in zip(lists.users, lists.items, strict=True):
        shares = []
        train = np.flatnonzero(lists.fold.train[[user], :].toarray()[0])
        for items in (train, [item for item in row[:4] if item >= 0]):
            known = [item for item in items if genres[item]]
            own = dict.fromkeys("ABCD", 0.0)
            for item in known:
                for genre in genres[item]:
                    own[genre] += 1 / len(genres[item]) / len(known)
            shares.append(own)
        p, q = shares
        if not sum(p.values()):
            wanted.append(0.0)
        elif not sum(q.values()):
            wanted.append(-log(0.2))
        else:
            terms = (a * log(a / (0.8 * q[g] + 0.2 * a)) for g, a in p.items() if a)
            wanted.append(max(0.0, sum(terms)))

    found = Miscalibration(cutoff=4, feature="genre", alpha=0.2).per_user(lists)

    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
