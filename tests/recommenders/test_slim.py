# SPDX-License-Identifier: MIT
"""SLIM against its optimality conditions; LibRec's form against dense loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from recommenders.java_oracle import OracleHashSet, OracleQueue, OracleRandom
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, generated_matrix, to_matrix
from recommenders.systems import pcg

from receval.recommenders import slim
from receval.recommenders.librec.slim import LibRecSLIM, _take_nearest
from receval.recommenders.neighbourhood import co_rated_cosines, nearest_rows
from receval.recommenders.slim import SLIM

Dense = NDArray[np.float64]


@pytest.mark.each(("neighbours", "lowest"), [(None, 0.0), (7, 0.0), (None, -2.5)])
def test_slim_meets_the_optimality_conditions(neighbours: int | None, lowest: float) -> None:
    values, rated = generated(80, 120, seed=4)
    values = np.where(rated, values + lowest, 0)
    train = to_matrix(values, rated)
    model = SLIM(3.0, 2.0, neighbours, tolerance=1e-14, sweeps=100_000).fit(train)
    weights = model.weights_.toarray().astype(float)
    assert weights.min() == 0
    assert (np.diag(weights) == 0).all()
    allowed = ~np.eye(120, dtype=bool)
    if neighbours is not None:
        allowed = nearest_rows(train.T.tocsr(), neighbours).toarray().T > 0
        assert (weights[~allowed] == 0).all()
    gradient = values.T @ (values @ weights - values) + 2.0 * weights + 3.0
    np.testing.assert_allclose(gradient[weights > 0], 0, atol=1e-3)
    assert gradient[allowed & (weights == 0)].min() > -1e-3


@pytest.mark.each("sweeps", [1, 2, 3, 1000])
def test_slim_objective_is_that_of_the_weights_after_the_given_sweeps(sweeps: int) -> None:
    values, rated = generated(80, 120, seed=4)
    train = to_matrix(values, rated)
    model = SLIM(1.0, 2.0, tolerance=1e-9, sweeps=sweeps).fit(train)
    weights = model.weights_.toarray().astype(float)
    reached = ((values - values @ weights) ** 2).sum() / 2 + (weights**2).sum() + weights.sum()
    assert model.objective_[0] == pytest.approx((values**2).sum() / 2)
    assert model.objective_[-1] == pytest.approx(reached, rel=1e-6)
    assert len(model.objective_) == 1 + min(sweeps, 56)


@pytest.mark.each(
    ("tolerance", "sweeps", "reached"),
    [(1e-1, 4, 57198.7999880318), (1e-3, 25, 49909.42315200514), (None, 40, 49429.99407309522)],
)
def test_slim_sweeps_as_often_as_ever(tolerance: float | None, sweeps: int, reached: float) -> None:
    # One sweep more or less, in one column or in all, moves the objective beyond these digits. More
    # items come into question at once than may join at once.
    train = to_matrix(*generated(300, 200, seed=4))
    chosen = {} if tolerance is None else {"tolerance": tolerance}
    model = SLIM(0.2, 5.0, **chosen).fit(train)
    assert len(model.objective_) == 1 + sweeps
    assert model.objective_[-1] == pytest.approx(reached, rel=1e-11)


def test_slim_with_room_for_few_gram_rows_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    train = to_matrix(*generated(80, 120, seed=4))
    whole = SLIM(40.0, 2.0).fit(train)
    monkeypatch.setattr(slim, "GRAM_ENTRIES", 70 * 120)
    few = SLIM(40.0, 2.0).fit(train)
    np.testing.assert_array_equal(few.weights_.toarray(), whole.weights_.toarray())
    monkeypatch.setattr(slim, "GRAM_ENTRIES", 5 * 120)
    with pytest.raises(ValueError, match=r"l1 is 40\.0, with which more than 5 of the 120 items"):
        SLIM(40.0, 2.0).fit(train)


@pytest.mark.costly
def test_items_that_no_sweep_is_left_for_do_not_join_slim_s_working_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The first 64 items fit, and more would join before the second sweep.
    train = to_matrix(*generated(300, 200, seed=4))
    whole = SLIM(0.2, 5.0, sweeps=1).fit(train)
    monkeypatch.setattr(slim, "GRAM_ENTRIES", 64 * 200)
    few = SLIM(0.2, 5.0, sweeps=1).fit(train)
    np.testing.assert_array_equal(few.weights_.toarray(), whole.weights_.toarray())
    with pytest.raises(ValueError, match="more than 64 of the 200 items"):
        SLIM(0.2, 5.0).fit(train)


def test_slim_without_penalties_copies_an_equal_item() -> None:
    # A weight of exactly 1, and then nothing left that another item could add.
    values = np.array([[1, 1, 0], [2, 2, 0], [0, 0, 3]], dtype=np.float64)
    model = SLIM(l1=0.0, l2=0.0).fit(to_matrix(values, values > 0))
    assert model.weights_.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert model.objective_[-1] == 4.5


@pytest.mark.parametrize("system", [SLIM(l1=500.0), LibRecSLIM(neighbours=2)])
def test_unreached_items_score_zero_and_cold_users_nothing(system: SLIM | LibRecSLIM) -> None:
    scores = system.fit(generated_matrix()).score(np.arange(60))
    np.testing.assert_array_equal(np.delete(scores[:, COLD_ITEM], COLD_USER), 0)
    assert np.isnan(scores[COLD_USER]).all()
    assert not np.isnan(np.delete(scores, COLD_USER, axis=0)).any()


# Of the samples of LibRec's form, in which -1 stands for no rating.
UNRATED = 4


def visited_by_librec(
    nearest: NDArray[np.intp], similarities: Dense, k: int, known: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return ascending neighbours in the order of LibRec's set of their numbers."""
    everything = (similarities > 0).sum() <= k
    numbers = OracleHashSet(int(len(nearest) * 1.5) if everything else int(len(nearest) / 0.5))
    added = nearest if everything else sorted(nearest, key=lambda item: -similarities[item])
    for item in added:
        numbers.add(int(np.searchsorted(known, item)))
    return known[list(numbers)]


