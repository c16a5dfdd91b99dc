"""Checks of the parameters of recommenders, before and after they are used."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import cast

import numpy as np

LARGEST = float(np.finfo(np.float32).max)


def _interval(lowest: float, highest: float | None, above: bool) -> str:
    bound = f"above {lowest}" if above else f"of at least {lowest}"
    return bound if highest is None else f"{bound} and at most {highest}"


def integer(
    system: object, name: str, value: object, *, lowest: int, highest: int | None = None
) -> int:
    """Return a parameter that must be a whole number in ``lowest..highest``.

    Parameters
    ----------
    system : object
        The recommender under construction; its class is named in the message.
    name : str
        Name of the parameter.
    value : object
        What the caller gave.
    lowest, highest : int
        Accepted range, both ends included; no upper end when ``highest`` is None.

    Raises
    ------
    ValueError
        If the value is not a whole number (a bool or 3.0 is not) or lies outside the range.
    """
    accepted = (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and value >= lowest
        and (highest is None or value <= highest)
    )
    if not accepted:
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {value!r}, but it must be a whole "
            f"number {_interval(lowest, highest, above=False)}."
        )
    return int(cast("int", value))


def real(
    system: object,
    name: str,
    value: object,
    *,
    lowest: float,
    highest: float | None = None,
    above: bool = False,
) -> float:
    """Return a parameter that must be a finite number in ``lowest..highest``.

    Computations are in single precision, so larger numbers than it holds are not finite.

    Parameters
    ----------
    system, name, value
        As in :func:`integer`.
    lowest, highest : float
        Accepted range, both ends included; no upper end when ``highest`` is None.
    above : bool
        Whether the lower end itself is refused.

    Raises
    ------
    ValueError
        If the value is no number, is not finite, or lies outside the range.
    """
    accepted = (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and -LARGEST <= value <= LARGEST
        and (value > lowest if above else value >= lowest)
        and (highest is None or value <= highest)
    )
    if not accepted:
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {value!r}, but it must be a finite "
            f"number {_interval(lowest, highest, above)}."
        )
    return float(cast("float", value))


def choice(system: object, name: str, value: object, accepted: Collection[str]) -> str:
    """Return a parameter that must be one of some names.

    Raises
    ------
    ValueError
        If the value is none of the accepted names.
    """
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(
            f"{type(system).__name__}: the parameter {name} is {value!r}, but it must be one of "
            f"{', '.join(map(repr, accepted))}."
        )
    return value


def refuse_divergence(system: object, learning_rate: float, last_loss: float) -> None:
    """Stop if the loss of the last epoch is no number.

    Parameters
    ----------
    system : object
        The recommender; its class is named in the message.
    learning_rate : float
        Its parameter of that name.
    last_loss : float
        Of the last epoch.

    Raises
    ------
    ValueError
        If the loss is not finite.
    """
    if not math.isfinite(last_loss):
        raise ValueError(
            f"{type(system).__name__} diverged: the parameter learning_rate is {learning_rate}, "
            "which is too large for these ratings; choose a smaller one."
        )
