# SPDX-License-Identifier: MIT
"""BPRMF, WBPR and GBPR: draws, losses, and whole fits against epochs in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.java_oracle import OracleRandom, oracle_factors, oracle_table
from recommenders.matrices import COLD_ITEM, COLD_USER, generated, generated_matrix, to_matrix
from recommenders.objectives import ln_sigmoid
from recommenders.systems import pcg
from recommenders.test_librec_popularity import ListsOfLibRec

from receval.recommenders import gbpr, pairwise
from receval.recommenders.base import RatingMatrix
from receval.recommenders.bprmf import BPRMF
from receval.recommenders.gbpr import GBPR
from receval.recommenders.pairwise import PairSampler, descend
from receval.recommenders.wbpr import WBPR

Dense = NDArray[np.float64]
Ints = NDArray[np.int32]
Mask = NDArray[np.bool_]
Tables = list[Dense]
Triples = Iterator[tuple[int, int, int]]

LIBREC_SEED = 3


# --- draws -----------------------------------------------------------------------------------


def one_of(generator: np.random.Generator, codes: Ints) -> int:
    """Draw as compiled code does."""
    return int(codes[int(generator.random() * len(codes))])


def ratings_with_a_user_of_all_items() -> NDArray[np.bool_]:
    _, rated = generated()
    rated[0] = True
    rated[0, COLD_ITEM] = False
    return rated


@pytest.mark.each("positives", ["users", "ratings"])
@pytest.mark.each("negatives", ["uniform", "popularity"])
@pytest.mark.each(
    ("size", "sizes"), [(1, [1] * 8), (2, [2] * 4), (3, [3, 3, 2]), (7, [7, 1]), (8, [8])]
)
def test_pairs_in_blocks_are_drawn_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, positives: str, negatives: str, size: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(pairwise, "BLOCK", size)
    rated = ratings_with_a_user_of_all_items()
    train, generator = to_matrix(rated * 2.0, rated), pcg(5)
    blocks = list(PairSampler(train, pcg(5), positives, negatives).blocks(8))
    assert [len(users) for users, _, _ in blocks] == sizes

    lengths = rated.sum(axis=1)
    eligible = np.flatnonzero((lengths > 0) & (lengths < 44))
    owners, items = np.nonzero(rated)
    rows = np.flatnonzero(np.isin(owners, eligible))
    pool = items if negatives == "popularity" else np.unique(items)
    for users, above, below in blocks:
        for user, item in zip(users, above, strict=True):
            if positives == "ratings":
                row = one_of(generator, rows)
                assert (user, item) == (owners[row], items[row])
            else:
                assert user == one_of(generator, eligible)
                assert item == one_of(generator, np.flatnonzero(rated[user]))
        for user, item in zip(users, below, strict=True):
            drawn = one_of(generator, pool)
            while rated[user, drawn]:
                drawn = one_of(generator, pool)
            assert item == drawn


# --- steps -----------------------------------------------------------------------------------


def as_float32(tables: Tables) -> list[NDArray[np.float32]]:
    return [table.astype(np.float32) for table in tables]


def triple(user: int, above: int, below: int) -> tuple[Ints, Ints, Ints]:
    codes = np.array([[user], [above], [below]], dtype=np.int32)
    return codes[0], codes[1], codes[2]


@pytest.mark.parametrize(("lead", "expected"), [(200.0, 0.0), (-200.0, 200.0)])
def test_losses_of_hopeless_and_of_certain_pairs_are_finite(lead: float, expected: float) -> None:
    biases, users, items = as_float32([np.array([lead, 0.0]), np.zeros((1, 2)), np.zeros((2, 2))])
    loss = descend(iter([triple(0, 0, 1)]), biases, users, items, 0.5, 0, 0, 0, 0)
    assert loss == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(biases, [lead + (0.5 if lead < 0 else 0), -0.5 if lead < 0 else 0])


# --- fits ------------------------------------------------------------------------------------


def started(train: RatingMatrix, factors: int, highest: float, seed: int) -> tuple[Any, Tables]:
    """Return the generator after the initial biases and factors, and those."""
    generator = pcg(seed)
    users, items = (
        0.1 * generator.standard_normal((size, factors), dtype=np.float32).astype(float)
        for size in train.shape
    )
    biases = np.zeros(len(items))
    if highest:
        biases = highest * generator.random(len(items), dtype=np.float32).astype(float)
    items[COLD_ITEM] = biases[COLD_ITEM] = 0
    return generator, [biases, users, items]


def started_by_librec(rated: Mask, factors: int, highest: float) -> tuple[OracleRandom, Tables]:
    """Return the same with LibRec's draws, the factors first."""
    java = OracleRandom(LIBREC_SEED)
    users, items = oracle_factors(java, rated, factors)
    return java, [highest * oracle_table(java.double, rated.any(axis=0), 1)[:, 0], users, items]


