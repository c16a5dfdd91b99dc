"""Matrix factorisation for Bayesian personalised ranking: rated items above unrated ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from receval.recommenders.base import RatingMatrix, Recommender
from receval.recommenders.family import alike_but_for
from receval.recommenders.pairwise_sampling import NEGATIVES, POSITIVES, PairSampler
from receval.recommenders.parameters import choice, integer, real, refuse_divergence
from receval.recommenders.products import inner_products


class BPRMF(Recommender):
    """Factors that put rated items above unrated ones.

    ``s(u, i) = b_i + p_u . q_i``; every rated item, whatever its rating, is to be above every
    unrated one. Maximises over the triples (u, i, j), i rated by u and j not,
    ``sum ln sigmoid(x) - penalty`` with ``x = s(u, i) - s(u, j)`` by stochastic gradient ascent: an
    epoch draws as many triples as there are ratings and steps, with ``g = sigmoid(-x)``,

    - ``b_i += learning_rate (g - bias_regularisation b_i)``;
    - ``b_j += learning_rate (-g - bias_regularisation b_j)``;
    - ``p_u += learning_rate (g (q_i - q_j) - user_regularisation p_u)``;
    - ``q_i += learning_rate (g p_u - positive_regularisation q_i)``;
    - ``q_j += learning_rate (-g p_u - negative_regularisation q_j)``,

    with the old values on the right. Biases start at 0, factors normally distributed around 0.

    NaN for all items of users without training ratings. Items without training ratings are never
    drawn, have ``b_i = 0`` and ``q_i = 0``, and score 0.

    Parameters
    ----------
    factors : int
        Length of p_u and q_i, at least 1.
    learning_rate : float
        Above 0.
    user_regularisation, positive_regularisation, negative_regularisation : float
        Of p_u, of q_i and of q_j, at least 0.
    bias_regularisation : float
        Of b_i and b_j, at least 0.
    epochs : int
        At least 1.
    positives : str
        How u and i are drawn: ``"users"`` (a uniformly random user, then one of the user's rated
        items) or ``"ratings"`` (a uniformly random rating, as in the paper).
    negatives : str
        How j is drawn among the items that u has not rated and others have: ``"uniform"``, as in
        the paper, or in proportion to the number of ratings (``"popularity"``).
    initial_deviation : float
        Standard deviation of the initial factors, at least 0.
    seed : int
        Seed of the initial factors and of the triples, at least 0.

    Attributes
    ----------
    item_biases_ : ndarray of float32, shape (n_items,)
        b_i.
    user_factors_ : ndarray of float32, shape (n_users, factors)
        p_u; NaN for users without training ratings.
    item_factors_ : ndarray of float32, shape (factors, n_items)
        q_i, one column each.
    loss_ : ndarray of float64, shape (epochs,)
        Mean of ``-ln sigmoid(x)`` over each epoch, every x taken before its step; 0 where no user
        has an unrated item.

    References
    ----------
    Rendle, Freudenthaler, Gantner and Schmidt-Thieme, "BPR: Bayesian Personalized Ranking from
    Implicit Feedback", UAI 2009, sections 4.1 to 4.3 (figure 4, LearnBPR). The item biases, the
    uniform users and the defaults are those of MyMediaLite.
    """

    SHARED_OVER = (
        "learning_rate",
        "user_regularisation",
        "positive_regularisation",
        "negative_regularisation",
        "bias_regularisation",
        "epochs",
        "initial_deviation",
    )

    item_biases_: NDArray[np.float32]
    user_factors_: NDArray[np.float32]
    item_factors_: NDArray[np.float32]
    loss_: NDArray[np.float64]

    def __init__(
        self,
        factors: int = 10,
        learning_rate: float = 0.05,
        user_regularisation: float = 0.0025,
        positive_regularisation: float = 0.0025,
        negative_regularisation: float = 0.00025,
        bias_regularisation: float = 0.0,
        epochs: int = 30,
        positives: str = "users",
        negatives: str = "uniform",
        initial_deviation: float = 0.1,
        seed: int = 0,
    ) -> None:
        self.factors = integer(self, "factors", factors, lowest=1)
        self.learning_rate = real(self, "learning_rate", learning_rate, lowest=0, above=True)
        self.user_regularisation = real(self, "user_regularisation", user_regularisation, lowest=0)
        self.positive_regularisation = real(
            self, "positive_regularisation", positive_regularisation, lowest=0
        )
        self.negative_regularisation = real(
            self, "negative_regularisation", negative_regularisation, lowest=0
        )
        self.bias_regularisation = real(self, "bias_regularisation", bias_regularisation, lowest=0)
        self.epochs = integer(self, "epochs", epochs, lowest=1)
        self.positives = choice(self, "positives", positives, POSITIVES)
        self.negatives = choice(self, "negatives", negatives, NEGATIVES)
        self.initial_deviation = real(self, "initial_deviation", initial_deviation, lowest=0)
        self.seed = integer(self, "seed", seed, lowest=0)

    def _fit(self, train: RatingMatrix) -> None:
        self._fit_family([self], train)

    @classmethod
    def _fit_family(cls, models: Sequence[Self], train: RatingMatrix) -> None:
        first = models[0]
        generator = np.random.Generator(np.random.PCG64(first.seed))
        users, items = (
            generator.standard_normal((size, first.factors), dtype=np.float32)
            for size in train.shape
        )
        items[np.bincount(train.indices, minlength=first.n_items_) == 0] = 0
        cold = np.diff(train.indptr) == 0
        sampler = PairSampler(train, generator, first.positives, first.negatives)
        courses = [
            _Course([models[place] for place in places], users, items, cold)
            for places in alike_but_for(models, ("epochs",))
        ]
        while courses:
            blocks = sampler.blocks(train.nnz)
            # All courses learn from the same triples; those of a single one need not be held.
            held = list(blocks) if len(courses) > 1 else blocks
            for course in courses:
                course.ascend(iter(held))
            courses = [course for course in courses if course.continues]

    def _score_block(self, users: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        inner_products(self.user_factors_[users], self.item_factors_, scores)
        scores += self.item_biases_


class _Course:
    """A course of training, and the models that are its state after one epoch or another.

    Parameters
    ----------
    models : sequence of BPRMF
        Those that differ in their epochs alone.
    users, items : ndarray of float32, shapes (n_users, factors) and (n_items, factors)
        Initial factors of deviation 1.
    cold : ndarray of bool, shape (n_users,)
        Users without training ratings.
    """

    def __init__(
        self,
        models: Sequence[BPRMF],
        users: NDArray[np.float32],
        items: NDArray[np.float32],
        cold: NDArray[np.bool_],
    ) -> None:
        self.models = models
        self.cold = cold
        scale = np.float32(models[0].initial_deviation)
        self.users, self.items = scale * users, scale * items
        self.biases = np.zeros(len(items), dtype=np.float32)
        self.losses: list[float] = []

    @property
    def continues(self) -> bool:
        """Whether there are epochs to come."""
        return len(self.losses) < max(model.epochs for model in self.models)

    def ascend(
        self, blocks: Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]
    ) -> None:
        """Do an epoch with the given triples."""
        model = self.models[0]
        loss = descend(
            blocks,
            self.biases,
            self.users,
            self.items,
            model.learning_rate,
            model.user_regularisation,
            model.positive_regularisation,
            model.negative_regularisation,
            model.bias_regularisation,
        )
        self.losses.append(loss)
        for model in self.models:
            if model.epochs == len(self.losses):
                self._finish(model)

    def _finish(self, model: BPRMF) -> None:
        refuse_divergence(model, model.learning_rate, self.losses[-1])
        model.item_biases_ = self.biases.copy()
        model.user_factors_ = self.users.copy()
        model.user_factors_[self.cold] = np.nan
        model.item_factors_ = np.ascontiguousarray(self.items.T)
        model.loss_ = np.array(self.losses)


def descend(
    blocks: Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]],
    biases: NDArray[np.float32],
    users: NDArray[np.float32],
    items: NDArray[np.float32],
    learning_rate: float,
    user_regularisation: float,
    positive_regularisation: float,
    negative_regularisation: float,
    bias_regularisation: float,
) -> float:
    """Do the step of :class:`BPRMF` for each of some triples, in order.

    Parameters
    ----------
    blocks : iterator
        Users, positive and negative items, as :meth:`PairSampler.blocks` yields them.
    biases : ndarray of float32, shape (n_items,)
        b_i; changed in place, as the two below.
    users, items : ndarray of float32, shapes (n_users, factors) and (n_items, factors)
        p_u and q_i.
    learning_rate, user_regularisation, positive_regularisation : float
    negative_regularisation, bias_regularisation : float
        As in :class:`BPRMF`.

    Returns
    -------
    float
        Mean of ``-ln sigmoid(x)`` over the triples, 0 where there are none.
    """
    loss, n_triples = 0.0, 0
    for drawn in blocks:
        loss += _descend(
            *drawn,
            biases,
            users,
            items,
            np.float32(learning_rate),
            np.float32(user_regularisation),
            np.float32(positive_regularisation),
            np.float32(negative_regularisation),
            np.float32(bias_regularisation),
        )
        n_triples += len(drawn[0])
    return loss / max(n_triples, 1)


@njit(cache=True)
def _descend(  # type: ignore[no-untyped-def]
    drawn_users,
    positives,
    negatives,
    biases,
    users,
    items,
    learning_rate,
    user_regularisation,
    positive_regularisation,
    negative_regularisation,
    bias_regularisation,
):
    n_factors = users.shape[1]
    whole = n_factors - n_factors % 4
    one = np.float32(1)
    loss = 0.0
    for n in range(len(drawn_users)):
        # Unsigned positions spare numba's test for negative ones.
        above = np.uint64(positives[n])
        below = np.uint64(negatives[n])
        p = users[np.uint64(drawn_users[n])]
        q = items[above]
        r = items[below]
        # Four partial sums, so that an addition need not wait for the one before it; written out,
        # so that the order of summation is the same on every processor.
        first = second = third = fourth = np.float32(0)
        for factor in range(0, whole, 4):
            at = np.uint64(factor)
            first += p[at] * (q[at] - r[at])
            at += np.uint64(1)
            second += p[at] * (q[at] - r[at])
            at += np.uint64(1)
            third += p[at] * (q[at] - r[at])
            at += np.uint64(1)
            fourth += p[at] * (q[at] - r[at])
        for factor in range(whole, n_factors):
            first += p[factor] * (q[factor] - r[factor])
        difference = biases[above] - biases[below]
        difference += (first + second) + (third + fourth)
        exponential = np.exp(-difference)
        # The exponential is infinite for a difference below -88, and the quotient would be NaN.
        pull = one - one / (one + exponential)
        loss += np.log1p(np.float64(exponential)) if pull < one else -np.float64(difference)
        bias_above = biases[above]
        bias_below = biases[below]
        biases[above] += learning_rate * (pull - bias_regularisation * bias_above)
        biases[below] += learning_rate * (-pull - bias_regularisation * bias_below)
        for factor in range(n_factors):
            user = p[factor]
            positive = q[factor]
            negative = r[factor]
            p[factor] += learning_rate * (pull * (positive - negative) - user_regularisation * user)
            q[factor] += learning_rate * (pull * user - positive_regularisation * positive)
            r[factor] += learning_rate * (-pull * user - negative_regularisation * negative)
    return loss
