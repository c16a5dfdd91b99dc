# SPDX-License-Identifier: MIT
"""Ratings that are split, and know how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter, ValidationError

from receval.interchange.reading import ReadingReport
from receval.notes import Note
from receval.ratings import Ratings
from receval.seeds import GeneratorFor, generator
from receval.splits.kinds import SPLITTERS, AnySplitSpec, make_split
from receval.splits.split import Fold, Split
from receval.splits.split import fold as fold_of
from receval.storage.messages import quoted

SYNONYMS = {"train_share": "train_ratio"}
"""Parameters of splits by other usual names."""

MANY_TIED = 0.05
"""From which share on ratings of equal times are told."""

_MADE_HERE = [kind for kind in SPLITTERS if kind != "predefined"]


@dataclass(frozen=True)
class SplitRatings:
    """Ratings with a split of them.

    Attributes
    ----------
    ratings : Ratings
    parts : Split
        What each rating is used for, by fold.
    description : dict
        Kind and parameters of the split, but for those that are as by default.
    seed : int
    parameters : dict
        All parameters, and what the split came to, such as the moment of a cut.
    reading : ReadingReport, optional
        How the ratings were read, if they were.
    notes : tuple of Note
        What is worth knowing about the split.

    Examples
    --------
    >>> from receval.interchange.ratings_table import read_ratings
    >>> table = {"user": list("aabbcc"), "item": list("xyxyxy"), "rating": [5, 4, 3, 2, 1, 5]}
    >>> folds = split(read_ratings(table), "k-fold", folds=2)
    >>> folds.name, folds.n_folds
    ('k-fold folds=2', 2)
    >>> folds
    <k-fold folds=2: 6 ratings of 2 items by 3 users, 2 folds>
    """

    ratings: Ratings
    parts: Split
    description: dict[str, Any]
    seed: int
    parameters: dict[str, Any] = field(default_factory=dict)
    reading: ReadingReport | None = None
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        ratings = self.ratings
        return (
            f"<{self.name}: {len(ratings):,} ratings of {ratings.n_items:,} items by "
            f"{ratings.n_users:,} users, {self.n_folds} fold{'s' * (self.n_folds != 1)}>"
        )

    @property
    def are_counts(self) -> bool:
        """Whether the ratings were read as counts of plays or the like."""
        return self.reading is not None and self.reading.are_counts

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return self.parts.n_folds

    @cached_property
    def name(self) -> str:
        """Kind and parameters in one line; seeds of rankings are made of it."""
        parameters = [f"{k}={v}" for k, v in self.description.items() if k != "kind"]
        return " ".join([str(self.description["kind"]), *parameters])

    def folds(self) -> Iterator[Fold]:
        """Yield the training matrix and the judgments of each fold."""
        for number in range(self.n_folds):
            yield fold_of(self.ratings, self.parts, number)

    def generator_for(self, number: int) -> GeneratorFor:
        """Return what gives the generators of one fold, the same for all systems."""

        def generator_of(*names: str | int) -> Any:
            return generator(self.seed, self.name, number, *names)

        return generator_of


def split(
    ratings: Ratings,
    kind: str,
    *,
    seed: int = 1,
    unselected_items: Literal["left out", "candidates"] = "left out",
    **parameters: Any,
) -> SplitRatings:
    """Split ratings into train and test.

    Parameters
    ----------
    ratings : Ratings
    kind : str
        ``random-ratio``, ``user-ratio``, ``k-fold``, ``leave-out``, ``leave-last-out``,
        ``temporal``, ``uniform-test``, ``missing-at-random`` or ``anti-popular-familiarity``
        (:mod:`receval.splits.kinds`).
    seed : int
        Another one gives another split.
    unselected_items : {"left out", "candidates"}
        With a ``selection``, what becomes of items without any selected rating: they are no
        candidates of any protocol, or they still are, though no system knows anything of them.
    **parameters
        Those of the kind, such as ``train_ratio=0.8`` (``train_share`` is understood, too),
        ``folds=5``, ``held_out=1``, ``cut="2003-01-31"``.

    Raises
    ------
    ValueError
        There is no such kind, a parameter is wrong, or the ratings cannot be split so.

    Examples
    --------
    >>> from receval.interchange.ratings_table import read_ratings
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [5, 4, 3, 2, 1, 5]}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> halves.n_folds, [int(fold.train.nnz) for fold in halves.folds()]
    (1, [4])
    """
    if kind not in _MADE_HERE:
        near = get_close_matches(str(kind), _MADE_HERE, n=2, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}? There are" if near else "there are"
        raise ValueError(
            f"There is no kind of split {quoted(kind)}; {hint} {', '.join(_MADE_HERE)}."
        )
    renamed = {SYNONYMS.get(name, name): value for name, value in parameters.items()}
    try:
        spec = TypeAdapter(AnySplitSpec).validate_python({"kind": kind, **renamed})
    except ValidationError as error:
        raise ValueError(_refusal(kind, error)) from None
    if spec.needs_timestamps and ratings.timestamps is None:
        raise ValueError(
            f"A split of the kind {kind} needs timestamps, which these ratings do not have: read "
            "them with timestamp=... (in a command: --timestamp), or choose another kind."
        )
    parts = make_split(ratings, spec, seed, "own data", kind, auxiliary_files={})
    named = spec.model_dump(exclude_defaults=True) | {"kind": kind}
    parameters = spec.model_dump(mode="json", exclude_none=True) | dict(parts.metadata)
    reading = getattr(ratings, "reading", None)
    notes: list[Note] = []
    if spec.selection is not None and unselected_items == "left out":
        used = np.logical_or.reduce([codes > 0 for codes in parts.codes])
        parts = replace(parts, codes=tuple(codes[used] for codes in parts.codes))
        whole, ratings = ratings, ratings.select(used).compacted()
        text = (
            f"The selection leaves {len(ratings):,} of {len(whole):,} ratings, "
            f"{ratings.n_users:,} of {whole.n_users:,} users and {ratings.n_items:,} of "
            f"{whole.n_items:,} items; the other items are no candidates."
        )
        notes.append(Note("selection", text))
    if spec.needs_timestamps and ratings.timestamps is not None:
        notes += _notes_on_time(ratings)
    return SplitRatings(ratings, parts, named, seed, parameters, reading, tuple(notes))


def _notes_on_time(ratings: Ratings) -> list[Note]:
    """Return in a sentence how many ratings time does not order, if they are many."""
    assert ratings.timestamps is not None
    order = np.lexsort((ratings.timestamps, ratings.users))
    users, times = ratings.users[order], ratings.timestamps[order]
    same = (users[1:] == users[:-1]) & (times[1:] == times[:-1])
    tied = np.concatenate([same, [False]]) | np.concatenate([[False], same])
    if tied.mean() < MANY_TIED:
        return []
    text = (
        f"{tied.mean():.0%} of the ratings have the time of another rating of their user: they are "
        "split in the order of the table."
    )
    return [Note("tied-times", text)]


def _refusal(kind: str, error: ValidationError) -> str:
    """Return the first thing that is wrong with parameters, as a sentence."""
    first = error.errors()[0]
    # After the kind; what follows the name is how its type is built.
    name = str(first["loc"][1]) if len(first["loc"]) > 1 else ""
    if first["type"] == "extra_forbidden":
        return f"A split of the kind {kind} has no parameter {quoted(name)}."
    if first["type"] == "missing":
        return f"A split of the kind {kind} needs the parameter {name}."
    words = first["msg"].removeprefix("Value error, ").replace("Input should be", "it must be")
    words = words.rstrip(".")
    if not name:
        return f"The split {kind}: {words}."
    return f"The split {kind}: {name} is {first['input']!r}, and {words}."
