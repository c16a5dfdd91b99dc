"""Settings that are one course of training, ended after more or fewer epochs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from receval.recommenders.base import Recommender

Model = TypeVar("Model", bound=Recommender)


def same_but_for_epochs(models: Sequence[Model]) -> list[list[Model]]:
    """Group models of one class that differ in the parameter ``epochs`` alone.

    Parameters
    ----------
    models : sequence of Recommender
        With a parameter ``epochs``.

    Returns
    -------
    list of list of Recommender
        The groups, in the order of their first models.
    """
    courses: dict[tuple[Any, ...], list[Model]] = {}
    for model in models:
        others = [value for name, value in model.parameters.items() if name != "epochs"]
        courses.setdefault(tuple(others), []).append(model)
    return list(courses.values())
