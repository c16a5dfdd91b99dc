# SPDX-License-Identifier: MIT
"""WRMF, EALS, PureSVD and EASE: solutions and objectives of dense (weighted) least squares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.java_oracle import OracleRandom, oracle_factors
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, to_matrix
from recommenders.systems import pcg
from scipy.sparse import csr_array

from receval.recommenders.eals import COLUMNS_AT_A_TIME, EALS, _update_rows
from receval.recommenders.ease import EASE
from receval.recommenders.puresvd import PureSVD
from receval.recommenders.wrmf import WRMF

Dense = NDArray[np.float64]

WRMF_FORMS: list[dict[str, Any]] = [
    {"factors": 1, "weights": "rating", "alpha": 3.0},
    {"factors": 9, "weights": "rating", "alpha": 3.0},
    {"factors": 30, "weights": "rating", "alpha": 3.0},
    {"weights": "binary", "alpha": 3.0},
    {"weights": "rating", "alpha": 3.0},
    {"weights": "logarithm", "alpha": 4.0},
    {"weights": "rating", "alpha": 0.5, "target": "rating", "initialisation": "uniform"},
    {"weights": "rating", "alpha": 0.5, "target": "rating", "first": "items"},
]


def wrmf_weights(model: WRMF, values: Dense, rated: NDArray[np.bool_]) -> tuple[Dense, Dense]:
    """Return confidences and targets of all pairs, from the papers' formulas."""
    strengths = {
        "binary": model.alpha * rated,
        "rating": model.alpha * values,
        "logarithm": np.log(1 + 10**model.alpha * values),
    }
    targets = values if model.target == "rating" else rated.astype(float)
    return 1 + strengths[model.weights], targets


@pytest.mark.each("form", WRMF_FORMS, ids=lambda form: "-".join(map(str, form.values())))
@pytest.mark.each("iterations", [1, 3])
def test_wrmf_factors_solve_the_weighted_least_squares_of_its_objective(
    iterations: int, form: dict[str, Any]
) -> None:
    values, rated = generated()
    # Behind the last ratings of the last block of equations.
    values[-2:], rated[-2:], values[:, -1], rated[:, -1] = 0, False, 0, False
    model = WRMF(**({"factors": 4} | form), regularisation=0.5, iterations=iterations, seed=2)
    model.fit(to_matrix(values, rated))
    confidences, targets = wrmf_weights(model, values, rated)
    users = np.nan_to_num(model.user_factors_.astype(float))
    items = model.item_factors_.astype(float).T
    errors = confidences * (targets - users @ items.T) ** 2
    objective = errors.sum() + 0.5 * ((users**2).sum() + (items**2).sum())
    assert model.objective_[-1] == pytest.approx(objective, rel=1e-5)
    assert len(model.objective_) == 2 * iterations
    last, solved = users, items
    if model.first == "items":
        last, solved, confidences, targets = items, users, confidences.T, targets.T
    for row in range(len(solved)):
        weighted = last * confidences[:, [row]]
        normal = last.T @ weighted + 0.5 * np.eye(model.factors)
        expected = np.linalg.solve(normal, weighted.T @ targets[:, row])
        np.testing.assert_allclose(solved[row], expected, rtol=5e-3, atol=1e-4)


