"""BPRMF, WBPR and GBPR: gradients, epochs done in plain Python, what is drawn how often."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from recommenders.systems import (
    COLD_ITEM,
    COLD_USER,
    ONE_RATING_USER,
    generated,
    generated_matrix,
    to_matrix,
)

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.bprmf import BPRMF, descend
from receval.recommenders.drifting_popularity import CACHED_USERS, DriftingPopularitySampler
from receval.recommenders.gbpr import GBPR, _draw_groups
from receval.recommenders.gbpr import _descend as descend_groups
from receval.recommenders.pairwise_sampling import PairSampler
from receval.recommenders.wbpr import WBPR

Dense = NDArray[np.float64]
Ints = NDArray[np.int32]
Tables = list[Dense]


def pcg(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def ln_sigmoid(x: float) -> float:
    return -float(np.logaddexp(0, -x))


def initial(n_users: int, n_items: int, factors: int, seed: int = 3) -> Tables:
    """Return biases, user and item factors."""
    generator = pcg(seed)
    shapes = ((n_items,), (n_users, factors), (n_items, factors))
    return [generator.standard_normal(shape) for shape in shapes]


def as_float32(tables: Tables) -> list[NDArray[np.float32]]:
    return [table.astype(np.float32) for table in tables]


def gradients(value: Callable[[Tables], float], tables: Tables) -> Tables:
    """Return the central differences of a function of some tables."""
    results = []
    for table in tables:
        slopes = np.empty_like(table)
        for place in np.ndindex(table.shape):
            kept, reached = table[place], []
            for shift in (1e-5, -1e-5):
                table[place] = kept + shift
                reached.append(value(tables))
            table[place] = kept
            slopes[place] = (reached[0] - reached[1]) / 2e-5
        results.append(slopes)
    return results


def triple(user: int, above: int, below: int) -> tuple[Ints, Ints, Ints]:
    codes = np.array([[user], [above], [below]], dtype=np.int32)
    return codes[0], codes[1], codes[2]


# ---------------------------------------------------------------------------------------------
# The steps


@pytest.mark.parametrize("factors", [1, 4, 7])
def test_bprmf_steps_along_the_gradient_of_its_objective(factors: int) -> None:
    tables = initial(3, 4, factors)
    user, above, below = 1, 2, 0
    of_user, of_positive, of_negative, of_bias = penalties = (0.2, 0.3, 0.4, 0.5)

    def objective(tables: Tables) -> float:
        biases, users, items = tables
        x = biases[above] - biases[below] + users[user] @ (items[above] - items[below])
        penalty = of_user * users[user] @ users[user]
        penalty += of_positive * items[above] @ items[above]
        penalty += of_negative * items[below] @ items[below]
        penalty += of_bias * (biases[above] ** 2 + biases[below] ** 2)
        return ln_sigmoid(x) - 0.5 * float(penalty)

    new_biases, new_users, new_items = stepped = as_float32(tables)
    drawn = iter([triple(user, above, below)])
    loss = descend(drawn, new_biases, new_users, new_items, 1.0, *penalties)
    for before, after, slope in zip(tables, stepped, gradients(objective, tables), strict=True):
        np.testing.assert_allclose(after - before, slope, atol=2e-6)
    biases, users, items = tables
    x = biases[above] - biases[below] + users[user] @ (items[above] - items[below])
    assert loss == pytest.approx(-ln_sigmoid(x), rel=1e-6)


def group_objective(
    tables: Tables, codes: tuple[int, int, int], group: list[int], weight: float, penalty: float
) -> float:
    """Return the criterion of Pan and Chen for one user, group and pair of items."""
    biases, users, items = tables
    user, above, below = codes
    preference = weight * users[group].mean(axis=0) + (1 - weight) * users[user]
    x = biases[above] + preference @ items[above] - biases[below] - users[user] @ items[below]
    squares = biases[above] ** 2 + biases[below] ** 2
    squares += (items[[above, below]] ** 2).sum() + (users[group] ** 2).sum()
    return ln_sigmoid(x) - 0.5 * penalty * float(squares)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(("group", "weight"), [([1], 0.7), ([1, 4], 1.5), ([1, 0, 3], 0.4)])
def test_gbpr_steps_along_the_gradient_of_its_objective(
    group: list[int], weight: float, at_once: bool
) -> None:
    tables = initial(5, 4, 3)
    slopes = gradients(lambda t: group_objective(t, (1, 2, 0), group, weight, 0.3), tables)
    biases, users, items = as_float32(tables)
    new_users, new_items = (users, items) if at_once else (users.copy(), items.copy())
    groups = np.full((1, 4), -1, dtype=np.int32)
    groups[0, : len(group)] = group
    sizes = np.array([len(group)], dtype=np.int32)
    numbers = (np.float32(weight), np.float32(1), np.float32(0.3))
    drawn = triple(1, 2, 0)
    tables_now = (biases, users, items, new_users, new_items)
    descend_groups(*drawn, groups, sizes, *tables_now, *numbers)
    for before, after, slope in zip(tables, (biases, new_users, new_items), slopes, strict=True):
        np.testing.assert_allclose(after - before, slope, atol=2e-6)
    if not at_once:
        np.testing.assert_array_equal(users, tables[1].astype(np.float32))
        np.testing.assert_array_equal(items, tables[2].astype(np.float32))


@pytest.mark.parametrize(("lead", "expected"), [(200.0, 0.0), (-200.0, 200.0)])
def test_losses_of_hopeless_and_of_certain_pairs_are_finite(lead: float, expected: float) -> None:
    biases, users, items = as_float32([np.array([lead, 0.0]), np.zeros((1, 2)), np.zeros((2, 2))])
    loss = descend(iter([triple(0, 0, 1)]), biases, users, items, 0.5, 0, 0, 0, 0)
    assert loss == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(biases, [lead + (0.5 if lead < 0 else 0), -0.5 if lead < 0 else 0])


def test_an_item_drawn_as_its_own_rival_only_shrinks() -> None:
    """LibRec's way out of WBPR's drifting weights may hit the rated item itself."""
    tables = initial(2, 3, 5)
    biases, users, items = as_float32(tables)
    descend(iter([triple(1, 2, 2)]), biases, users, items, 0.1, 0.2, 0.2, 0.2, 0)
    np.testing.assert_allclose(users[1], tables[1][1] * (1 - 0.1 * 0.2), rtol=1e-5)
    np.testing.assert_allclose(items[2], tables[2][2] * (1 - 2 * 0.1 * 0.2), rtol=1e-5)


# ---------------------------------------------------------------------------------------------
# Whole fits


def started(
    train: RatingMatrix, factors: int, seed: int, biases: str
) -> tuple[np.random.Generator, Tables]:
    """Return the generator after the initial values, and those."""
    generator = pcg(seed)
    n_users, n_items = train.shape
    users = 0.1 * generator.standard_normal((n_users, factors), dtype=np.float32).astype(float)
    items = 0.1 * generator.standard_normal((n_items, factors), dtype=np.float32).astype(float)
    highest = {"zero": 0.0, "hundredth": 0.01, "one": 1.0}[biases]
    first = np.zeros(n_items)
    if highest:
        first = highest * generator.random(n_items, dtype=np.float32).astype(float)
    items[COLD_ITEM] = first[COLD_ITEM] = 0
    return generator, [first, users, items]


def assert_fitted(model: Any, tables: Tables, losses: list[float]) -> None:
    biases, users, items = tables
    np.testing.assert_allclose(model.item_biases_, biases, rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(model.item_factors_.T, items, rtol=1e-3, atol=2e-5)
    warm = np.setdiff1d(np.arange(len(users)), COLD_USER)
    np.testing.assert_allclose(model.user_factors_[warm], users[warm], rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(model.loss_, losses, rtol=1e-4)
    expected = users[warm] @ items.T + biases
    np.testing.assert_allclose(model.score(warm), expected, rtol=1e-3, atol=1e-4)
    assert (model.score(warm)[:, COLD_ITEM] == 0).all()
    assert np.isnan(model.score(np.array([COLD_USER]))).all()


def plain_epoch(
    blocks: Iterator[tuple[Ints, Ints, Ints]],
    tables: Tables,
    rate: float,
    penalties: tuple[float, float, float, float],
) -> float:
    biases, users, items = tables
    of_user, of_positive, of_negative, of_bias = penalties
    losses = []
    for block in blocks:
        for u, i, j in zip(*block, strict=True):
            p, q, r, b, c = users[u].copy(), items[i].copy(), items[j].copy(), biases[i], biases[j]
            x = b - c + p @ (q - r)
            losses.append(-ln_sigmoid(x))
            g = 1 / (1 + np.exp(x))
            biases[i] += rate * (g - of_bias * b)
            biases[j] += rate * (-g - of_bias * c)
            users[u] += rate * (g * (q - r) - of_user * p)
            items[i] += rate * (g * p - of_positive * q)
            items[j] += rate * (-g * p - of_negative * r)
    return float(np.mean(losses))


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
def test_bprmf_equals_epochs_in_plain_python(positives: str, negatives: str) -> None:
    train = generated_matrix()
    model = BPRMF(
        factors=5,
        user_regularisation=0.02,
        positive_regularisation=0.03,
        negative_regularisation=0.04,
        bias_regularisation=0.05,
        epochs=2,
        positives=positives,
        negatives=negatives,
        seed=8,
    ).fit(train)
    generator, tables = started(train, 5, 8, "zero")
    sampler = PairSampler(train, generator, positives, negatives)
    penalties = (0.02, 0.03, 0.04, 0.05)
    losses = [plain_epoch(sampler.blocks(train.nnz), tables, 0.05, penalties) for _ in range(2)]
    assert_fitted(model, tables, losses)


@pytest.mark.parametrize("weights", ["popularity", "drifting-popularity"])
def test_wbpr_equals_epochs_in_plain_python(weights: str) -> None:
    train = generated_matrix()
    model = WBPR(
        factors=6,
        learning_rate=0.05,
        regularisation=0.03,
        epochs=2,
        samples_per_user=20,
        weights=weights,
        seed=4,
    ).fit(train)
    generator, tables = started(train, 6, 4, "hundredth")
    sampler = (
        PairSampler(train, generator, negatives="popularity")
        if weights == "popularity"
        else DriftingPopularitySampler(train, generator)
    )
    losses = [plain_epoch(sampler.blocks(59 * 20), tables, 0.05, (0.03,) * 4) for _ in range(2)]
    assert_fitted(model, tables, losses)


@pytest.mark.parametrize("updates", ["triple", "epoch"])
@pytest.mark.parametrize(("size", "weight"), [(2, 1.5), (3, 0.6)])
def test_gbpr_equals_epochs_in_plain_python(updates: str, size: int, weight: float) -> None:
    train = generated_matrix()
    model = GBPR(
        factors=4,
        group_weight=weight,
        group_size=size,
        regularisation=0.02,
        epochs=3,
        samples_per_user=8,
        updates=updates,
        seed=6,
    ).fit(train)
    generator, tables = started(train, 4, 6, "one")
    biases, users, items = tables
    sampler, by_item, losses = PairSampler(train, generator), train.T.tocsr(), []
    for _ in range(3):
        at_once = updates == "triple"
        new_users, new_items = (users, items) if at_once else (users.copy(), items.copy())
        total = []
        for block in sampler.blocks(59 * 8):
            groups = np.full((len(block[0]), size), -1, dtype=np.int32)
            sizes = np.empty(len(groups), dtype=np.int32)
            _draw_groups(generator, by_item.indptr, by_item.indices, *block[:2], groups, sizes)
            for n, (u, i, j) in enumerate(zip(*block, strict=True)):
                group = groups[n, : sizes[n]]
                codes = (int(u), int(i), int(j))
                value = group_objective([biases, users, items], codes, list(group), weight, 0)
                total.append(-value)
                g = -np.expm1(value)
                p, q, r = users[u].copy(), items[i].copy(), items[j].copy()
                old = users[group].copy()
                biases[i] += 0.01 * (g - 0.02 * biases[i])
                biases[j] += 0.01 * (-g - 0.02 * biases[j])
                new_users[group] += 0.01 * (g * weight * q / len(group) - 0.02 * old)
                new_users[u] += 0.01 * g * ((1 - weight) * q - r)
                mean = weight * old.mean(axis=0) + (1 - weight) * p
                new_items[i] += 0.01 * (g * mean - 0.02 * q)
                new_items[j] += 0.01 * (-g * p - 0.02 * r)
        users, items = new_users, new_items
        losses.append(float(np.mean(total)))
    assert_fitted(model, [biases, users, items], losses)


@pytest.mark.parametrize(
    "model",
    [
        BPRMF(factors=5),
        BPRMF(factors=5, positives="ratings"),
        WBPR(factors=5, learning_rate=0.05),
        GBPR(factors=5, learning_rate=0.05, epochs=20),
        GBPR(factors=5, updates="epoch", epochs=20),
    ],
    ids=lambda model: f"{type(model).__name__}-{model.seed}",
)
def test_losses_fall(model: BPRMF | WBPR | GBPR) -> None:
    losses = model.fit(generated_matrix()).loss_
    assert losses.dtype == np.float64
    assert losses[-1] < 0.97 * losses[0]


@pytest.mark.parametrize("rated", [np.ones((4, 6), dtype=bool), np.eye(1, 6, dtype=bool)])
@pytest.mark.parametrize("model", [BPRMF(), WBPR(), WBPR(weights="drifting-popularity"), GBPR()])
def test_nothing_is_learnt_where_nobody_has_an_unrated_item(
    model: BPRMF | WBPR | GBPR, rated: NDArray[np.bool_]
) -> None:
    model.fit(to_matrix(rated * 3.0, rated))
    assert (model.loss_ == 0).all()
    assert np.isfinite(model.score(np.array([0]))).all()


# ---------------------------------------------------------------------------------------------
# What is drawn


def all_drawn(sampler: PairSampler, n_pairs: int) -> tuple[Ints, Ints, Ints]:
    parts = [np.concatenate(part) for part in zip(*sampler.blocks(n_pairs), strict=True)]
    return parts[0], parts[1], parts[2]


def assert_frequencies(codes: Ints, expected: Dense) -> None:
    """Check counts against their expectations, given up to a factor: within 5 deviations."""
    expected = len(codes) * expected / expected.sum()
    counts = np.bincount(codes, minlength=len(expected))
    assert (counts[expected == 0] == 0).all()
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected)).all()


def ratings_with_a_user_of_all_items() -> NDArray[np.bool_]:
    _, rated = generated()
    rated[0] = True
    rated[0, COLD_ITEM] = False
    return rated


@pytest.mark.parametrize("positives", ["users", "ratings"])
@pytest.mark.parametrize("negatives", ["uniform", "popularity"])
def test_pairs_are_drawn_with_the_documented_probabilities(positives: str, negatives: str) -> None:
    rated = ratings_with_a_user_of_all_items()
    sampler = PairSampler(to_matrix(rated * 2.0, rated), pcg(5), positives, negatives)
    users, above, below = all_drawn(sampler, 300_000)
    assert len(users) == 300_000
    assert rated[users, above].all()
    assert not rated[users, below].any()
    lengths = rated.sum(axis=1).astype(float)
    can_be_drawn = (lengths > 0) & (lengths < 44)
    np.testing.assert_array_equal(sampler.eligible, np.flatnonzero(can_be_drawn))
    user_weights = can_be_drawn * (lengths if positives == "ratings" else 1.0)
    assert_frequencies(users, user_weights)
    popularity = rated.sum(axis=0)
    item_weights = popularity if negatives == "popularity" else popularity > 0
    for user in (ONE_RATING_USER, 9):
        assert_frequencies(above[users == user], rated[user].astype(float))
        assert_frequencies(below[users == user], (item_weights * ~rated[user]).astype(float))


def test_groups_are_the_user_and_other_raters_drawn_uniformly() -> None:
    train = generated_matrix()
    by_item = train.T.tocsr()
    item = int(np.argmax(np.diff(by_item.indptr)))
    raters = by_item.indices[by_item.indptr[item] : by_item.indptr[item + 1]]
    user = raters[3]
    groups = np.full((40_000, 3), -1, dtype=np.int32)
    sizes = np.empty(40_000, dtype=np.int32)
    users, items = (np.full(40_000, code, dtype=np.int32) for code in (user, item))
    _draw_groups(pcg(2), by_item.indptr, by_item.indices, users, items, groups, sizes)
    assert (sizes == 3).all()
    assert (groups[:, 0] == user).all()
    assert (groups[:, 1] != groups[:, 2]).all()
    others = np.zeros(60)
    others[raters] = 1
    others[user] = 0
    assert_frequencies(groups[:, 1], others)
    assert_frequencies(groups[:, 2], others)


def test_groups_of_seldom_rated_items_are_all_their_raters() -> None:
    rated = np.zeros((6, 2), dtype=bool)
    rated[[1, 4, 5], 0] = True
    rated[2, 1] = True
    by_item = to_matrix(rated * 1.0, rated).T.tocsr()
    groups = np.full((2, 5), -1, dtype=np.int32)
    sizes = np.empty(2, dtype=np.int32)
    users, items = np.array([[4, 2], [0, 1]], dtype=np.int32)
    _draw_groups(pcg(2), by_item.indptr, by_item.indices, users, items, groups, sizes)
    np.testing.assert_array_equal(sizes, [3, 1])
    np.testing.assert_array_equal(groups[0, :3], [4, 1, 5])
    assert groups[1, 0] == 2


class ListsOfLibRec:
    """LibRec's lists of weights, as its WBPR builds them: one entry an item, shared by all."""

    def __init__(self, rated: NDArray[np.bool_]) -> None:
        popularity = rated.sum(axis=0)
        order = sorted(np.flatnonzero(popularity), key=lambda item: -popularity[item])
        self.weights = {int(item): float(popularity[item]) for item in order}
        self.rated, self.lists = rated, OrderedDict[int, list[int]]()

    def probabilities(self, user: int) -> Dense:
        """Return the chance of each item to be drawn for the user, who is drawn now."""
        if user in self.lists:
            self.lists.move_to_end(user)
        else:
            if len(self.lists) == CACHED_USERS:
                self.lists.popitem(last=False)
            listed = [item for item in self.weights if not self.rated[user, item]]
            total = sum(self.weights[item] for item in listed)
            for item in listed:
                self.weights[item] /= total
            self.lists[user] = listed
        chances, reached = np.zeros(self.rated.shape[1]), 0.0
        for item in self.lists[user]:
            chances[item] = min(self.weights[item], 1 - reached)
            reached += chances[item]
        chances[0] += 1 - reached
        return chances


