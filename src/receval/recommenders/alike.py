"""Which settings of a system are alike but for some of their parameters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from receval.recommenders.base import Recommender


def alike_but_for(models: Sequence[Recommender], names: Collection[str]) -> list[list[int]]:
    """Group models that differ in some parameters alone.

    Parameters
    ----------
    models : sequence of Recommender
    names : collection of str
        Parameters in which the models of a group may differ.

    Returns
    -------
    list of list of int
        Positions in ``models``, each once, in the order of the first of each group.
    """
    groups: dict[tuple[Any, ...], list[int]] = {}
    for position, model in enumerate(models):
        others = (pair for pair in model.parameters.items() if pair[0] not in names)
        groups.setdefault((type(model), *others), []).append(position)
    return list(groups.values())
