# SPDX-License-Identifier: MIT
"""Probabilities that an item is in train, in test or relevant, and rankings by them.

The probabilities are estimated by counting users. The optimal rankings are those of section 5 of
Mena-Maldonado et al. (2021): items by descending values of a function. Users are recommended only
items that they have no training rating of, so all functions are conditional on *not train*:

- They are NaN for items that all users of the sample have in train: p(train | i) is 1, and the odds
  of popularity are infinite. Such an item can be recommended to no user, so it has no rank.
- Those of observed values are 0 for items without training ratings, by equation 7; equations 8 and
  10 would need the average of no ratings.

:class:`receval.recommenders.non_personalised.OptimalRanking` recommends by the same formulas, and
scores 0 where they are NaN, since it needs a score for every item. Like the released code, it also
counts users with training ratings if the data are a sample of judgments, and it estimates p(rel |
not train, i) from the judgments of the test fold alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from receval.data.ratings import Ratings

Probabilities = NDArray[np.float64]
UserCounts = NDArray[np.int64]


@dataclass(frozen=True)
class RatingProbabilities:
    r"""Counts of users per item, and the probabilities estimated from them.

    The users are the sample S(i) of those whose ratings of item i are known. If users chose what to
    rate, the sample is all users. If items were drawn for users, it is the users who were asked
    (Mena-Maldonado et al. 2021, equation 5, sections 4.1 and 4.2):

    .. math::

        p(train|i) = \frac{|train|}{|S(i)|}, \quad p(rel|train,i) = \frac{|rel, train|}{|train|},
        \quad p(rel|i) = \frac{|rel|}{|S(i)|}, \quad p(train|rel,i) = \frac{|rel, train|}{|rel|}

    and so on. Probabilities are float64 arrays of the shape of the counts, and NaN where the
    denominator is 0. Those of relevance for all pairs, rated or not, and those of test raise a
    ValueError if the counts for them are missing; so do counts that contradict each other.

    Attributes
    ----------
    sampled : ndarray of int64, shape (n_items,) or ()
        :math:`|S(i)|`.
    train, relevant_train : ndarray of int64, of the same shape
        Numbers of users in the sample with a training rating of the item, and with a relevant one.
    relevant : ndarray of int64, of the same shape, or None
        Number of users in the sample to whom the item is relevant, rated or not; None if that is
        not known, as if users chose what to rate.
    test, relevant_test : ndarray of int64, of the same shape, or None
        Numbers of users in the sample with a test rating, and with a relevant one; None without a
        test.
    """

    sampled: UserCounts
    train: UserCounts
    relevant_train: UserCounts
    relevant: UserCounts | None = None
    test: UserCounts | None = None
    relevant_test: UserCounts | None = None

    def __post_init__(self) -> None:
        for name, counts in list(vars(self).items()):
            if counts is not None:
                # Differences of unsigned counts would not be negative.
                signed = np.asarray(counts).astype(np.int64, casting="same_kind", copy=False)
                object.__setattr__(self, name, signed)
        shapes = {
            name: np.shape(counts) for name, counts in vars(self).items() if counts is not None
        }
        if len(set(shapes.values())) > 1 or (self.test is None) != (self.relevant_test is None):
            raise ValueError(
                f"The counts have the shapes {shapes}. Every count needs one number per item, and "
                "test and relevant_test must be given together."
            )
        zero = np.zeros_like(self.sampled)
        test = zero if self.test is None else self.test
        relevant_test = zero if self.relevant_test is None else self.relevant_test
        rated, liked = self.train + test, self.relevant_train + relevant_test
        parts = [
            ("none", zero, "relevant and train", self.relevant_train),
            ("none", zero, "relevant and test", relevant_test),
            ("relevant and train", self.relevant_train, "train", self.train),
            ("relevant and test", relevant_test, "test", test),
            ("train or test", rated, "sampled", self.sampled),
        ]
        if self.relevant is not None:
            disliked, others = rated - liked, self.sampled - self.relevant
            parts += [
                ("relevant and rated", liked, "relevant", self.relevant),
                ("not relevant and rated", disliked, "not relevant", others),
            ]
        for part, few, whole, many in parts:
            if np.any(few > many):
                item = int(np.argmax(np.ravel(few > many)))
                raise ValueError(
                    f"Item {item} has {np.ravel(few)[item]} users ({part}) among "
                    f"{np.ravel(many)[item]} ({whole}), but a part cannot be larger than the "
                    "whole."
                )

    @classmethod
    def of_ratings(
        cls, ratings: Ratings, threshold: float, in_train: NDArray[np.bool_] | None = None
    ) -> Self:
        """Count ratings that users chose to give: every user is in the sample of every item.

        A mask tells which ratings are training ratings, such as those of a fold; the others are
        left out. By default all are. No pair of user and item may occur twice in train.
        """
        train = _mask(np.ones(len(ratings), dtype=bool) if in_train is None else in_train, ratings)
        _check_pairs(ratings.select(train))
        return cls(
            sampled=np.full(ratings.n_items, ratings.n_users, dtype=np.int64),
            train=_per_item(ratings, train),
            relevant_train=_per_item(ratings, train & (ratings.values >= threshold)),
        )

    @classmethod
    def of_judgments(
        cls, ratings: Ratings, threshold: float, in_train: NDArray[np.bool_] | None = None
    ) -> Self:
        """Count judgments of items that were drawn for users; these users are the sample.

        A mask tells which judgments count as training ratings; by default those of items that the
        user knew (:attr:`receval.data.ratings.Ratings.known`), as the paper does in CM100k. No pair
        of user and item may be judged twice.
        """
        _check_pairs(ratings)
        train = ratings.known if in_train is None else in_train
        if train is None:
            raise ValueError(
                "The ratings do not say which items their users knew, so none of them can be "
                "treated as training ratings. Give in_train, or count with of_ratings."
            )
        relevant = ratings.values >= threshold
        return cls(
            sampled=np.bincount(ratings.items, minlength=ratings.n_items).astype(np.int64),
            train=_per_item(ratings, _mask(train, ratings)),
            relevant_train=_per_item(ratings, train & relevant),
            relevant=_per_item(ratings, relevant),
        )

    @classmethod
    def of_matrices(
        cls, relevant: ArrayLike, train: ArrayLike, test: ArrayLike | None = None
    ) -> Self:
        """Count in complete matrices, shape (n_users, n_items), as in toy examples.

        They tell which items are relevant to which users, and which pairs are in train or in test.
        """
        is_relevant, in_train = (np.asarray(matrix, dtype=bool) for matrix in (relevant, train))
        in_test = None if test is None else np.asarray(test, dtype=bool)
        shapes = {matrix.shape for matrix in (is_relevant, in_train, in_test) if matrix is not None}
        if len(shapes) > 1 or is_relevant.ndim != 2:
            raise ValueError(
                f"The matrices have the shapes {sorted(shapes)}. All of them must have one row per "
                "user and one column per item."
            )
        if in_test is not None and (in_train & in_test).any():
            user, item = np.argwhere(in_train & in_test)[0]
            raise ValueError(
                f"The pair of user {user} and item {item} is both in train and in test, but a "
                "rating can be in only one of them."
            )
        return cls(
            sampled=np.full(is_relevant.shape[1], len(is_relevant), dtype=np.int64),
            train=in_train.sum(axis=0),
            relevant_train=(in_train & is_relevant).sum(axis=0),
            relevant=is_relevant.sum(axis=0),
            test=None if in_test is None else in_test.sum(axis=0),
            relevant_test=None if in_test is None else (in_test & is_relevant).sum(axis=0),
        )

    @property
    def total(self) -> Self:
        """The counts over all pairs of users and items together, as arrays of shape ().

        They give the probabilities that are not conditional on an item, such as p(train | rel).
        """
        return self._mapped(lambda counts: np.asarray(counts.sum(dtype=np.int64)))

    def select(self, items: NDArray[np.bool_] | NDArray[np.integer]) -> Self:
        """Return the counts of some items, by a mask or by their codes."""
        return self._mapped(lambda counts: counts[items])

    def _mapped(self, change: Callable[[UserCounts], UserCounts]) -> Self:
        known = {name: counts for name, counts in vars(self).items() if counts is not None}
        return type(self)(**{name: change(counts) for name, counts in known.items()})

    @property
    def not_train(self) -> UserCounts:
        """Number of users in the sample without a training rating of the item."""
        return self.sampled - self.train

    @property
    def known_relevant(self) -> UserCounts:
        """The counts ``relevant``; raises a ValueError if they are not known."""
        if self.relevant is None:
            raise ValueError(
                "The relevance of items to users who did not rate them is not known, so p(rel | "
                "i) and what follows from it cannot be estimated. Count judgments of items that "
                "were drawn for users (of_judgments), or complete matrices (of_matrices)."
            )
        return self.relevant

    @property
    def tested(self) -> tuple[UserCounts, UserCounts]:
        """The counts ``test`` and ``relevant_test``; raises a ValueError without a test."""
        if self.test is None or self.relevant_test is None:
            raise ValueError(
                "There are no counts of test ratings, so no probability of test can be estimated. "
                "Give the counts test and relevant_test."
            )
        return self.test, self.relevant_test

    @property
    def with_odds(self) -> NDArray[np.bool_]:
        """Which items have odds of popularity that are neither 0 nor infinite.

        Items without training ratings have no average rating, and the paper leaves them out. Items
        that all users of the sample have in train have no rank in any optimal ranking
        (:mod:`receval.theory.rating_probabilities`).
        """
        return np.asarray((self.train > 0) & (self.not_train > 0))

    @property
    def p_train(self) -> Probabilities:
        """p(train | i), the popularity of the item."""
        return _share(self.train, self.sampled)

    @property
    def p_relevant_given_train(self) -> Probabilities:
        """p(rel | train, i), the average binary rating of the item."""
        return _share(self.relevant_train, self.train)

    @property
    def p_not_relevant_given_train(self) -> Probabilities:
        """p(not rel | train, i)."""
        return _share(self.train - self.relevant_train, self.train)

    @property
    def p_relevant(self) -> Probabilities:
        """p(rel | i)."""
        return _share(self.known_relevant, self.sampled)

    @property
    def p_not_relevant(self) -> Probabilities:
        """p(not rel | i)."""
        return _share(self.sampled - self.known_relevant, self.sampled)

    @property
    def p_train_given_relevant(self) -> Probabilities:
        """p(train | rel, i)."""
        return _share(self.relevant_train, self.known_relevant)

    @property
    def p_relevant_given_not_train(self) -> Probabilities:
        """p(rel | not train, i)."""
        return _share(self.known_relevant - self.relevant_train, self.not_train)

    @property
    def p_test(self) -> Probabilities:
        """p(test | i)."""
        return _share(self.tested[0], self.sampled)

    @property
    def p_relevant_given_test(self) -> Probabilities:
        """p(rel | test, i)."""
        test, relevant_test = self.tested
        return _share(relevant_test, test)

    @property
    def p_relevant_and_test(self) -> Probabilities:
        """p(rel, test | i)."""
        return _share(self.tested[1], self.sampled)


def _check_pairs(ratings: Ratings) -> None:
    pairs = np.sort(ratings.users.astype(np.int64) * ratings.n_items + ratings.items)
    repeated = np.flatnonzero(pairs[1:] == pairs[:-1])
    if len(repeated):
        user, item = divmod(int(pairs[repeated[0]]), ratings.n_items)
        raise ValueError(
            f"User '{ratings.user_ids[user]}' rated item '{ratings.item_ids[item]}' twice, so "
            "shares of users cannot be counted. Keep one rating per pair."
        )


def _mask(rows: NDArray[np.bool_], ratings: Ratings) -> NDArray[np.bool_]:
    if rows.shape != (len(ratings),) or rows.dtype != bool:
        raise ValueError(
            f"The mask of training ratings has the shape {rows.shape} and the type {rows.dtype}, "
            f"but there are {len(ratings)} ratings. Give True or False for each rating."
        )
    return rows


def _per_item(ratings: Ratings, rows: NDArray[np.bool_]) -> UserCounts:
    return np.bincount(ratings.items[rows], minlength=ratings.n_items).astype(np.int64)


def _share(part: UserCounts, whole: UserCounts) -> Probabilities:
    shares = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=shares, where=np.asarray(whole) > 0)
    return shares


def observed_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order maximises expected observed precision.

    .. math::

        \varphi_{\hat P}(i) = \frac{p(rel, train|i)}{1 - p(train|i)}
                            = p(rel|train,i) \frac{p(train|i)}{1 - p(train|i)}

    Equations 7 and 8: with a random split, test ratings are proportional to training ratings.
    """
    return _share(probabilities.relevant_train, probabilities.not_train)


def observed_anti_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order minimises expected observed anti-precision.

    .. math:: \varphi_{anti\hat P}(i) = -p(\neg rel|train,i) \frac{p(train|i)}{1 - p(train|i)}

    Equation 10.
    """
    return -_share(probabilities.train - probabilities.relevant_train, probabilities.not_train)


def real_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order maximises expected real precision.

    .. math:: \varphi_P(i) = p(rel|\neg train,i)

    Equation 6. The relevance of unrated pairs must be known.
    """
    return probabilities.p_relevant_given_not_train


def real_anti_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order minimises expected real anti-precision.

    .. math:: \varphi_{antiP}(i) = -p(\neg rel|\neg train,i) = p(rel|\neg train,i) - 1

    Equation 9. The order is the same as that of :func:`real_precision_ranking` (conclusion 1).
    """
    relevant = probabilities.known_relevant - probabilities.relevant_train
    return -_share(probabilities.not_train - relevant, probabilities.not_train)