def dense_librec_slim(model: LibRecSLIM, values: Dense, profiles: Dense) -> tuple[Dense, list]:
    """Sweep as the formulas say, with whole dense predictions at every step."""
    train = to_matrix(values, values > -1)
    items = np.arange(values.shape[1])
    similarities = co_rated_cosines(items, train.T.tocsr(), train, model.shrinkage)
    k = model.neighbours
    nearest = [np.sort(np.argsort(-row, kind="stable")[:k]) for row in similarities]
    nearest = [row[similarities[item, row] > 0] for item, row in enumerate(nearest)]
    weights = np.zeros((len(items), len(items)))
    if model.librec_seed is None:
        start = pcg(model.seed).random((len(items), min(k, len(items))))
        for item in items:
            weights[nearest[item], item] = start[item, : len(nearest[item])]
    else:
        # LibRec knows rated items alone, and draws a weight for each pair of them.
        java, known = OracleRandom(model.librec_seed), np.delete(items, UNRATED)
        drawn = {(other, item): java.double() for other in known for item in known}
        for item in known:
            weights[nearest[item], item] = [drawn[other, item] for other in nearest[item]]
            nearest[item] = visited_by_librec(nearest[item], similarities[item], k, known)
    losses: list[float] = []
    while len(losses) < model.sweeps:
        loss = 0.0
        for item in items:
            for other in nearest[item]:
                weight, weights[other, item] = weights[other, item], 0
                raters = values[:, other] != 0
                errors = (values[:, item] - profiles @ weights[:, item])[raters]
                loss += np.mean(errors**2) + model.l2 / 2 * weight**2 + model.l1 * weight
                g = np.mean(values[raters, other] * errors)
                h = np.mean(values[raters, other] ** 2)
                weights[other, item] = np.sign(g) * max(abs(g) - model.l1, 0) / (h + model.l2)
        losses.append(loss)
        if len(losses) > 1 and losses[-2] - losses[-1] < model.tolerance:
            break
    return weights, losses


