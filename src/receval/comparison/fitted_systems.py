# SPDX-License-Identifier: MIT
"""Systems as somebody gives them: checked before anything is trained, then fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, runtime_checkable
from typing import Protocol as Interface

from scipy.sparse import csr_array

from receval.adapters.adapt import adapt
from receval.adapters.scores import GivenScores
from receval.protocols.evaluation import Scorer
from receval.recommenders.base import Recommender
from receval.storage.messages import enumerated, quoted


@runtime_checkable
class Trainable(Interface):
    """A recommender: it learns from ratings, then scores all items for some users."""

    def fit(self, train: csr_array) -> Any:
        """Learn from ratings, shape (n_users, n_items); what is returned scores."""
        ...


def checked_systems(systems: Mapping[str, Any], shape: tuple[int, int]) -> dict[str, Any]:
    """Return systems as what can be fitted and can score, or say which one cannot.

    Parameters
    ----------
    systems : mapping of str to recommender, scorer or array
        As for :func:`receval.comparison.systems.evaluate_systems`.
    shape : tuple of int
        Numbers of users and items.

    Raises
    ------
    ValueError
        There is no system; one has no ``score``; or an array has another shape.
    """
    if not systems:
        raise ValueError("There is no system to evaluate: name at least one.")
    adapted = {name: adapt(system) for name, system in systems.items()}
    for name, system in adapted.items():
        _check_system(name, system, shape)
    return adapted


def fitted(system: Any, train: csr_array) -> Scorer:
    """Return a system that has learnt from ratings, if it learns at all.

    Parameters
    ----------
    system : recommender or scorer
        From :func:`checked_systems`.
    train : csr_array, shape (n_users, n_items)
    """
    if isinstance(system, Trainable):
        own = system.fit(train)
        system = system if own is None else own
    scorer: Scorer = system
    return scorer


def _check_system(name: str, system: Any, shape: tuple[int, int]) -> None:
    if isinstance(system, GivenScores):
        if system.shape != shape:
            raise ValueError(
                f"The scores of {quoted(name)} have the shape {system.shape}; they must be of all "
                f"users and items, {shape}, in the order of the ratings' codes."
            )
    elif not callable(getattr(system, "score", None)):
        there = [method for method in ("fit", "predict", "recommend") if hasattr(system, method)]
        raise ValueError(
            f"The system {quoted(name)} is a {type(system).__name__}, which has no score(users) "
            f"(it has {enumerated(there) or 'none of fit, predict, recommend'}). Give an object "
            "with score(users), an array of scores, or a run to evaluate_runs."
        )
    if isinstance(system, Recommender):
        system.check_size(*shape)
        factors = system.parameters.get("factors")
        if isinstance(factors, int) and factors > min(shape):
            raise ValueError(
                f"The system {quoted(name)} has {factors:,} factors, but ratings of {shape[0]:,} "
                f"users and {shape[1]:,} items have a rank of at most {min(shape):,}: choose fewer."
            )
