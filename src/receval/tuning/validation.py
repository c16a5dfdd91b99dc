# SPDX-License-Identifier: MIT
"""Split a validation part from the training ratings, by the same kind of split as the test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from receval.notes import Note
from receval.seeds import integer_seed
from receval.splits.split import FOLD_IN, TEST, TRAIN, VALIDATION, Fold, Split
from receval.splits.split_ratings import SplitRatings, split
from receval.storage.messages import shortened

_KEPT: dict[str, tuple[str, ...]] = {
    "random-ratio": (),
    "user-ratio": (),
    "k-fold": ("folds", "balanced_per_user"),
    "leave-out": ("held_out",),
    "leave-last-out": ("held_out", "repeats"),
    "temporal": ("scope", "test_share", "repeats", "train_order", "gap", "new_users"),
    "time-windows": ("gap", "repeats", "new_users"),
    "next-item": ("repeats",),
    "uniform-test": ("test_share", "min_train_ratio", "tests_from"),
    # Observed ratings choose the parameters: no training rating is of a randomly drawn item.
    "missing-at-random": ("folds",),
    "anti-popular-familiarity": ("folds",),
}
"""The parameters that a validation part takes from the split of the test, by its kind."""

_OF_KNOWN = ("missing-at-random", "anti-popular-familiarity")

_IN_TIME = ("temporal", "time-windows", "next-item", "leave-last-out")

_REPEATED = ("random-ratio", "user-ratio", "leave-out", "uniform-test")
"""Kinds with repetitions, of which one is enough."""


@dataclass(frozen=True, repr=False)
class ValidationSplit(SplitRatings):
    """Training ratings split into a part to train on and a part to measure trials by.

    Fold k divides the training ratings of fold k of the split of the test. The folds are made once,
    because every trial needs them.
    """

    def folds(self) -> Iterator[Fold]:
        """Yield the training matrix and the judgments of each fold."""
        yield from self._folds

    @cached_property
    def _folds(self) -> tuple[Fold, ...]:
        return tuple(super().folds())


def validation_split(
    data: SplitRatings, validation: Mapping[str, Any] | None = None, seed: int = 1
) -> ValidationSplit:
    r"""Split the training ratings of each fold into train and validation.

    No test rating is part of the result, unless it trains in another fold.

    Parameters
    ----------
    data : SplitRatings
        The split of the test.
    validation : mapping of str to value, optional
        The kind of split and its parameters, such as ``{"kind": "user-ratio", "train_ratio":
        0.9}``. By default validation ratings that ``data`` sets aside are the validation part.
        Without any, the kind and parameters are those of ``data``, but there is one
        repetition, or one of the k parts of a k-fold split. Users with too few training ratings
        for a leave-out are not in the validation part. A cut in time becomes the share of the
        ratings before it, and so does the beginning of each of several windows of time, by a
        temporal split. Splits with an unbiased test have a validation part of the observed
        ratings, by k folds.
    seed : int
        The seed of the validation part.

    Returns
    -------
    ValidationSplit
        With as many folds as ``data``.

    Raises
    ------
    ValueError
        The training ratings cannot be split in this way.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aaaabbbb"), "item": list("wxyzwxyz"), "rating": [1] * 8}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> inner = validation_split(halves)
    >>> inner, [(int(fold.train.nnz), len(fold.test)) for fold in inner.folds()]
    (<user-ratio train_ratio=0.5: 4 ratings of 4 items by 2 users, 1 fold>, [(2, 2)])
    """
    if validation is None and any((codes == VALIDATION).any() for codes in data.parts.codes):
        return _set_aside(data, seed)
    outer = [(codes & TRAIN) > 0 for codes in data.parts.codes]
    used = np.logical_or.reduce(outer)
    ratings = data.ratings.select(used)
    codes: list[NDArray[np.uint8]] = []
    notes: list[Note] = []
    described: list[dict[str, Any]] = []
    inner: SplitRatings | None = None
    for number, trains in enumerate(outer):
        kind, parameters = _kind_of(data, validation, number)
        rows = trains[used]
        usual = {"seed": integer_seed(seed, "validation", number), "equal_times": "random"}
        try:
            inner = split(ratings.select(rows), kind, **{**usual, **parameters})
        except ValueError as error:
            raise ValueError(
                "The training ratings have no such validation part. "
                f"{shortened(str(error), 300)} Name another kind of split with validation=, for "
                f"example {_example(data)}."
            ) from error
        # One of k folds is like the others, but a window of time is not.
        are_unlike = inner.n_folds > 1 and kind in ("time-windows", "next-item")
        if are_unlike or (inner.parts.codes[0] & FOLD_IN).any():
            raise ValueError(
                f"A validation part is one fold, of users whom systems know, but {inner.name} has "
                f"{'several windows' if are_unlike else 'held-out users'}. Name another kind of "
                f"split with validation=, for example {_example(data)}."
            )
        own = np.zeros(len(ratings), dtype=np.uint8)
        own[rows] = inner.parts.codes[0] & (TRAIN | TEST)
        codes.append(own)
        described.append({"kind": kind, **parameters})
        notes += inner.notes
    assert inner is not None
    if data.n_folds > 1:
        text = (
            f"Each trial is measured on a validation part of each of the {data.n_folds} folds. "
            "Test ratings of one fold may be training ratings of another, so the choice of "
            "parameters is not independent of them."
        )
        notes.append(Note("tuned-over-folds", text))
    order = {k: v for k, v in inner.parts.metadata.items() if k == "train_order"}
    return ValidationSplit(
        ratings=ratings,
        parts=Split(tuple(codes), order),
        description=_together(described),
        seed=seed,
        parameters=inner.parameters,
        reading=data.reading,
        notes=tuple(dict.fromkeys(notes)),
        all_values=data.ratings.values if data.all_values is None else data.all_values,
    )


def _set_aside(data: SplitRatings, seed: int) -> ValidationSplit:
    """Return a split whose test are the validation ratings that another split sets aside."""
    used = np.logical_or.reduce([(codes & (TRAIN | VALIDATION)) > 0 for codes in data.parts.codes])
    codes = (
        np.where(own == VALIDATION, np.uint8(TEST), own & np.uint8(TRAIN))[used]
        for own in data.parts.codes
    )
    order = {k: v for k, v in data.parts.metadata.items() if k == "train_order"}
    return ValidationSplit(
        ratings=data.ratings.select(used),
        parts=Split(tuple(codes), order),
        description=data.description,
        seed=seed,
        parameters=data.parameters,
        reading=data.reading,
        all_values=data.ratings.values if data.all_values is None else data.all_values,
    )


def _kind_of(
    data: SplitRatings, validation: Mapping[str, Any] | None, number: int
) -> tuple[str, dict[str, Any]]:
    """Return the kind and the parameters of the validation part of a fold."""
    if validation is not None:
        chosen = dict(validation)
        if "kind" not in chosen:
            raise ValueError(
                f"validation has no kind of split. Write for example {_example(data)}."
            )
        if "selection" in chosen:
            raise ValueError(
                "validation cannot select ratings, because systems train on all of them later. "
                "Set selection in the split of the test."
            )
        own = str(chosen.pop("kind"))
        return own, {"folds": 1, **chosen} if own in _REPEATED else chosen
    kind = str(data.description["kind"])
    if kind not in _KEPT:
        raise ValueError(
            f"A split of the kind {kind} does not say how to split its training ratings again. "
            f"Say it with validation=, for example {_example(data)}."
        )
    parameters = {k: v for k, v in data.description.items() if k in _KEPT[kind]}
    if kind in ("random-ratio", "user-ratio"):
        ratios = data.parts.metadata.get("train_ratios")
        assert isinstance(ratios, tuple)
        parameters["train_ratio"] = ratios[number]
    elif kind in ("leave-out", "leave-last-out"):
        parameters["short_profiles"] = "train"
    elif kind == "uniform-test":
        parameters["folds"] = 1
    elif kind == "time-windows" or (kind == "temporal" and data.description.get("cut") is not None):
        sizes = [int(((data.parts.codes[number] & part) > 0).sum()) for part in (TRAIN, TEST)]
        # By the share of the ratings in use that train, a cut leaves as much to test.
        parameters["cut"] = round(sizes[0] / sum(sizes), 6)
    others = {"time-windows": "temporal", **dict.fromkeys(_OF_KNOWN, "k-fold")}
    return others.get(kind, kind), parameters


def _example(data: SplitRatings) -> str:
    """Return a validation part to propose, which trains on no future if the split does not."""
    in_time = data.description["kind"] in _IN_TIME or data.description.get("order") == "time"
    example = (
        {"kind": "temporal", "test_share": 0.1}
        if in_time
        else {"kind": "user-ratio", "train_ratio": 0.9}
    )
    return f"validation={example}"


def _together(described: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the description of all folds, with the values of each where they differ."""
    whole = dict(described[0])
    for name, value in whole.items():
        others = list(dict.fromkeys(own[name] for own in described))
        whole[name] = value if len(others) == 1 else tuple(others)
    return whole
