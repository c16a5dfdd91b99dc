# SPDX-License-Identifier: MIT
"""Every metric, with every parameter, against the papers' formulas in plain Python."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from metrics.brute_force import ORACLES, values
from metrics.examples import (
    METADATA,
    ONE,
    THRESHOLD,
    Case,
    judgments_of,
    lists_of,
    one_user,
    random_cases,
    ranks,
)
from metrics.forms import cutoffs_of, forms
from numpy.typing import NDArray

from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.metric import Metric
from receval.metrics.registry import METRICS, parse

CUTOFFS = (None, 1, 2, 3, 10, 100)
FORMS = ((False, None), (True, None), (False, 4), (True, 4))


@cache
def every_form(name: str) -> list[Metric]:
    return [
        replace(form, cutoff=cutoff, condensed=condensed, depth=depth)
        for form in forms(name)
        for cutoff in cutoffs_of(name, CUTOFFS)
        for condensed, depth in FORMS
    ]


@cache
def every_form_under_1r() -> list[Metric]:
    return [
        replace(form, cutoff=cutoff)
        for name in METRICS
        for form in forms(name)
        for cutoff in cutoffs_of(name, (None, 1, 10))
        if not form.refused_under_1r
    ]


def assert_close(
    metrics: list[Metric], found: NDArray[np.float64], expected: list[list[float]]
) -> None:
    is_close = np.isclose(found, expected, rtol=1e-12, atol=1e-14, equal_nan=True).all(axis=1)
    assert len(metrics) == len(found) == len(expected)
    assert [metrics[wrong].label for wrong in np.flatnonzero(~is_close)] == []


def test_every_metric_has_an_oracle() -> None:
    assert set(ORACLES) == set(METRICS)


@pytest.mark.parametrize("name", METRICS)
@tries(6)
@given(seed=st.integers(0, 100_000), step=st.sampled_from([0.5, 1.0]))
@pytest.mark.costly
def test_a_metric_equals_its_formula_at_any_cutoff_full_or_condensed(
    name: str, seed: int, step: float
) -> None:
    cases, metrics = random_cases(seed, step), every_form(name)
    lists = lists_of(cases)
    found = evaluate(metrics, lists)
    assert_close(metrics, found, values(cases, metrics))
    # Without one that reads whole lists, only what lies above the last cut-off is looked at.
    cut = [index for index, metric in enumerate(metrics) if metric.cutoff is not None]
    if cut:
        np.testing.assert_array_equal(evaluate([metrics[i] for i in cut], lists), found[cut])


@pytest.mark.costly
@tries(6)
@given(seed=st.integers(0, 100_000))
def test_under_1r_a_metric_equals_its_formula_on_the_list_of_one_relevant_item(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cases = random_cases(seed)
    judgments = judgments_of(cases)
    lengths = rng.integers(0, 30, len(cases))
    found = [
        int(rng.integers(0, lengths[user] + 2)) if rating >= THRESHOLD else 0
        for user, rating in zip(judgments.users, judgments.values, strict=True)
    ]
    outcome = ranks(found, lengths.tolist())
    lists = JudgedLists.of(judgments, outcome, THRESHOLD, ONE, cases[0].metadata)
    alone = []
    for user, item, rating, rank in zip(
        judgments.users, judgments.items, judgments.values, found, strict=True
    ):
        if rating >= THRESHOLD:
            unjudged = [1000 + index for index in range(lengths[user])]
            listed = [*unjudged[: rank - 1], int(item), *unjudged[rank - 1 :]] if rank else unjudged
            alone.append(Case(tuple(listed), {int(item): float(rating)}, cases[0].metadata))
    assert len(lists.users) == len(alone)
    metrics = every_form_under_1r()
    assert_close(metrics, evaluate(metrics, lists), values(alone, metrics))


@pytest.mark.each("most_plays", [1, 2, 5, 3000])
def test_tau_of_a_long_list_with_few_or_many_different_ratings_is_that_of_scipy(
    most_plays: int,
) -> None:
    rng = np.random.default_rng(most_plays)
    listed = rng.permutation(2300)
    plays = rng.integers(1, most_plays + 1, 2300).astype(float).tolist()
    metrics = [parse(f"tau{end}") for end in ("@2", "@10", "@1000", "@2299", "")]
    found = (np.argsort(listed) + 1).tolist()
    lists = one_user(plays, found, 2300, metadata=None)
    case = Case(tuple(listed.tolist()), dict(enumerate(plays)), METADATA)
    assert_close(metrics, evaluate(metrics, lists), values([case], metrics))
