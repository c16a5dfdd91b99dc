# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from receval.statistics.anova import ExplainedVariance, explained_variance

Values = NDArray[np.float64]
Factors = dict[str, NDArray[np.int64]]


def all_combinations(counts: Iterable[int], times: int = 1) -> Factors:
    """Every combination of levels, each as often as the others."""
    universes = np.array([*product(*(range(count) for count in counts))] * times)
    return {f"decision {index}": levels for index, levels in enumerate(universes.T)}


def some_universes(seed: int, counts: Iterable[int], n_universes: int) -> Factors:
    """Universes at random, of which those that are not legal are left out."""
    rng = np.random.default_rng(seed)
    universes = np.array([rng.integers(0, count, n_universes) for count in counts])
    legal = ~((universes[0] == 0) & (universes[1] > 0)) & ~(
        (universes[1] == 1) & (universes[2] == 1)
    )
    return {f"decision {index}": levels for index, levels in enumerate(universes[:, legal])}


def variances_of_all_orders(factors: Factors, response: Values) -> dict[tuple[int, ...], float]:
    """Return the variance of every component: means given levels without the lower components."""
    codes = list(factors.values())
    components: dict[tuple[int, ...], Values] = {}
    for order in range(len(codes) + 1):
        for term in combinations(range(len(codes)), order):
            component = np.empty(len(response))
            for universe in range(len(response)):
                alike = np.ones(len(response), dtype=bool)
                for index in term:
                    alike &= codes[index] == codes[index][universe]
                component[universe] = response[alike].mean()
            for lower, part in components.items():
                if set(lower) < set(term):
                    component = component - part
            components[term] = component
    return {term: float((part**2).mean()) for term, part in components.items() if term}


def squares(factors: Factors, terms: Iterable[tuple[int, ...]], response: Values) -> float:
    """Return what least squares with one dummy a combination of levels explains."""
    columns = [np.ones(len(response))]
    for term in terms:
        labels = np.array([list(factors.values())[index] for index in term])
        cells = np.unique(labels, axis=1)
        columns += [(labels == cell[:, np.newaxis]).all(axis=0) for cell in cells.T]
    design = np.array(columns, dtype=np.float64).T
    centred = response - response.mean()
    fitted = design @ np.linalg.lstsq(design, centred, rcond=1e-10)[0]
    return float(fitted @ fitted)


def sums(found: ExplainedVariance) -> Values:
    return found.alone.sum(axis=1) + found.together.sum(axis=1) + found.shared + found.rest


# All combinations


def test_two_decisions_of_two_levels() -> None:
    # Mean 4; rows are 3 away from it, columns 1, and the pair's corners 2: 9 + 1 + 4 of 14.
    found = explained_variance(
        {"rows": ["a", "a", "b", "b"], "columns": ["x", "y", "x", "y"]}, [[4.0, -2.0, 6.0, 8.0]]
    )
    assert found.names == ("rows", "columns")
    assert found.pairs == (("rows", "columns"),)
    assert found.alone == pytest.approx(np.array([[9 / 14, 1 / 14]]))
    assert found.together == pytest.approx(np.array([[4 / 14]]))
    assert [*found.shared, *found.rest] == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.costly
@given(
    counts=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    times=st.integers(1, 2),
    seed=st.integers(0, 2**32 - 1),
)
def test_of_all_combinations_it_is_the_variance_of_the_conditional_means(
    counts: list[int], times: int, seed: int
) -> None:
    factors = all_combinations([*counts, 2], times)
    n_universes = len(factors["decision 0"])
    response = (
        np.random.default_rng(seed).integers(-9, 10, n_universes) + np.eye(n_universes)[0] / 8
    )
    variances = variances_of_all_orders(factors, response)
    found = explained_variance(factors, [response])
    total = response.var()
    alone = [variances[index,] / total for index in range(len(factors))]
    together = [variances[pair] / total for pair in combinations(range(len(factors)), 2)]
    assert found.alone[0] == pytest.approx(alone, abs=1e-10)
    assert found.together[0] == pytest.approx(together, abs=1e-10)
    assert found.shared == pytest.approx([0], abs=1e-10)
    # Where universes repeat, what differs among those alike belongs to no component.
    higher = sum(variance for term, variance in variances.items() if len(term) > 2) / total
    noise = 1 - sum(variances.values()) / total
    assert found.rest == pytest.approx([higher + noise], abs=1e-10)


