# SPDX-License-Identifier: MIT
"""Cumulated popularity, by hand and summed item by item."""

from __future__ import annotations

import numpy as np
import pytest

from receval.statistics.concentration import cumulative_shares


def test_cumulative_shares_by_hand() -> None:
    ranks, shares = cumulative_shares([1, 0, 6, 3, 0], 100)
    assert ranks.tolist() == [1, 2, 3]
    assert shares == pytest.approx([0.6, 0.9, 1.0])


def test_a_curve_has_few_points_the_first_and_the_last_among_them() -> None:
    ranks, shares = cumulative_shares(np.full(1000, 7), 5)
    assert ranks.tolist() == [1, 251, 500, 750, 1000]
    assert shares == pytest.approx(ranks / 1000)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [([], "there are 0 of them"), ([0, 0], "from 0 to 0"), ([3, -1], "from -1 to 3")],
)
def test_counts_without_a_curve_are_refused(counts: list[int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        cumulative_shares(counts, 10)


@pytest.mark.parametrize("points", [3, 40, 1000])
def test_a_curve_of_many_items_sums_them_from_the_most_popular_on(points: int) -> None:
    counts = np.random.default_rng(1).permutation(np.arange(300) ** 2)
    ranks, shares = cumulative_shares(counts, points)
    falling = sorted((int(count) for count in counts if count), reverse=True)
    assert (ranks[0], ranks[-1]) == (1, len(falling))
    assert len(ranks) == min(points, len(falling))
    expected = [sum(falling[:rank]) / sum(falling) for rank in ranks.tolist()]
    assert shares == pytest.approx(expected, rel=1e-12)
