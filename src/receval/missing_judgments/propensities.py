# SPDX-License-Identifier: MIT
"""Propensity models: the probability that a (user, item) pair that is not in train is in test.

Estimators divide what they observe of a pair by its propensity, so that rarely observed pairs also
count for similar pairs that were not observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol as Interface
from typing import Self

import numpy as np
from numpy.typing import NDArray

from receval.protocols.candidates import base_candidates, popularity
from receval.protocols.protocol import Protocol
from receval.splits.split import Fold, Judgments
from receval.storage.messages import enumerated
from receval.theory.precision import n_open, reachable


@dataclass(frozen=True)
class CandidatePairs:
    """The pairs of a user and an item that estimates are made for.

    `judged`, of shape (n_judgments,), tells whether each judgment is of a candidate of its user;
    `sizes`, of shape (n_users,), how many candidates each user has: items of the protocol without
    the user's training items; `is_candidate`, of shape (n_items,), which are base candidates.
    """

    judged: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    is_candidate: NDArray[np.bool_]

    @classmethod
    def of(cls, fold: Fold, judgments: Judgments, protocol: Protocol) -> Self:
        """Count the candidates of a protocol under which ranks do not depend on what was judged.

        The judgments are the fold's test or unbiased ones, or others of the same users and items.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> train = csr_array(np.array([[1, 0, 0], [0, 0, 0]], dtype=np.float32))
        >>> fold = Fold(train, Judgments.from_pairs([0, 1], [2, 0], [5, 4], n_users=2))
        >>> CandidatePairs.of(fold, fold.test, Protocol("AR", "AI")).sizes.tolist()
        [2, 3]
        """
        if protocol.relevant != "AR" or protocol.sampled is not None:
            raise ValueError(
                f"Ranks under {protocol.name} are among sampled candidates, or there is one list "
                "per relevant item. Estimates need the whole list of a user. Use AR AI-AN or AR "
                "train-AN."
            )
        if protocol.candidates not in ("AI", "train"):
            raise ValueError(
                f"The candidates of {protocol.name} are the items that somebody judged, so ranks "
                "depend on what was observed. Choose AR AI-AN or AR train-AN."
            )
        is_candidate = base_candidates(protocol, fold, judgments)
        judged = reachable(fold, judgments, protocol, is_candidate)
        return cls(judged, n_open(fold, protocol, is_candidate), is_candidate)

    def sum_over_candidates(self, fold: Fold, of_items: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a number per item over the candidates of each user, shape (n_users,)."""
        inside = np.where(self.is_candidate, of_items, 0.0)
        users = np.repeat(np.arange(fold.train.shape[0]), np.diff(fold.train.indptr))
        trained = np.bincount(
            users, weights=inside[fold.train.indices], minlength=fold.train.shape[0]
        )
        return np.where(self.sizes > 0, inside.sum() - trained, 0.0)


