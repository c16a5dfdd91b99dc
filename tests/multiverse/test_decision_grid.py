# SPDX-License-Identifier: MIT
"""A grid has all legal combinations of its levels, each once, and no others."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from config.copied_config import CONFIG
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from receval.multiverse.decisions import Configuration, DecisionGrid
from reproduction.config.settings import load_settings

LEVELS: dict[str, list[Any]] = {
    "selection": [{}, {"share": 0.5}],
    "split": [{}, {"kind": "user", "train_ratio": 0.8}],
    "users": ["trained", "all"],
    "non_computable": ["none", "random", "popularity", "average"],
    "lists": ["full", "condensed"],
    "metric": [{}, {"name": "P"}, {"name": "RBO", "depth": None}, {"name": "tau"}],
    "aggregation": ["mean", "median", "test-weighted", "positive-weighted", "geometric"],
    "coverage": ["full", "reduced"],
    "test": ["t", "t-log", "sign", "wilcoxon", "bootstrap"],
}


def legal_product(levels: dict[str, list[Any]]) -> list[Configuration]:
    """All combinations in the order of nested loops, each validated in full."""
    legal = []
    for decided in product(*(levels.get(name, [None]) for name in LEVELS)):
        given_levels = {
            name: level for name, level in zip(LEVELS, decided, strict=True) if level is not None
        }
        try:
            legal.append(Configuration.model_validate(given_levels))
        except ValidationError:
            continue
    return legal


def test_a_grid_has_every_combination_that_is_not_refused() -> None:
    dependent = {name: LEVELS[name] for name in list(LEVELS)[3:]}
    found = DecisionGrid.model_validate(dependent).configurations()
    expected = legal_product(dependent)
    assert found == expected
    assert [c.hash for c in found] == [c.hash for c in expected]
    # Tests: 4 of the mean, 3 of the median, 2 of each weighted mean and of the geometric one, which
    # tau has not. Policies and coverage: 5. Metrics: two on both lists, RBO and tau on condensed.
    assert len(found) == 5 * (5 * (4 + 3 + 2 * 2 + 2) + (4 + 3 + 2 * 2))


def test_a_grid_of_one_level_a_decision_is_the_starting_configuration() -> None:
    assert DecisionGrid().configurations() == [Configuration()]


@st.composite
def some_levels(draw: st.DrawFn) -> dict[str, list[Any]]:
    """One or two levels of each decision, in any order."""
    return {
        name: draw(
            st.lists(st.sampled_from(levels), min_size=1, max_size=2, unique_by=str), label=name
        )
        for name, levels in LEVELS.items()
    }


@given(some_levels())
def test_small_grids_are_their_product_without_what_is_refused(levels: dict[str, Any]) -> None:
    expected = legal_product(levels)
    if not expected:
        with pytest.raises(ValidationError, match="no combination of these levels is legal"):
            DecisionGrid.model_validate(levels)
        return
    found = DecisionGrid.model_validate(levels).configurations()
    assert found == expected
    assert len(set(found)) == len(found)


def test_a_grid_without_a_universe_is_refused_with_all_reasons() -> None:
    levels = {"metric": [{"name": "tau"}], "aggregation": ["median", "mean"], "test": ["t-log"]}
    with pytest.raises(ValidationError, match="no combination of these levels is legal") as raised:
        DecisionGrid.model_validate(levels)
    text = str(raised.value)
    for reason in ("choose condensed lists", "not the aggregation median", "aggregation mean"):
        assert text.count(reason) == 1


@pytest.mark.parametrize(
    ("decision", "levels", "level"),
    [
        ("selection", [{}, {"share": 0.5}, {"min_user_ratings": 1}], "all"),
        ("split", [{"train_ratio": 0.5}, {"kind": "random"}], "random-0.5"),
        ("metric", [{"name": "RBP"}, {"name": "RBP", "phi": 0.9, "gain": "g1"}], "RBP@10-g1"),
        ("test", ["t", "sign", "t"], "t"),
    ],
)
def test_a_level_that_is_there_twice_is_named(decision: str, levels: list[Any], level: str) -> None:
    with pytest.raises(ValidationError, match=f"{decision} has the level {level} twice, but"):
        DecisionGrid.model_validate({decision: levels})


def test_a_decision_without_a_level_is_refused() -> None:
    with pytest.raises(ValidationError, match="users"):
        DecisionGrid.model_validate({"users": []})


@pytest.mark.costly
@pytest.mark.parametrize("edition", ["demo", "full"])
def test_the_grids_of_the_studies_begin_with_the_starting_configuration(edition: str) -> None:
    studies = load_settings(CONFIG, edition).studies.values()
    grids = [grid for study in studies for grid in study.grids.values()]
    assert grids
    for grid in grids:
        assert grid.configurations()[0] == Configuration()
