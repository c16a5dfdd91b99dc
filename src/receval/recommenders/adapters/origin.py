# SPDX-License-Identifier: MIT
"""Find out which library an object comes from, without importing any."""

from __future__ import annotations

from collections.abc import Iterator


def libraries_of(value: object) -> Iterator[str]:
    """Yield the top-level packages of an object's class and of its base classes.

    Examples
    --------
    >>> import numpy as np
    >>> list(libraries_of(np.float64(1)))
    ['numpy', 'numpy', 'numpy', 'numpy', 'numpy', 'builtins', 'builtins']
    """
    for parent in type(value).__mro__:
        yield parent.__module__.partition(".")[0]


def definer_of(value: object, method: str) -> str | None:
    """Return the top-level package of the class that defines a method of an object.

    Parameters
    ----------
    value : object
        Any.
    method : str
        Its name.

    Returns
    -------
    str or None
        None if no class of the object has the method.

    Examples
    --------
    >>> definer_of([], "append")
    'builtins'
    >>> definer_of([], "score") is None
    True
    """
    for parent, library in zip(type(value).__mro__, libraries_of(value), strict=True):
        if method in vars(parent):
            return library
    return None