# Some combinations missing


@pytest.mark.costly
@pytest.mark.parametrize(
    ("counts", "n_universes"), [([3, 3, 2], 60), ([2, 3, 4, 2], 90), ([4, 2, 3, 3, 2], 50)]
)
def test_missing_combinations_give_the_sums_of_squares_of_least_squares(
    counts: list[int], n_universes: int
) -> None:
    factors = some_universes(1, counts, n_universes)
    codes = np.array(list(factors.values()))
    noise = np.random.default_rng(2).normal(size=(3, codes.shape[1]))
    effects = np.array([codes[0] * codes[1], codes[2] + codes[0], 0 * codes[0]])
    responses = noise + effects
    found = explained_variance(factors, responses)
    decisions = [(index,) for index in range(len(counts))]
    pairs = list(combinations(range(len(counts)), 2))
    for row, response in enumerate(responses):
        total = ((response - response.mean()) ** 2).sum()

        def explained(
            terms: list[tuple[int, ...]], response: Values = response, total: float = total
        ) -> float:
            return squares(factors, terms, response) / total

        alone = [
            explained(decisions) - explained([other for other in decisions if other != one])
            for one in decisions
        ]
        both = [*decisions, *pairs]
        together = [
            explained(both) - explained([other for other in both if other != pair])
            for pair in pairs
        ]
        assert found.alone[row] == pytest.approx(alone, abs=1e-9)
        assert found.together[row] == pytest.approx(together, abs=1e-9)
        assert found.rest[row] == pytest.approx(1 - explained(both), abs=1e-9)
    assert sums(found) == pytest.approx(np.ones(3))


def test_a_decision_that_does_nothing_gets_nothing_for_being_seen_with_one_that_does() -> None:
    # Levels 1 of both are met together more often than not, so level means of both differ.
    cause = np.repeat([0, 1], 5)
    bystander = np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1])
    found = explained_variance({"cause": cause, "bystander": bystander}, [3.0 * cause])
    assert found.alone[0, 1] == pytest.approx(0, abs=1e-12)
    # Their correlation is 0.6: of the response the bystander could claim 0.36, and who made it
    # is left open.
    assert found.alone[0, 0] == pytest.approx(1 - 0.36)
    assert found.shared == pytest.approx([0.36])


def test_decisions_that_hide_each_other_share_less_than_nothing() -> None:
    one = np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1])
    other = np.repeat([0, 1], 5)
    found = explained_variance({"one": one, "other": other}, [1.0 * one - other])
    assert found.alone[0] == pytest.approx([0.8, 0.8])
    assert found.shared == pytest.approx([-0.6])
    assert sums(found) == pytest.approx([1])


def test_two_names_of_one_decision_explain_nothing_beyond_each_other() -> None:
    levels = np.tile([0, 1, 2], 4)
    found = explained_variance({"a": levels, "b": levels + 10}, [levels**2.0])
    assert found.alone == pytest.approx(np.array([[0, 0]]), abs=1e-12)
    assert found.together == pytest.approx(np.array([[0]]), abs=1e-12)
    assert found.shared == pytest.approx([1])


def test_no_share_of_two_names_of_one_decision_is_below_zero_by_rounding() -> None:
    noise = np.random.default_rng(4).normal(size=(20, 50))
    alone, together = [], []
    # Which sums round below zero depends on the processor: some of so many do.
    for seed in range(12):
        levels = np.random.default_rng(seed).integers(0, 4, 50)
        found = explained_variance({"a": levels, "b": levels + 10}, levels**2.0 + noise)
        alone.append(found.alone.min())
        together.append(found.together.min())
    assert min(alone) == 0
    assert min(together) == 0


# What changes nothing