def assert_fitted(model: Any, tables: Tables, losses: list[float]) -> None:
    biases, users, items = tables
    warm = np.setdiff1d(np.arange(len(users)), COLD_USER)
    # LibRec's fits are in double precision throughout.
    close = {"rtol": 1e-5, "atol": 1e-7} if vars(model).get("librec_seed") else {}
    close = close or {"rtol": 1e-3, "atol": 2e-5}
    np.testing.assert_allclose(model.item_biases_, biases, **close)
    np.testing.assert_allclose(model.item_factors_.T, items, **close)
    np.testing.assert_allclose(model.user_factors_[warm], users[warm], **close)
    np.testing.assert_allclose(model.loss_, losses, rtol=1e-4)
    expected = users[warm] @ items.T + biases
    np.testing.assert_allclose(model.score(warm), expected, rtol=1e-3, atol=1e-4)
    assert (model.score(warm)[:, COLD_ITEM] == 0).all()
    assert np.isnan(model.score(np.array([COLD_USER]))).all()


def plain_epoch(
    triples: Triples, tables: Tables, rate: float, penalties: tuple[float, float, float, float]
) -> float:
    biases, users, items = tables
    of_user, of_positive, of_negative, of_bias = penalties
    losses = []
    for u, i, j in triples:
        p, q, r, b, c = users[u].copy(), items[i].copy(), items[j].copy(), biases[i], biases[j]
        x = b - c + p @ q - p @ r
        losses.append(-ln_sigmoid(x))
        g = 1 / (1 + np.exp(x))
        biases[i] += rate * (g - of_bias * b)
        biases[j] += rate * (-g - of_bias * c)
        users[u] += rate * (g * (q - r) - of_user * p)
        items[i] += rate * (g * p - of_positive * q)
        items[j] += rate * (-g * p - of_negative * r)
    return float(np.mean(losses))


def of_lists(lists: ListsOfLibRec, java: OracleRandom, number: int) -> Triples:
    return (lists.drawn(java) for _ in range(number))


def one_by_one(sampler: PairSampler, number: int) -> Triples:
    for block in sampler.blocks(number):
        yield from zip(*(codes.tolist() for codes in block), strict=True)


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
@pytest.mark.costly
def test_bprmf_equals_epochs_in_plain_python(positives: str, negatives: str) -> None:
    train, penalties = generated_matrix(), (0.02, 0.03, 0.04, 0.05)
    draws = {"positives": positives, "negatives": negatives}
    model = BPRMF(5, 0.05, *penalties, epochs=2, **draws, seed=8).fit(train)
    generator, tables = started(train, 5, 0.0, 8)
    sampler = PairSampler(train, generator, **draws)
    losses = [
        plain_epoch(one_by_one(sampler, train.nnz), tables, 0.05, penalties) for _ in range(2)
    ]
    assert_fitted(model, tables, losses)


@pytest.mark.costly
@pytest.mark.parametrize("librec_seed", [None, LIBREC_SEED])
def test_wbpr_equals_epochs_in_plain_python(librec_seed: int | None) -> None:
    values, rated = generated(23, 17, seed=2)
    train = to_matrix(values, rated)
    model = WBPR(6, 0.25, 0.125, 2, samples_per_user=20, seed=4, librec_seed=librec_seed).fit(train)
    if librec_seed:
        java, tables = started_by_librec(rated, 6, 0.01)
        lists = ListsOfLibRec(rated)
        draw = partial(of_lists, lists, java, 22 * 20)
    else:
        generator, tables = started(train, 6, 0.01, 4)
        sampler = PairSampler(train, generator, negatives="popularity")
        draw = partial(one_by_one, sampler, 22 * 20)
    losses = [plain_epoch(draw(), tables, 0.25, (0.125,) * 4) for _ in range(2)]
    assert_fitted(model, tables, losses)
    # LibRec's way out, an item that the user may have rated, is taken too.
    assert not librec_seed or lists.ways_out > 0


