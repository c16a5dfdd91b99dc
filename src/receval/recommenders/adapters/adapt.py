# SPDX-License-Identifier: MIT
"""Turn a fitted model, an array of scores or a recommender into a system."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from receval.recommenders.adapters.scores import definer_of, libraries_of, of_scores


def adapt(system: Any) -> Any:
    """Return an object that receval can train and rank.

    - An object with its own method ``score(users)`` is returned unchanged.
    - A dense or sparse array is passed to :func:`of_scores`.
    - A model of implicit is passed to
      :func:`receval.recommenders.adapters.implicit_models.of_implicit`.
    - An estimator of scikit-learn is passed to
      :func:`receval.recommenders.adapters.sklearn_estimators.of_sklearn`.
    - A pipeline or scorer of LensKit is passed to
      :func:`receval.recommenders.adapters.lenskit_pipelines.of_lenskit`.
    - Any other object is returned unchanged, and is refused when it is ranked.

    A class that derives from a class of these libraries, but defines ``score`` itself, counts as a
    custom recommender.

    Parameters
    ----------
    system : object
        A system of this library, of another one, or with ``fit`` and ``score`` of your own.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        The object is of one of these libraries, but cannot be used as a recommender.

    Examples
    --------
    >>> type(adapt(np.ones((3, 2)))).__name__
    'GivenScores'
    """
    if isinstance(system, np.ndarray) or issparse(system):
        return of_scores(system)
    from receval.recommenders.adapters.implicit_models import of_implicit
    from receval.recommenders.adapters.lenskit_pipelines import of_lenskit
    from receval.recommenders.adapters.sklearn_estimators import of_sklearn

    adapters: dict[str, Callable[[Any], Any]] = {
        "implicit": of_implicit,
        "lenskit": of_lenskit,
        "sklearn": of_sklearn,
    }
    if definer_of(system, "score") in (None, *adapters):
        for library in libraries_of(system):
            if library in adapters:
                return adapters[library](system)
    return system
