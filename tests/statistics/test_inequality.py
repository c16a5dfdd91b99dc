# SPDX-License-Identifier: MIT
"""Inequality over users, within groups and between them: by released code, and by hand."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from receval.statistics.inequality import MEASURES, between_groups, by_chance, inequalities

FIXTURE = Path(__file__).parent / "fixtures" / "rampisela2025.json"
CASES: dict[str, dict[str, Any]] = json.loads(FIXTURE.read_text(encoding="utf-8"))["cases"]
RELEASED = {"SD": "SD", "Gini": "Gini", "Atkinson": "Atk"}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("features", [["gender"], ["age"], ["gender", "age"]])
def test_parts_are_those_of_the_released_code(case: str, features: list[str]) -> None:
    people, released = pd.DataFrame(CASES[case]["people"]), CASES[case]["values"]
    groups = people.groupby(features).ngroup().to_numpy()
    found = inequalities(people["P"].to_numpy(), groups)
    label = "-".join(features)
    for column, measure in enumerate(MEASURES):
        name = RELEASED[measure]
        expected = [f"{name}-Ind-P", f"{name}-Within-{label}-P", f"{name}-{label}-P"]
        np.testing.assert_allclose(found[:, column], [released[key] for key in expected])
    over_users, within, between = 1 - found[:, MEASURES.index("Atkinson")]
    assert over_users == pytest.approx(within * between, rel=1e-12)


def test_nothing_is_said_of_values_that_are_negative_or_all_0() -> None:
    groups = np.array([0, 1])
    assert np.isnan(inequalities(np.array([-0.1, 1.0]), groups)).all()
    assert np.isnan(inequalities(np.zeros(2), groups)).all()


def test_chance_is_the_mean_over_divisions_and_p_their_share() -> None:
    values, groups = np.array([0.1, 0.2, 0.5, 0.9]), np.array([0, 0, 1, 1])
    every = between_groups(values, [np.array(own) for own in permutations(groups)])
    mean, p = by_chance(values, groups, np.random.default_rng(1), 4_000)
    np.testing.assert_allclose(mean, every.mean(axis=0), rtol=0.05)
    # The two lowest against the two highest: a third of all divisions, whichever comes first.
    np.testing.assert_allclose(p[:2], 1 / 3, atol=0.03)


def test_users_change_places_within_their_stratum_alone() -> None:
    values, groups = np.array([0.1, 0.2, 0.5, 0.9]), np.array([0, 0, 1, 1])
    own = between_groups(values, [groups])[0]
    mean, p = by_chance(values, groups, np.random.default_rng(1), 20, np.array([1, 1, 0, 0]))
    np.testing.assert_allclose(mean, own)
    np.testing.assert_allclose(p, 1)
    mixed, _ = by_chance(values, groups, np.random.default_rng(1), 20, np.array([0, 1, 0, 1]))
    assert (mixed[:2] < own[:2]).all()
