# SPDX-License-Identifier: MIT
"""Create systems from their names on the command line."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from receval.cli.arguments import number_or_word
from receval.recommenders.base import Recommender, make
from receval.seeds import integer_seed
from receval.storage.messages import quoted

SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "random": ("receval.recommenders.non_personalised:Random", {}),
    "pop": ("receval.recommenders.non_personalised:Popularity", {}),
    "average": ("receval.recommenders.non_personalised:AverageRating", {}),
    "user-knn": ("receval.recommenders.knn:UserKNN", {}),
    "item-knn": ("receval.recommenders.knn:ItemKNN", {}),
    "puresvd": ("receval.recommenders.puresvd:PureSVD", {}),
    "mf": ("receval.recommenders.wrmf:WRMF", {}),
    "bprmf": ("receval.recommenders.bprmf:BPRMF", {}),
    "slim": ("receval.recommenders.slim:SLIM", {"l1": 1.0, "l2": 100.0}),
    "plsa": ("receval.recommenders.plsa:PLSA", {}),
}
"""Class and parameters by name; other parameters follow the name or have defaults."""


def named_system(text: str, seed: int) -> Recommender:
    """Return the system for a name such as ``user-knn`` or ``user-knn:neighbours=20``.

    Parameters
    ----------
    text : str
        A name in :data:`SYSTEMS`, then parameters of its class, separated by commas.
    seed : int
        The seed of the system's random choices, together with its name.

    Raises
    ------
    ValueError
        The system or a parameter is unknown, or a parameter is out of range.

    Examples
    --------
    >>> named_system("user-knn:neighbours=20", seed=1).parameters["neighbours"]
    20
    """
    name, _, written = text.partition(":")
    if name not in SYSTEMS:
        near = get_close_matches(name, SYSTEMS, n=2, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}? There are" if near else "there are"
        raise ValueError(f"There is no system {quoted(name)}; {hint} {', '.join(SYSTEMS)}.")
    path, parameters = SYSTEMS[name]
    given: dict[str, Any] = {}
    for part in filter(None, written.split(",")):
        parameter, equals, value = part.partition("=")
        if not equals:
            raise ValueError(
                f"In {quoted(text)}, {quoted(part)} is no parameter=value, as in "
                "user-knn:neighbours=20."
            )
        given[parameter.strip()] = number_or_word(value.strip())
    return make(path, {**parameters, **given}, integer_seed(seed, "system", text))
