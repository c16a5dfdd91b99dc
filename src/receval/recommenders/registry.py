"""Recommenders by string path, so that importing one never imports the others."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from receval.named_code import load_named
from receval.recommenders.base import Recommender


def make(class_path: str, parameters: Mapping[str, Any], seed: int) -> Recommender:
    """Construct a recommender from its class path and parameters.

    Parameters
    ----------
    class_path : str
        Module and class, as ``"receval.recommenders.plsa:PLSA"``.
    parameters : mapping of str to value
        Constructor arguments by name; missing ones keep their defaults.
    seed : int
        Seed of the system's random numbers; handed only to classes that have a parameter ``seed``.

    Returns
    -------
    Recommender
        The recommender, not fitted.

    Raises
    ------
    ValueError
        If the class does not exist or is no recommender, a parameter is unknown, or a value is
        outside its range. No data has been read then.

    Examples
    --------
    >>> system = make("receval.recommenders.knn:UserKNN", {"neighbours": 20}, seed=1)
    >>> system.parameters
    {'neighbours': 20, 'minimum_overlap': 1, 'threshold': None}
    """
    system = _find(class_path)
    accepted = list(inspect.signature(system.__init__).parameters)[1:]
    arguments = dict(parameters)
    if "seed" in arguments:
        raise ValueError(
            f"{system.__name__}: the parameter seed cannot be configured: it is derived from the "
            "names of dataset, split and system. Remove it."
        )
    configurable = [name for name in accepted if name != "seed"]
    for name in arguments:
        if name not in configurable:
            listing = ", ".join(configurable) if configurable else "none"
            raise ValueError(f"{system.__name__} has no parameter {name!r}; it accepts: {listing}.")
    if "seed" in accepted:
        arguments["seed"] = seed
    return system(**arguments)


def load(class_path: str, path: Path) -> Recommender:
    """Load a fitted recommender of a class from the file it was saved to.

    Parameters
    ----------
    class_path : str
        Module and class, as for :func:`make`.
    path : Path
        A file that :meth:`receval.recommenders.base.Recommender.save` wrote.

    Raises
    ------
    ValueError
        If the class does not exist, or the file is damaged or of another class.
    """
    return _find(class_path).load(path)


def _find(class_path: str) -> type[Recommender]:
    try:
        found = load_named(class_path)
        if ":" not in class_path:
            raise ValueError("it names a module, and no class of it")
    except ValueError as error:
        raise ValueError(
            f"There is no recommender {class_path!r} ({error}): a class path reads "
            "'package.module:Class', for example 'receval.recommenders.plsa:PLSA'."
        ) from error
    if not (inspect.isclass(found) and issubclass(found, Recommender)):
        raise ValueError(f"{class_path!r} is not a recommender: it must derive from Recommender.")
    return found