@pytest.mark.parametrize("first", ["users", "items"])
def test_wrmf_starts_from_normal_factors_of_the_side_solved_last(first: str) -> None:
    values, rated = generated()
    model = WRMF(3, 4.0, 0.01, iterations=1, weights="logarithm", first=first, librec_seed=5).fit(
        to_matrix(values, rated)
    )
    confidences = 1 + np.log(1 + 1e4 * values)
    users, items = oracle_factors(OracleRandom(5), rated, 3)
    sides = [(users, items, confidences, rated), (items, users, confidences.T, rated.T)]
    for solved, fixed, w, target in sides if first == "users" else sides[::-1]:
        for row in range(len(solved)):
            weighted = fixed * w[row][:, None]
            normal = fixed.T @ weighted + 0.01 * np.eye(3)
            solved[row] = np.linalg.solve(normal, weighted.T @ target[row])
    # Unlike everywhere else in double precision, and stored in single.
    warm = rated.any(axis=1)
    np.testing.assert_allclose(model.user_factors_[warm], users[warm], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("factors", [2, 3, 5])
def test_wrmf_fits_where_the_equations_leave_directions_open(factors: int) -> None:
    # One item, several factors and no penalty: pivots are 0, or what rounding leaves of it.
    train = to_matrix(np.full((4, 1), 3.0), np.ones((4, 1), dtype=bool))
    for seed in range(20):
        model = WRMF(factors, regularisation=0, iterations=1, seed=seed).fit(train)
        np.testing.assert_allclose(model.score(np.arange(4)), 1, atol=1e-5)


EALS_FORMS: list[dict[str, Any]] = [
    {"alpha": 1.0, "librec_seed": 5},
    {"alpha": 1.0},
    {"alpha": 2.0, "missing_weight": 0.3},
    {"alpha": 0.0, "missing": "popularity", "missing_weight": 8.0},
    {"alpha": 1.0, "missing": "popularity", "missing_weight": 100.0, "exponent": 1.0},
]


def eals_weights(model: EALS, values: Dense, rated: NDArray[np.bool_]) -> tuple[Dense, Dense]:
    """Return the weights of all pairs and those of the items' unrated pairs."""
    popularity = rated.sum(axis=0).astype(float)
    missing = np.full(len(popularity), model.missing_weight)
    if model.missing == "popularity":
        powers = popularity**model.exponent * (popularity > 0)
        missing = model.missing_weight * powers / powers.sum()
    return np.where(rated, 1 + model.alpha * values, missing), missing


def eals_objective(
    weights: Dense, rated: NDArray[np.bool_], users: Dense, items: Dense, regularisation: float
) -> float:
    errors = weights * (rated - users @ items.T) ** 2
    return float(errors.sum() + regularisation * ((users**2).sum() + (items**2).sum()))


@pytest.mark.each("form", EALS_FORMS, ids=lambda form: "-".join(map(str, form.values())))
def test_eals_equals_dense_minimisation_of_one_element_at_a_time(form: dict[str, Any]) -> None:
    values, rated = generated()
    # Some rows are as long as the blocks in which they are copied, others shorter or longer.
    n, lengths = COLUMNS_AT_A_TIME, {*rated.sum(axis=0), *rated.sum(axis=1)}
    assert {1, n - 1, n, n + 1, 2 * n + 1} <= lengths
    model = EALS(factors=5, regularisation=0.2, iterations=2, seed=4, **form)
    model.fit(to_matrix(values, rated))
    weights, _ = eals_weights(model, values, rated)
    if model.librec_seed:
        users, items = oracle_factors(OracleRandom(5), rated, 5)
    else:
        items = 0.1 * pcg(4).standard_normal((45, 5), dtype=np.float32).astype(float)
        users, items[COLD_ITEM] = np.zeros((60, 5)), 0
    trace = []
    for _ in range(2):
        for solved, fixed, w, target in (
            (users, items, weights, rated),
            (items, users, weights.T, rated.T),
        ):
            for row in range(len(solved)):
                for factor in range(5):
                    rest = solved[row] @ fixed.T - solved[row, factor] * fixed[:, factor]
                    above = w[row] @ (fixed[:, factor] * (target[row] - rest))
                    solved[row, factor] = above / (w[row] @ fixed[:, factor] ** 2 + 0.2)
            trace.append(eals_objective(weights, rated, users, items, 0.2))
    warm = np.setdiff1d(np.arange(60), COLD_USER)
    np.testing.assert_allclose(model.user_factors_[warm], users[warm], rtol=5e-3, atol=1e-4)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=5e-3, atol=1e-4)
    np.testing.assert_allclose(model.objective_, trace, rtol=1e-4)


