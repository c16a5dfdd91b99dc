"""Splits by one or several training shares, each repeated a number of times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from receval.splits.split import TEST, TRAIN, Split

Drawn = TypeVar("Drawn")


def split_by_shares(
    train_ratio: float | Sequence[float],
    repetitions: int,
    draw: Callable[[int], Drawn],
    trains: Callable[[Drawn, float], NDArray[np.bool_]],
) -> Split:
    """Return one fold for every share and repetition, the repetitions of a share together.

    Parameters
    ----------
    train_ratio : float or sequence of float
    repetitions : int
    draw : callable
        ``draw(repetition)`` draws what decides which ratings train; all shares use the same.
    trains : callable
        ``trains(drawn, share)`` marks the ratings that train.

    Returns
    -------
    Split
        The fact ``train_ratios`` has the share of each fold.
    """
    shares = tuple(train_ratio) if isinstance(train_ratio, Sequence) else (train_ratio,)
    of_repetition: list[list[NDArray[np.uint8]]] = []
    for repetition in range(repetitions):
        drawn = draw(repetition)
        of_repetition.append(
            [np.where(trains(drawn, share), TRAIN, TEST).astype(np.uint8) for share in shares]
        )
    codes = tuple(folds[number] for number in range(len(shares)) for folds in of_repetition)
    return Split(codes, {"train_ratios": tuple(s for s in shares for _ in range(repetitions))})
