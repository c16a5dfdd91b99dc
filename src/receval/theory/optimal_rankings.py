# SPDX-License-Identifier: MIT
r"""Optimal non-personalised rankings: score items to optimise precision or anti-precision at 1.

The rankings are from section 5 of menamaldonado2021: items by descending values of a function.
Users are recommended only items that they have no training rating of, so all functions are
conditional on :math:`\neg train`:

- They are NaN for items that all users of the sample have in train: p(train | i) is 1, and the odds
  of popularity are infinite. Such an item can be recommended to no user, so it has no rank.
- Those of observed values are 0 for items without training ratings, by equation 7; equations 8 and
  10 would need the average of no ratings.

:class:`receval.recommenders.non_personalised.OptimalRanking` recommends by the same formulas, and
scores 0 where they are NaN, since it needs a score for every item. Like the released code, it also
counts users with training ratings if the data are a sample of judgments, and it estimates
:math:`p(rel | \neg train, i)` from the judgments of the test fold alone.
"""

from __future__ import annotations

import numpy as np

from receval.theory.rating_probabilities import Probabilities, RatingProbabilities


def observed_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order maximises expected observed precision.

    .. math::

        \varphi_{\hat P}(i) = \frac{p(rel, train|i)}{1 - p(train|i)}
                            = p(rel|train,i) \frac{p(train|i)}{1 - p(train|i)}

    Equations 7 and 8: with a random split, test ratings are proportional to training ratings.

    Parameters
    ----------
    probabilities : RatingProbabilities

    Returns
    -------
    ndarray of float64, shape (n_items,)
    """
    return _over_not_train(probabilities, probabilities.relevant_train)


def observed_anti_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order minimises expected observed anti-precision.

    .. math:: \varphi_{anti\hat P}(i) = -p(\neg rel|train,i) \frac{p(train|i)}{1 - p(train|i)}

    Equation 10.

    Parameters
    ----------
    probabilities : RatingProbabilities

    Returns
    -------
    ndarray of float64, shape (n_items,)
    """
    return -_over_not_train(probabilities, probabilities.train - probabilities.relevant_train)


def real_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order maximises expected real precision.

    .. math:: \varphi_P(i) = p(rel|\neg train,i)

    Equation 6.

    Parameters
    ----------
    probabilities : RatingProbabilities
        They must include the relevance of unrated pairs.

    Returns
    -------
    ndarray of float64, shape (n_items,)

    Raises
    ------
    ValueError
        The relevance of unrated pairs is not known.
    """
    return probabilities.p_relevant_given_not_train


def real_anti_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the scores of items whose order minimises expected real anti-precision.

    .. math:: \varphi_{antiP}(i) = -p(\neg rel|\neg train,i) = p(rel|\neg train,i) - 1

    Equation 9. The order is the same as that of :func:`real_precision_ranking` (conclusion 1).

    Parameters
    ----------
    probabilities : RatingProbabilities
        They must include the relevance of unrated pairs.

    Returns
    -------
    ndarray of float64, shape (n_items,)

    Raises
    ------
    ValueError
        The relevance of unrated pairs is not known.
    """
    relevant = probabilities.known_relevant - probabilities.relevant_train
    return -_over_not_train(probabilities, probabilities.not_train - relevant)


def _over_not_train(probabilities: RatingProbabilities, users: np.ndarray) -> Probabilities:
    shares = np.full(np.shape(users), np.nan)
    np.divide(users, probabilities.not_train, out=shares, where=probabilities.not_train > 0)
    return shares