@given(seed=st.integers(0, 2**32 - 1), random=st.randoms())
@pytest.mark.costly
def test_order_of_universes_names_of_levels_and_units_do_not_matter(
    seed: int, random: object
) -> None:
    factors = some_universes(seed, [2, 3, 3], 40)
    n_universes = len(factors["decision 0"])
    response = np.random.default_rng(seed).normal(size=(1, n_universes))
    order = list(range(n_universes))
    random.shuffle(order)
    names = ["zero", "one", "two"]
    random.shuffle(names)
    renamed = {name: np.array(names)[levels[order]] for name, levels in factors.items()}
    found = explained_variance(factors, response)
    again = explained_variance(renamed, 1e-9 * response[:, order] + 3)
    for shares in ("alone", "together", "shared", "rest"):
        # The constant costs digits of the scaled response.
        assert getattr(again, shares) == pytest.approx(getattr(found, shares), abs=1e-5)
    assert sums(found) == pytest.approx([1])
    assert min(found.alone.min(), found.together.min(), found.rest.min()) >= 0


def test_a_response_does_not_depend_on_the_others_nor_on_its_size() -> None:
    factors = some_universes(6, [2, 3, 3], 60)
    n_universes = len(factors["decision 0"])
    responses = np.random.default_rng(6).normal(size=(2, n_universes)) * [[1e-200], [1e150]]
    both = explained_variance(factors, responses)
    for row in range(2):
        single = explained_variance(factors, responses[row : row + 1])
        assert both.alone[row] == pytest.approx(single.alone[0], abs=1e-12)
        assert both.rest[row] == pytest.approx(single.rest[0], abs=1e-12)
    assert sums(both) == pytest.approx([1, 1])


# Edges


def test_a_decision_with_one_level_explains_exactly_nothing() -> None:
    factors = {"only": ["all"] * 6, "real": [0, 1, 2, 0, 1, 2]}
    found = explained_variance(factors, [[0.1, 0.7, 0.3, 0.2, 0.9, 0.3]])
    assert found.alone[0, 0] == 0
    assert found.together.tolist() == [[0]]
    assert found.alone[0, 1] + found.rest[0] == pytest.approx(1)


def test_shares_of_no_variance_are_nan_whatever_the_other_responses() -> None:
    # The mean of tenths is not a tenth but for rounding.
    responses = np.array([[0.1] * 6, [1.0, 2, 3, 4, 5, 7]])
    found = explained_variance({"a": [0, 1, 0, 1, 0, 1], "b": [0, 0, 1, 1, 2, 2]}, responses)
    for shares in (found.alone, found.together, found.shared[:, None], found.rest[:, None]):
        assert np.isnan(shares[0]).all()
        assert np.isfinite(shares[1]).all()


@pytest.mark.each(
    ("factors", "responses", "message"),
    [
        (
            {"a": [0, 1, 1]},
            [[0.0, 1.0]],
            r"decision a has labels of the shape \(3,\).* 2 universes",
        ),
        ({"a": [[0, 1]]}, [[0.0, 1.0]], r"decision a has labels of the shape \(1, 2\)"),
        ({"a": [0]}, [[0.0]], "There are 1 universes"),
        ({"a": []}, np.zeros((1, 0)), "There are 0 universes"),
        ({}, [[0.0, 1.0]], "There is no decision"),
        ({"a": [0, 1]}, [0.0, 1.0], r"shape \(2,\), not \(responses, universes\)"),
        ({"a": [0, 1]}, [[0, 1], [0, np.nan]], "Response 1 of universe 1 is nan"),
        ({"a": [0, 1]}, [[np.inf, 1]], "Response 0 of universe 0 is inf"),
        ({"a": [0, 1]}, [[0, 1], [0, np.inf], [np.nan, 2]], "Response 1 of universe 1 is inf"),
        ({"a": ["x", None]}, [[0, 1]], "Universe 1 has no level of the decision a"),
        ({"a": ["x", "y", None, None]}, [range(4)], "Universe 2 has no level of the decision a"),
    ],
)
def test_what_has_no_variance_to_explain_is_refused(
    factors: dict[str, object], responses: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        explained_variance(factors, responses)