def drawn_group(one_of: Callable[[Any], Any], raters: Any, user: int, size: int) -> list[int]:
    """Return a user and different other raters of an item, in the order in which GBPR draws."""
    if len(raters) <= size:
        return [user, *(int(rater) for rater in raters if rater != user)]
    group = [user]
    while len(group) < size:
        drawn = int(one_of(raters))
        if drawn not in group:
            group.append(drawn)
    return group


def drawn_by_librec(java: OracleRandom, rated: Mask, size: int, number: int) -> Iterator[Any]:
    """Draw users, rated items, groups and unrated items, all of what LibRec knows."""
    warm, known = np.flatnonzero(rated.any(axis=1)), np.flatnonzero(rated.any(axis=0))
    for _ in range(number):
        user = java.one_of(warm)
        above = java.one_of(np.flatnonzero(rated[user]))
        group = drawn_group(java.one_of, np.flatnonzero(rated[:, above]), user, size)
        while rated[user, below := java.one_of(known)]:
            pass
        yield user, above, below, group


@pytest.mark.costly
@pytest.mark.each("updates", ["triple", "epoch"])
@pytest.mark.each("librec_seed", [None, LIBREC_SEED])
@pytest.mark.each(
    ("size", "weight", "block"),
    [
        *((3, 0.6, block) for block in (1, 2, 3, 65, 66)),
        *((1, 0.7, 3), (2, 1.5, 65), (20, 0.6, 2)),
    ],
)
def test_gbpr_equals_epochs_in_plain_python(
    updates: str, size: int, weight: float, librec_seed: int | None, block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    values, rated = generated(23, 17, seed=2)
    train = to_matrix(values, rated)
    monkeypatch.setattr(gbpr if librec_seed else pairwise, "BLOCK", block)
    more = {"samples_per_user": 3, "updates": updates, "librec_seed": librec_seed}
    model = GBPR(4, weight, size, 0.25, 0.125, epochs=2, seed=6, **more).fit(train)
    if librec_seed:
        java, (biases, users, items) = started_by_librec(rated, 4, 1.0)
        draw = partial(drawn_by_librec, java, rated, size, 22 * 3)
    else:
        generator, (biases, users, items) = started(train, 4, 1.0, 6)
        sampler = PairSampler(train, generator)

        def draw() -> Iterator[Any]:
            # The groups of a block are drawn after its pairs.
            for first in range(0, 22 * 3, block):
                for u, i, j in [*one_by_one(sampler, min(block, 22 * 3 - first))]:
                    raters = np.flatnonzero(rated[:, i])
                    yield u, i, j, drawn_group(lambda n: one_of(generator, n), raters, u, size)

    losses = []
    for _ in range(2):
        at_once = updates == "triple"
        new_users, new_items = (users, items) if at_once else (users.copy(), items.copy())
        total = []
        for u, i, j, group in draw():
            p, q, r, old = users[u].copy(), items[i].copy(), items[j].copy(), users[group].copy()
            mean = weight * old.mean(axis=0) + (1 - weight) * p
            x = biases[i] + mean @ q - biases[j] - p @ r
            total.append(-ln_sigmoid(x))
            g = 1 / (1 + np.exp(x))
            biases[i] += 0.25 * (g - 0.125 * biases[i])
            biases[j] += 0.25 * (-g - 0.125 * biases[j])
            new_users[group] += 0.25 * (g * weight * q / len(group) - 0.125 * old)
            new_users[u] += 0.25 * g * ((1 - weight) * q - r)
            new_items[i] += 0.25 * (g * mean - 0.125 * q)
            new_items[j] += 0.25 * (-g * p - 0.125 * r)
        users, items = new_users, new_items
        losses.append(float(np.mean(total)))
    assert_fitted(model, [biases, users, items], losses)


@pytest.mark.each("rated", [np.ones((4, 6), dtype=bool), np.eye(1, 6, dtype=bool)])
@pytest.mark.each("model", [BPRMF(), WBPR(), GBPR()])
def test_nothing_is_learnt_where_nobody_has_an_unrated_item(
    model: BPRMF | WBPR | GBPR, rated: NDArray[np.bool_]
) -> None:
    model.fit(to_matrix(rated * 3.0, rated))
    assert (model.loss_ == 0).all()
    assert np.isfinite(model.score(np.array([0]))).all()