@pytest.mark.each("profiles", ["whole", "misread"])
@pytest.mark.each(("neighbours", "l1"), [(4, 0.3), (30, 0.1)])
@pytest.mark.each("librec_seed", [None, 5])
def test_librec_slim_equals_dense_sweeps(
    profiles: str, neighbours: int, l1: float, librec_seed: int | None
) -> None:
    generator = np.random.default_rng(6)
    values = generator.choice([0.0, 1.0, 2.0, 1.5], (25, 12), p=[0.5, 0.2, 0.2, 0.1])
    values[:, UNRATED] = -1
    train = to_matrix(values, values > -1)
    model = LibRecSLIM(
        neighbours, 10.0, l1, 0.5, 3, profiles=profiles, seed=3, librec_seed=librec_seed
    ).fit(train)
    read = model.profiles_
    values[:, UNRATED] = 0
    assert (read.toarray() != values).any() == (profiles == "misread")
    expected, losses = dense_librec_slim(model, values, read.toarray().astype(float))
    np.testing.assert_allclose(model.weights_.toarray(), expected, atol=1e-6)
    np.testing.assert_allclose(model.loss_, losses, rtol=1e-9)
    assert (expected < 0).any() == (neighbours == 30)
    np.testing.assert_allclose(
        model.score(np.arange(25)), read.toarray() @ expected, rtol=1e-5, atol=1e-6
    )


@pytest.mark.each("sweeps", [2, 4, 7])
def test_librec_slim_stops_with_the_first_sweep_that_gains_less_than_the_tolerance(
    sweeps: int,
) -> None:
    values = np.random.default_rng(6).choice([0.0, 1.0, 2.0], (25, 12), p=[0.5, 0.25, 0.25])
    train = to_matrix(values, values > 0)

    def losses(tolerance: float) -> Dense:
        return LibRecSLIM(12, 10.0, 0.1, 5.0, sweeps=9, tolerance=tolerance).fit(train).loss_

    whole = losses(0)
    gains = -np.diff(whole)
    # The eighth gains nothing.
    assert len(whole) == 8
    assert (np.diff(gains) < 0).all()
    last = gains[sweeps - 2]
    np.testing.assert_array_equal(losses(last * (1 + 1e-9)), whole[:sweeps])
    np.testing.assert_array_equal(losses(last), whole[: sweeps + 1])


def test_profiles_are_misread_by_position() -> None:
    # In order of (user, item): 1 0 | 2 3 | 0 4; in order of (item, user): 1 2 0 | 0 3 4.
    values = np.array([[1, 0], [2, 3], [0, 4]], dtype=float)
    train = to_matrix(values, np.ones((3, 2), dtype=bool))
    read = LibRecSLIM(profiles="misread").fit(train).profiles_
    # The third and fourth are skipped, but for the third, which is the user's first.
    np.testing.assert_array_equal(read.toarray(), [[1, 0], [2, 0], [0, 4]])
    assert read.nnz == 6


@given(
    rows=st.integers(1, 14).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0]), min_size=n, max_size=n),
            min_size=1,
            max_size=3,
        )
    ),
    room=st.integers(1, 9),
)
# 0 and 1 come in; 2 removes 0, the first; of the equal 1 and 3, 3 came too late.
@example([[0.25, 0.5, 1.0, 0.5]], 2)
@pytest.mark.costly
def test_of_equally_similar_items_the_heap_decides(rows: list[list[float]], room: int) -> None:
    nearest = np.empty((len(rows), room), dtype=np.int32)
    found = np.empty(len(rows), dtype=np.int32)
    _take_nearest(np.array(rows), nearest, found)
    for row, own, size in zip(rows, nearest, found, strict=True):
        queue = OracleQueue(row)
        for item, value in enumerate(row):
            if value and len(queue.heap) == room and value > row[queue.heap[0]]:
                queue.poll()
            if value and len(queue.heap) < room:
                queue.add(item)
        assert own[:size].tolist() == queue.heap
