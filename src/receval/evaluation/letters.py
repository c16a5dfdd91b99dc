# SPDX-License-Identifier: MIT
"""Letters that systems share where no test tells them apart."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike

MOST_GROUPS = len(ascii_lowercase)
"""Groups that have letters."""

_MOST_ON_THE_WAY = 500
"""Groups before later pairs split and join them: there can be exponentially many."""


def shared_letters(
    means: ArrayLike, differ: ArrayLike, *, is_less_better: bool = False
) -> list[str] | None:
    """Return letters such that two systems share one if and only if they do not differ.

    Returns
    -------
    list of str or None
        In the order of the systems; None if there are more groups than letters.

    Notes
    -----
    The insert-and-absorb algorithm: Piepho (2004), "An algorithm for a letter-based representation
    of all-pairwise comparisons", Journal of Computational and Graphical Statistics 13(2).

    Examples
    --------
    The best and the worst differ, the one between them differs from neither:

    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> shared_letters([0.1, 0.2, 0.3], differ)
    ['b', 'ab', 'a']
    >>> shared_letters([0.1, 0.2, 0.3], differ, is_less_better=True)
    ['a', 'ab', 'b']
    """
    table = np.asarray(differ, dtype=bool)
    # A group is the bits of a whole number: there may be hundreds of systems.
    groups = [(1 << len(table)) - 1]
    for one, other in zip(*map(np.ndarray.tolist, np.nonzero(np.triu(table))), strict=True):
        both = (1 << one) | (1 << other)
        kept = [group for group in groups if group & both != both]
        parts = [
            group & ~(1 << own) for group in groups if group & both == both for own in (one, other)
        ]
        parts = list(dict.fromkeys(parts))
        # Whole groups hold none of the parts' wholes, and absorb the parts that they hold.
        groups = kept + [
            part
            for part in parts
            if not any(part & group == part for group in kept)
            and not any(part & group == part for group in parts if group != part)
        ]
        if len(groups) > _MOST_ON_THE_WAY:
            return None
    if len(groups) > MOST_GROUPS:
        return None
    values = np.asarray(means, dtype=np.float64)
    order = np.argsort(values if is_less_better else -values, kind="stable").tolist()
    groups.sort(key=lambda group: [place for place, own in enumerate(order) if group >> own & 1])
    return [
        "".join(
            ascii_lowercase[number] for number, group in enumerate(groups) if group >> system & 1
        )
        for system in range(len(table))
    ]
