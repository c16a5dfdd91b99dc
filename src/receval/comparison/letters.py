# SPDX-License-Identifier: MIT
"""Letters that systems share where no test tells them apart."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike


def shared_letters(means: ArrayLike, differ: ArrayLike) -> list[str]:
    """Return letters such that two systems share one if and only if they do not differ.

    Parameters
    ----------
    means : array_like of float, shape (n_systems,)
        The best one has the letter a.
    differ : array_like of bool, shape (n_systems, n_systems)
        Symmetric: which pairs are significantly different.

    Returns
    -------
    list of str
        In the order of the systems.

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
    """
    table = np.asarray(differ, dtype=bool)
    groups = [frozenset(range(len(table)))]
    for one, other in zip(*np.nonzero(np.triu(table)), strict=True):
        split: list[frozenset[int]] = []
        for group in groups:
            parts = [group - {int(one)}, group - {int(other)}] if {one, other} <= group else [group]
            split += parts
        groups = [
            group
            for number, group in enumerate(split)
            if not any(
                group < other_group or (group == other_group and place < number)
                for place, other_group in enumerate(split)
            )
        ]
    order = np.argsort(-np.asarray(means, dtype=np.float64), kind="stable").tolist()
    place = {system: number for number, system in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[system] for system in group))
    return [
        "".join(_letter(number) for number, group in enumerate(groups) if system in group)
        for system in range(len(table))
    ]


def _letter(number: int) -> str:
    """Return a letter, and a number in brackets once there are no more letters."""
    if number < len(ascii_lowercase):
        return ascii_lowercase[number]
    return f"({number + 1})"
