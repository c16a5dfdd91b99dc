# SPDX-License-Identifier: MIT
r"""Predictions of the lemmas of menamaldonado2021 for a pair of items.

Every function works element by element on orders and on comparisons of steepness, for one pair or
for all cases of :class:`receval.theory.item_pairs.ItemPairs`:

- an order is 1 if the function is larger for the first item of the pair, -1 if it is larger for the
  second, and 0 if it is equal (flat) for both;
- a steepness is 1 if the odds of popularity are steeper than the function, 0 if they are equally
  steep, and -1 if they are less steep (definition 2).

"Relevance" is p(rel | train, i) in lemma 1 and p(rel | i) in lemma 3, "non-relevance" is 1 minus
that. The lemmas leave flat functions out; the results on them here are annex B.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Flags = NDArray[np.bool_]


def lemma1_predicts_disagreement(
    popularity: ArrayLike,
    relevance: ArrayLike,
    steeper_than_relevance: ArrayLike,
    steeper_than_non_relevance: ArrayLike,
) -> Flags:
    r"""Return where the optimal rankings of observed precision and anti-precision disagree.

    They disagree if and only if the odds of popularity (a) are steeper than relevance and disagree
    with it, or (b) are steeper than non-relevance and disagree with that (lemma 1, table 3). If
    only relevance is flat, they disagree; if popularity is flat, they do not (annex B). One
    exception cannot be seen from the signs: if relevance is 0 or 1 for both items, one of the two
    functions is 0 for both and has a tie.
    """
    together = _together(popularity, relevance)
    first = (together < 0) & (np.asarray(steeper_than_relevance) > 0)
    second = (together > 0) & (np.asarray(steeper_than_non_relevance) > 0)
    flat_relevance = (np.asarray(relevance) == 0) & (np.asarray(popularity) != 0)
    return np.asarray(first | second | flat_relevance)


def lemma3_predicts_consistent_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_relevance: ArrayLike
) -> Flags:
    r"""Return where the optimal rankings of observed and real precision agree.

    Rating must be independent of relevance given an item. They agree exactly if popularity and
    relevance agree, or if these disagree and relevance is steeper than the odds of popularity
    (lemma 3, table 4). If only popularity is flat, they agree; if relevance is flat, the real
    ranking has a tie, and they do not (annex B).
    """
    less_steep = np.asarray(steeper_than_relevance) < 0
    return np.asarray((_together(popularity, relevance) > 0) | less_steep)


def lemma3_predicts_consistent_anti_precision(
    popularity: ArrayLike, relevance: ArrayLike, steeper_than_non_relevance: ArrayLike
) -> Flags:
    r"""Return where the optimal rankings of observed and real anti-precision agree.

    Rating must be independent of relevance given an item. They agree exactly if popularity and
    relevance disagree, or if these agree and non-relevance is steeper than the odds of popularity
    (lemma 3, table 4). If only popularity is flat, they agree; if relevance is flat, the real
    ranking has a tie, and they do not (annex B).
    """
    less_steep = np.asarray(steeper_than_non_relevance) < 0
    return np.asarray((_together(popularity, relevance) < 0) | less_steep)


def _together(first: ArrayLike, second: ArrayLike) -> NDArray[np.signedinteger]:
    """Return 1 where two functions agree, -1 where they disagree, 0 where one is flat."""
    return np.asarray(first) * np.asarray(second)
