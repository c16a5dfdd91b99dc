"""Gradient descent whose steps were too long is refused, not stored."""

from __future__ import annotations

import math


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
