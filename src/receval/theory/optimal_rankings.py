# SPDX-License-Identifier: MIT
r"""Functions of items whose falling order is optimal for precision or anti-precision at 1.

Non-personalised rankings of section 5 of menamaldonado2021. A user is only recommended items that
the user has no training rating of, so all of them are conditional on :math:`\neg train`:

- They are NaN for items that all users of the sample have in train: p(train | i) is 1, and the odds
  of popularity are infinite. There is nobody left to recommend such an item to, so it has no rank
  in a ranking.
- Those of observed values are 0 for items without training ratings: equation 7 counts no user,
  where equations 8 and 10 have an average rating without ratings in them.

:class:`receval.recommenders.non_personalised.OptimalRanking` recommends by the same formulas and
scores 0 where they are NaN, since it needs a score of every item. As the released code does, it
counts the users with training ratings also where the data is a sample of judgments, and estimates
:math:`p(rel | \neg train, i)` by the judgments of the test fold alone.
"""

from __future__ import annotations

import numpy as np

from receval.theory.rating_probabilities import Probabilities, RatingProbabilities


def observed_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the function whose order maximises expected observed precision.

    .. math::

        \varphi_{\hat P}(i) = \frac{p(rel, train|i)}{1 - p(train|i)}
                            = p(rel|train,i) \frac{p(train|i)}{1 - p(train|i)}

    Equations 7 and 8: with a random split, what is in test is proportional to what is in train.

    Parameters
    ----------
    probabilities : RatingProbabilities

    Returns
    -------
    ndarray of float64, shape (n_items,)
    """
    return _over_not_train(probabilities, probabilities.relevant_train)


def observed_anti_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the function whose order minimises expected observed anti-precision.

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
    r"""Return the function whose order maximises expected real precision.

    .. math:: \varphi_P(i) = p(rel|\neg train,i)

    Equation 6.

    Parameters
    ----------
    probabilities : RatingProbabilities
        With the relevance of pairs that are not rated.

    Returns
    -------
    ndarray of float64, shape (n_items,)

    Raises
    ------
    ValueError
        The relevance of pairs that are not rated is not known.
    """
    return probabilities.p_relevant_given_not_train


def real_anti_precision_ranking(probabilities: RatingProbabilities) -> Probabilities:
    r"""Return the function whose order minimises expected real anti-precision.

    .. math:: \varphi_{antiP}(i) = -p(\neg rel|\neg train,i) = p(rel|\neg train,i) - 1

    Equation 9. Its order is that of :func:`real_precision_ranking` (conclusion 1).

    Parameters
    ----------
    probabilities : RatingProbabilities
        With the relevance of pairs that are not rated.

    Returns
    -------
    ndarray of float64, shape (n_items,)

    Raises
    ------
    ValueError
        The relevance of pairs that are not rated is not known.
    """
    relevant = probabilities.known_relevant - probabilities.relevant_train
    return -_over_not_train(probabilities, probabilities.not_train - relevant)


def _over_not_train(probabilities: RatingProbabilities, users: np.ndarray) -> Probabilities:
    shares = np.full(np.shape(users), np.nan)
    np.divide(users, probabilities.not_train, out=shares, where=probabilities.not_train > 0)
    return shares