class PropensityModel(Interface):
    """Interface of models that give the propensities of a fold's test ratings."""

    @property
    def label(self) -> str:
        """Name of the model in tables."""

    def of(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        """Return the propensity of each test rating, above 0 and at most 1."""


@dataclass(frozen=True)
class PopularityPropensities:
    r"""Propensities that grow with a power of the item's popularity.

    .. math:: p_{ui} = \min(1,\; s\,|R(i)|^{\alpha})

    with :math:`|R(i)|` the number of users who rated the item in train or test, and s such that the
    expected number of test ratings over all candidates is the observed one. The scale s is a guess,
    because the number of unobserved relevant items is unknown without a random sample. So IPS
    estimates are right up to a factor that all systems share, and SNIPS estimates do not depend on
    it.

    Parameters
    ----------
    power : float
        :math:`\alpha`. Yang et al. use :math:`(\gamma + 1) / 2`, with :math:`\gamma` fitted to the
        popularity curve; 0 gives all pairs the same propensity.

    Notes
    -----
    Yang, Cui, Xuan, Wang, Belongie and Estrin (2018), "Unbiased offline recommender evaluation for
    missing-not-at-random implicit feedback", RecSys, section 3. They count training ratings and
    leave out test items that have none.

    Examples
    --------
    >>> PopularityPropensities(power=0.5).label
    'popularity^0.5'
    """

    power: float = 1.0

    @property
    def label(self) -> str:
        return "popularity" if self.power == 1 else f"popularity^{self.power:g}"

    def of(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        pairs = CandidatePairs.of(fold, fold.test, protocol)
        counts = popularity(fold).astype(np.float64)
        weights = np.zeros(len(counts))
        np.power(counts, self.power, out=weights, where=counts > 0)
        whole = pairs.sum_over_candidates(fold, weights).sum()
        scale = pairs.judged.sum() / whole if whole > 0 else 1.0
        return np.minimum(1.0, scale * weights[fold.test.items])


@dataclass(frozen=True)
class SamplePropensities:
    r"""Propensities by rating value, estimated with a sample of judgments missing at random.

    .. math:: P(O \mid R = r) = \frac{P(R = r \mid O)\, P(O)}{P(R = r)}

    with :math:`P(R = r \mid O)` the share of the value r among the test ratings, :math:`P(O)` the
    share of all candidates with a test rating, and :math:`P(R = r)` the share of r in the sample.
    Given the value, all items are equally likely to be observed, so this model ignores that users
    choose popular items whatever they think of them.

    Parameters
    ----------
    sample : Judgments, optional
        Judgments of randomly drawn items; the fold's unbiased judgments by default.

    Notes
    -----
    Schnabel, Swaminathan, Singh, Chandak and Joachims (2016), "Recommendations as treatments:
    debiasing learning and evaluation", ICML, section 5 (naive Bayes).

    Examples
    --------
    A 5 is half of the test ratings and a quarter of the sample; half of the candidates are in test:

    >>> from scipy.sparse import csr_array
    >>> test = Judgments.from_pairs([0, 0], [0, 1], [5, 1], n_users=1)
    >>> sample = Judgments.from_pairs([0, 0, 0, 0], [0, 1, 2, 3], [5, 1, 1, 1], n_users=1)
    >>> fold = Fold(csr_array((1, 4), dtype=np.float32), test, sample)
    >>> SamplePropensities().of(fold, Protocol("AR", "AI")).round(3).tolist()
    [1.0, 0.333]
    """

    sample: Judgments | None = None

    @property
    def label(self) -> str:
        return "MAR sample"

    def of(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        sample = fold.unbiased if self.sample is None else self.sample
        if sample is None:
            raise ValueError(
                "Propensities from a random sample need one, but the split has no unbiased "
                "judgments. Choose the split missing-at-random, give a sample, or use "
                "PopularityPropensities."
            )
        pairs = CandidatePairs.of(fold, fold.test, protocol)
        drawn = sample.values[CandidatePairs.of(fold, sample, protocol).judged]
        seen = fold.test.values[pairs.judged]
        values, value_of_rating = np.unique(fold.test.values, return_inverse=True)
        in_sample = np.array([np.count_nonzero(drawn == value) for value in values])
        in_test = np.array([np.count_nonzero(seen == value) for value in values])
        lacking = values[(in_sample == 0) & (in_test > 0)]
        if len(lacking):
            raise ValueError(
                f"The random sample has no rating of {enumerated([f'{v:g}' for v in lacking])}, "
                "but test ratings do, so their propensity is not known. Give a larger sample, or "
                "merge values of the scale."
            )
        share = pairs.judged.sum() / pairs.sizes.sum()
        given_seen = in_test / max(len(seen), 1)
        propensity = np.ones(len(values))
        known = in_sample > 0
        propensity[known] = given_seen[known] * share / (in_sample[known] / len(drawn))
        # Values with which no candidate was rated are never needed.
        propensity[in_test == 0] = 1.0
        return np.minimum(1.0, propensity)[value_of_rating]


@dataclass(frozen=True)
class StratifiedPropensities:
    r"""Propensities by strata of items of similar popularity.

    Items in order of falling popularity are divided into strata with shares of the test ratings
    that are as equal as whole items allow. All pairs of a stratum are treated as equally likely to
    be observed,

    .. math:: p_{ui} = \frac{n_s}{N_s} \quad \text{for } i \in s,

    with :math:`n_s` test ratings among the :math:`N_s` candidates of the stratum. So IPS is a
    stratified estimate: the sum, over strata, of their means times their sizes.

    Stratified evaluation by exposure is that of Jadidinejad, Macdonald and Ounis (2021), "The
    Simpson's paradox in the offline evaluation of recommendation systems", TOIS 40(1); the strata
    and the estimate are the textbook ones of Cochran (1977), "Sampling techniques", chapter 5.

    Examples
    --------
    Item 0 has half of the four test ratings, and three candidates; the two others have five:

    >>> from scipy.sparse import csr_array
    >>> test = Judgments.from_pairs([0, 1, 0, 1], [0, 0, 1, 2], [5, 5, 5, 5], n_users=3)
    >>> train = csr_array(np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1]], dtype=np.float32))
    >>> StratifiedPropensities(2).of(Fold(train, test), Protocol("AR", "AI")).round(3).tolist()
    [0.667, 0.4, 0.667, 0.4]
    """

    strata: int = 10

    def __post_init__(self) -> None:
        if self.strata < 1:
            raise ValueError(f"Items are divided into {self.strata} strata; give at least 1.")

    @property
    def label(self) -> str:
        return f"{self.strata} strata"

    def of(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        pairs = CandidatePairs.of(fold, fold.test, protocol)
        n_items = fold.train.shape[1]
        counts = np.bincount(fold.test.items[pairs.judged], minlength=n_items)
        order = np.lexsort((np.arange(n_items), -popularity(fold)))
        before = np.cumsum(counts[order]) - counts[order]
        part = np.zeros(n_items, dtype=np.int64)
        part[order] = np.minimum(self.strata - 1, before * self.strata // max(int(counts.sum()), 1))
        observed = np.bincount(part, weights=counts, minlength=self.strata)
        candidates = np.array(
            [
                pairs.sum_over_candidates(fold, (part == stratum).astype(np.float64)).sum()
                for stratum in range(self.strata)
            ]
        )
        shares = np.ones(self.strata)
        np.divide(observed, candidates, out=shares, where=candidates > 0)
        own = shares[part[fold.test.items]]
        # Test ratings of items that are not candidates get no weight.
        return np.where(pairs.judged, np.minimum(own, 1.0), 1.0)


@dataclass(frozen=True, eq=False)
class KnownPropensities:
    """Known propensities of all pairs, as in a simulation or a logged experiment.

    Parameters
    ----------
    matrix : ndarray, shape (n_users, n_items)
        In the order of the ratings' codes.
    name : str
        What the propensities are called in tables.

    Examples
    --------
    >>> KnownPropensities(np.full((2, 3), 0.5)).label
    'known'
    """

    matrix: NDArray[np.floating]
    name: str = "known"

    @property
    def label(self) -> str:
        return self.name

    def of(self, fold: Fold, protocol: Protocol) -> NDArray[np.float64]:
        if self.matrix.shape != fold.train.shape:
            raise ValueError(
                f"The propensities have the shape {self.matrix.shape}, but they must have the "
                f"shape {fold.train.shape}, for all users and items."
            )
        own = self.matrix[fold.test.users, fold.test.items].astype(np.float64)
        wrong = np.flatnonzero(~((own > 0) & (own <= 1)))
        if len(wrong):
            user, item = fold.test.users[wrong[0]], fold.test.items[wrong[0]]
            raise ValueError(
                f"The propensity of user {user} and item {item}, a pair in the test, is "
                f"{own[wrong[0]]:g}. It must be above 0 and at most 1."
            )
        return own