def test_an_element_that_nothing_depends_on_is_left_where_it_is() -> None:
    # Of two columns the second has the factor 0, whatever the row has there.
    starts, columns = np.array([0, 2], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    fixed = np.float32([[2, 0], [0, 0]])
    ones, solved = np.ones(2, dtype=np.float32), np.float32([[5, 7]])
    gram = np.zeros((2, 2), dtype=np.float32)
    objective = _update_rows(
        starts, columns, ones, fixed, gram, np.zeros(1, np.float32), ones, np.float32(0), solved
    )
    # The first pair is met exactly, and the second not at all.
    assert solved.tolist() == [[0.5, 7]]
    assert objective == 1


@pytest.mark.each(
    ("shape", "factors"),
    [((30, 20), 1), ((30, 20), 6), ((20, 30), 20), ((260, 230), 7), ((230, 260), 7)],
)
def test_puresvd_projects_on_the_leading_right_singular_vectors(
    shape: tuple[int, int], factors: int
) -> None:
    values, rated = generated(*shape)
    model = PureSVD(factors).fit(to_matrix(values, rated))
    _, singular_values, vectors = np.linalg.svd(values, full_matrices=False)
    leading = vectors[:factors]
    expected = values @ leading.T @ leading
    users = np.setdiff1d(np.arange(shape[0]), COLD_USER)
    np.testing.assert_allclose(model.score(users), expected[users], atol=2e-4)
    np.testing.assert_allclose(model.singular_values_, singular_values[:factors], atol=1e-6)
    peaks = np.abs(model.item_factors_).argmax(axis=1)
    signs = np.sign(model.item_factors_[np.arange(factors), peaks])
    np.testing.assert_array_equal(signs, model.singular_values_ > 0)


@pytest.mark.parametrize("shape", [(300, 400), (400, 300), (30, 40)])
def test_puresvd_of_low_rank_gives_the_matrix_back_and_the_same_bytes(
    shape: tuple[int, int],
) -> None:
    generator = np.random.default_rng(2)
    dense = generator.integers(1, 5, (shape[0], 3)) @ generator.integers(0, 3, (3, shape[1]))
    train = to_matrix(dense, dense > 0)
    models = [PureSVD(10).fit(train) for _ in range(3)]
    np.testing.assert_allclose(models[0].score(np.arange(shape[0])), dense, atol=1e-4)
    assert len({model.item_factors_.tobytes() for model in models}) == 1
    np.testing.assert_array_equal(models[0].singular_values_[3:], 0)


def test_weights_of_ease_are_ridge_regressions_of_each_item_on_the_others() -> None:
    rng = np.random.default_rng(2)
    ratings = (rng.random((30, 7)) < 0.5).astype(np.float32)
    ratings[10, 0] = 1  # This user had none.
    # The sums of squares of many plays have more digits than single precision.
    ratings[:, 0] *= rng.integers(1, 99_999, 30)
    ratings[:, 1] += ratings[:, 0]
    model = EASE(regularisation=2.5).fit(csr_array(ratings))
    ratings = ratings.astype(np.float64)
    for item in range(7):
        others = np.delete(np.arange(7), item)
        known, wanted = ratings[:, others], ratings[:, item]
        solved = np.linalg.solve(known.T @ known + 2.5 * np.eye(6), known.T @ wanted)
        assert model.weights_[others, item] == pytest.approx(solved, abs=1e-5)
        assert model.weights_[item, item] == 0
    errors = np.abs(model.score(np.arange(30)) - ratings @ model.weights_)
    assert (errors <= 1e-6 * (1 + ratings @ np.abs(model.weights_))).all()
    with pytest.raises(ValueError, match="regularisation is 1e-09, too small to separate items"):
        EASE(regularisation=1e-9).fit(csr_array(ratings[:, [0, 1, 0, 1]]))


def test_weights_of_ease_are_those_of_the_released_code() -> None:
    """Those of EASE_R in the code of Shehzad and Jannach (2023)."""
    fixture = Path(__file__).parents[1] / "studies" / "fixtures" / "shehzad2023.json"
    released = json.loads(fixture.read_text(encoding="utf-8"))["ease"]
    rows = csr_array(np.array(released["matrix"], dtype=np.float32))
    model = EASE(regularisation=released["l2_norm"]).fit(rows)
    assert model.weights_ == pytest.approx(np.array(released["weights"]), abs=1e-6)
