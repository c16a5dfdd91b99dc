# SPDX-License-Identifier: MIT
"""Decisions on pairs of systems, and how two sets of them differ, by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from reproduction.studies.followups.interval_decisions import count_changes, decisions


def test_only_what_is_below_the_level_is_decided() -> None:
    found = decisions([[1.0, -1.0], [1.0, -1.0]], [[0.049, 0.001], [0.05, 0.2]])
    assert found.tolist() == [[1, -1], [0, 0]]


def test_without_a_difference_nothing_is_decided() -> None:
    assert decisions([0.0], [0.0]).tolist() == [0]


def test_every_two_decisions_differ_in_one_way() -> None:
    ways = {(1, 0): "lost", (-1, 0): "lost", (0, 1): "gained", (0, -1): "gained"}
    ways |= {(1, -1): "reversed", (-1, 1): "reversed"}
    for before, after in product((-1, 0, 1), repeat=2):
        counts = count_changes([before], [after])
        assert counts == {
            way: int(way == ways.get((before, after))) for way in ("lost", "gained", "reversed")
        }


def test_all_pairs_are_counted() -> None:
    one, other = np.random.default_rng(1).integers(-1, 2, (2, 210))
    assert sum(count_changes(one, other).values()) == np.count_nonzero(one != other)


def test_decisions_on_other_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="on 2 and 1 pairs"):
        count_changes([1, 0], [1])