def test_drifting_weights_are_those_of_the_lists_of_librec() -> None:
    _, rated = generated(n_users=CACHED_USERS + 150, n_items=40)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), pcg(1))
    lists = ListsOfLibRec(rated)
    generator = pcg(7)
    found, expected = np.zeros(40), np.zeros(40)
    ways_out = 0.0
    for _ in range(30):
        users = generator.choice(sampler.eligible, 500).astype(np.int32)
        negatives = sampler.negatives(users)
        for user, item in zip(users, negatives, strict=True):
            chances = lists.probabilities(user)
            # Far below the 5 deviations of the sums beneath: no draw is ever impossible.
            assert chances[item] > 0
            found[item] += 1
            expected += chances
            ways_out += chances[0] if rated[user, 0] else 0
        weights = np.array(list(lists.weights.values()))
        ratios = sampler.weights / weights
        np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)
    assert ways_out > 20
    assert (np.abs(found - expected) <= 5 * np.sqrt(expected + 1)).all()


def test_drifting_weights_leave_the_popularities_behind() -> None:
    _, rated = generated(n_users=CACHED_USERS + 150, n_items=40)
    sampler = DriftingPopularitySampler(to_matrix(rated * 1.0, rated), pcg(1))
    popularity = np.sort(rated.sum(axis=0))[::-1][: len(sampler.weights)]
    np.testing.assert_array_equal(sampler.weights, popularity)
    sampler.negatives(pcg(7).choice(sampler.eligible, 20_000).astype(np.int32))
    relative = sampler.weights / popularity
    assert relative.max() > 1e3 * relative.min()


