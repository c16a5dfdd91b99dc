# SPDX-License-Identifier: MIT
"""Registry of the recommenders: each is imported only when it is needed."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from receval.recommenders.base import Recommender
from receval.storage.messages import quoted, shortened


def make(class_path: str, parameters: Mapping[str, Any], seed: int) -> Recommender:
    """Construct a recommender from its class path and parameters.

    Parameters
    ----------
    class_path : str
        Module and class, such as ``"receval.recommenders.plsa:PLSA"``.
    parameters : mapping of str to value
        Constructor arguments by name; missing ones keep their defaults.
    seed : int
        Seed of the system's random numbers; passed only to classes with a parameter ``seed``.

    Returns
    -------
    Recommender
        The recommender, not fitted.

    Raises
    ------
    ValueError
        If the class does not exist or is not a recommender, a parameter is unknown, or a value is
        outside its range.

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
            raise ValueError(
                f"{system.__name__} has no parameter {quoted(name)}; it accepts: {listing}."
            )
    if "seed" in accepted:
        arguments["seed"] = seed
    return system(**arguments)


def load(class_path: str, path: Path) -> Recommender:
    """Load a fitted recommender of a class from a file.

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
    module_name, _, class_name = class_path.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"There is no recommender {quoted(class_path)} ({shortened(str(error), 150)}): a class "
            "path reads 'package.module:Class', for example 'receval.recommenders.plsa:PLSA'."
        ) from error
    if not (inspect.isclass(found) and issubclass(found, Recommender)):
        raise ValueError(
            f"{quoted(class_path)} is not a recommender: it must derive from Recommender."
        )
    return found