# ---------------------------------------------------------------------------------------------
# Refusals


@pytest.mark.parametrize(
    ("system", "parameters", "message"),
    [
        (BPRMF, {"factors": 0}, "BPRMF: the parameter factors is 0"),
        (BPRMF, {"learning_rate": 0}, "BPRMF: the parameter learning_rate is 0, .* above 0"),
        (BPRMF, {"user_regularisation": -1}, "user_regularisation is -1, .* at least 0"),
        (BPRMF, {"positive_regularisation": -1}, "positive_regularisation is -1"),
        (BPRMF, {"negative_regularisation": -1}, "negative_regularisation is -1"),
        (BPRMF, {"bias_regularisation": -1}, "bias_regularisation is -1"),
        (BPRMF, {"positives": "items"}, "'users', 'ratings'"),
        (BPRMF, {"negatives": "drifting-popularity"}, "'uniform', 'popularity'"),
        (BPRMF, {"initial_deviation": -0.1}, "initial_deviation is -0.1"),
        (WBPR, {"weights": "uniform"}, "'popularity', 'drifting-popularity'"),
        (WBPR, {"samples_per_user": 0}, "WBPR: the parameter samples_per_user is 0"),
        (WBPR, {"seed": -1}, "WBPR: the parameter seed is -1"),
        (GBPR, {"group_size": 0}, "GBPR: the parameter group_size is 0"),
        (GBPR, {"group_weight": -0.5}, "GBPR: the parameter group_weight is -0.5"),
        (GBPR, {"updates": "batch"}, "'triple', 'epoch'"),
        (GBPR, {"epochs": 2.0}, "GBPR: the parameter epochs is 2.0"),
    ],
)
def test_bad_parameters_are_refused_by_name(
    system: type[Recommender], parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        system(**parameters)


@pytest.mark.parametrize(
    "model",
    [
        BPRMF(learning_rate=1e6, user_regularisation=1, positive_regularisation=1),
        WBPR(learning_rate=1e6),
        GBPR(learning_rate=1e6),
    ],
    ids=lambda model: type(model).__name__,
)
def test_divergence_is_refused_with_the_learning_rate(model: Recommender) -> None:
    with pytest.raises(ValueError, match=r"diverged: the parameter learning_rate is 1000000\.0"):
        model.fit(generated_matrix())
