# SPDX-License-Identifier: MIT
"""The kinds of splits, their parameters, and the function that makes a split."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from receval.spec_types import Model, NonEmptyText, Size

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.splits.split import Split

OpenShare = Annotated[float, Field(gt=0, lt=1)]
TrainRatios = OpenShare | Annotated[tuple[OpenShare, ...], Field(min_length=1)]
Folds = Annotated[int, Field(ge=1, le=99)]
Parts = Annotated[int, Field(ge=2, le=99)]


class SelectionSpec(Model):
    """Which ratings of a dataset an experiment uses.

    First, a random share of the ratings is kept. Then the items with most ratings are removed, and
    then users and items with too few ratings, repeatedly, until none is left.

    Attributes
    ----------
    share : float, optional
        Share of the ratings to keep; all by default.
    head_removed : float, optional
        Share of the items to remove, those with most ratings; none by default.
    min_user_ratings, min_item_ratings : int
        The fewest ratings that a user, or an item, may have.
    """

    share: OpenShare | None = None
    head_removed: OpenShare | None = None
    min_user_ratings: Size = 1
    min_item_ratings: Size = 1


class _SplitModel(Model):
    """Base of all kinds.

    Attributes
    ----------
    selection : SelectionSpec, optional
        Which ratings are split; the others neither train nor test.
    """

    selection: SelectionSpec | None = None

    @property
    def needs_timestamps(self) -> bool:
        """Whether the split needs timestamps."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files beside the raw data that the split reads."""
        return ()

    @property
    def n_folds(self) -> int | None:
        """Number of folds; None if only a file beside the raw data tells."""
        ratios = getattr(self, "train_ratio", None)
        of_each: int = getattr(self, "folds", 1)
        return of_each * (len(ratios) if isinstance(ratios, tuple) else 1)


class _InTime(_SplitModel):
    """Base of the kinds that need timestamps."""

    @property
    def needs_timestamps(self) -> bool:
        """Whether the split needs timestamps: always."""
        return True


def _different_shares(shares: float | tuple[float, ...]) -> float | tuple[float, ...]:
    if isinstance(shares, tuple) and len(set(shares)) < len(shares):
        raise ValueError(
            "a train ratio occurs twice, which would make one fold twice. Give each ratio once, "
            "and set folds for repetitions"
        )
    return shares


class RandomRatio(_SplitModel):
    """Each rating trains with probability ``train_ratio``; folds are repetitions.

    Several shares make one fold each (times the repetitions), from the same random draws: a rating
    that trains with one share also trains with every larger one.
    """

    kind: Literal["random-ratio"]
    train_ratio: TrainRatios = 0.8
    folds: Folds = 1

    _shares_differ = field_validator("train_ratio")(_different_shares)


class UserRatio(_SplitModel):
    """The share ``train_ratio`` of each user's ratings trains, rounded up; folds repeat this.

    Several shares make one fold each, as for :class:`RandomRatio`.
    """

    kind: Literal["user-ratio"]
    train_ratio: TrainRatios = 0.8
    folds: Folds = 1

    _shares_differ = field_validator("train_ratio")(_different_shares)


class KFold(_SplitModel):
    """Cross-validation over a random partition of the ratings.

    With ``partition_of``, the partition is that of another split of this kind: the same ratings
    train and test, but systems draw new random numbers, because their seeds include the split's
    name.
    """

    kind: Literal["k-fold"]
    folds: Parts = 5
    balanced_per_user: bool = False
    partition_of: NonEmptyText | None = None


class LeaveOut(_SplitModel):
    """``held_out`` ratings of each user test; folds are repetitions."""

    kind: Literal["leave-out"]
    held_out: Size = 1
    short_profiles: Literal["refuse", "train"] = "refuse"
    folds: Folds = 1


class LeaveLastOut(_InTime):
    """The last ``held_out`` ratings of each user test."""

    kind: Literal["leave-last-out"]
    held_out: Size = 1
    short_profiles: Literal["refuse", "train"] = "refuse"
    repeats: Literal["drop", "keep"] = "drop"


class Temporal(_InTime):
    """The last ratings of the dataset, or of each user, test; or those after a time cut.

    A ``cut`` is a date in quotes, a share of the ratings or seconds since 1970; ``gap`` is in days.
    """

    kind: Literal["temporal"]
    scope: Literal["all", "user"] = "all"
    test_share: OpenShare = 0.2
    repeats: Literal["drop", "keep"] = "drop"
    train_order: Literal["rows", "time"] = "rows"
    cut: float | str | None = None
    gap: Annotated[float, Field(ge=0)] = 0.0
    new_users: Literal["test", "drop"] = "test"

    @model_validator(mode="after")
    def _cut_is_of_all_ratings(self) -> Self:
        if self.scope == "user" and (self.cut is not None or self.gap or self.new_users == "drop"):
            raise ValueError(
                "a cut, a gap and new users require the scope 'all', because one moment separates "
                "the ratings of all users"
            )
        if (
            self.cut is not None
            and self.test_share != type(self).model_fields["test_share"].default
        ):
            raise ValueError(
                "a cut already determines the test ratings. Leave out test_share or the cut"
            )
        return self


class TimeWindows(_InTime):
    """One fold per window of time: its ratings test, and those before it train.

    Windows follow one another and have equally many ratings, or ``days`` each. The first begins at
    the ``cut``: a date in quotes, a share of the ratings or seconds since 1970. With
    ``past_days``, only so many days before each window train; ``gap`` is in days.
    """

    kind: Literal["time-windows"]
    windows: Folds = 3
    cut: float | str = 0.7
    days: Annotated[float, Field(gt=0)] | None = None
    past_days: Annotated[float, Field(gt=0)] | None = None
    gap: Annotated[float, Field(ge=0)] = 0.0
    repeats: Literal["drop", "keep"] = "drop"
    new_users: Literal["test", "drop"] = "test"

    @property
    def n_folds(self) -> int | None:
        """Number of folds, one per window."""
        return self.windows


class NextItem(_InTime):
    """One fold for each of the last ``held_out`` ratings of every user, given all before it.

    The first fold tests each user's last rating, the second the one before it, and so on. With
    ``"all"``, every rating but the first of each user is tested.
    """

    kind: Literal["next-item"]
    held_out: Folds | Literal["all"] = 1
    repeats: Literal["drop", "keep"] = "drop"

    @property
    def n_folds(self) -> int | None:
        """Number of folds; None if only the ratings tell."""
        return None if self.held_out == "all" else self.held_out


class HeldOutUsers(_SplitModel):
    """A share of the users is held out: systems do not train on them.

    The share ``fold_in_ratio`` of their ratings, rounded up, is folded in after training, and at
    least one rating of each tests: random ones, or the last with the order ``"time"``. Folds hold
    out other users, as long as there are any.
    """

    kind: Literal["held-out-users"]
    user_share: OpenShare = 0.2
    fold_in_ratio: OpenShare = 0.8
    order: Literal["random", "time"] = "random"
    repeats: Literal["drop", "keep"] = "drop"
    folds: Folds = 1

    @property
    def needs_timestamps(self) -> bool:
        """Whether the split needs timestamps: only with the order ``"time"``."""
        return self.order == "time"


class UniformTest(_SplitModel):
    """All target items have the same number of test ratings; folds are repetitions.

    If ``tests_from`` is given, only ratings at or above it may test.
    """

    kind: Literal["uniform-test"]
    test_share: OpenShare = 0.2
    min_train_ratio: Annotated[float, Field(ge=0, lt=1)] = 0.2
    tests_from: float | None = None
    folds: Folds = 5


class MissingAtRandom(_SplitModel):
    """Cross-validation of known ratings, with an unbiased test of randomly drawn items."""

    kind: Literal["missing-at-random"]
    unbiased_rows: Literal["unknown", "fold"]
    folds: Parts = 5


class AntiPopularFamiliarity(_SplitModel):
    """Cross-validation of known ratings after a redraw, with each whole fold as unbiased test.

    The items with the fewest ratings at or above ``relevant_from`` become known to most.
    """

    kind: Literal["anti-popular-familiarity"]
    relevant_from: float
    folds: Parts = 5
    train_order: Literal["rows", "folds", "least-liked-first"] = "least-liked-first"


class Predefined(_SplitModel):
    """A split read from a file beside the raw data."""

    kind: Literal["predefined"]
    file: NonEmptyText
    content: Literal["held-out-pairs", "fold-numbers"]
    unbiased_rows: Literal["unknown", "fold"] | None = None
    train_order: Literal["rows", "folds", "time"] = "rows"

    @model_validator(mode="after")
    def _pairs_have_no_unbiased_test(self) -> Self:
        if self.content == "held-out-pairs" and self.unbiased_rows is not None:
            raise ValueError(
                "held-out pairs say nothing about an unbiased test. Use unbiased_rows only with "
                "the content 'fold-numbers'"
            )
        return self

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files beside the raw data that the split reads."""
        return (self.file,)

    @property
    def n_folds(self) -> int | None:
        """Number of folds: 1 for held-out pairs; None for fold numbers, which the file tells."""
        return 1 if self.content == "held-out-pairs" else None

    @model_validator(mode="after")
    def _is_of_all_ratings(self) -> Self:
        if self.selection is not None:
            raise ValueError(
                "a predefined split determines the use of every rating, so nothing can be "
                "selected before it. Leave out selection, or choose another kind of split"
            )
        return self


SplitSpec = (
    RandomRatio
    | UserRatio
    | KFold
    | LeaveOut
    | LeaveLastOut
    | Temporal
    | TimeWindows
    | NextItem
    | HeldOutUsers
    | UniformTest
    | MissingAtRandom
    | AntiPopularFamiliarity
    | Predefined
)

AnySplitSpec = Annotated[SplitSpec, Field(discriminator="kind")]
"""The type of a field that accepts every kind of split."""

SPLITTERS: Mapping[str, str] = MappingProxyType(
    {
        "random-ratio": "receval.splits.random_splits:split_by_random_ratio",
        "user-ratio": "receval.splits.random_splits:split_by_user_ratio",
        "k-fold": "receval.splits.random_splits:split_into_folds",
        "leave-out": "receval.splits.random_splits:split_leaving_out",
        "leave-last-out": "receval.splits.temporal:split_leaving_last_out",
        "temporal": "receval.splits.temporal:split_by_time",
        "time-windows": "receval.splits.temporal:split_into_time_windows",
        "next-item": "receval.splits.temporal:split_before_each_item",
        "held-out-users": "receval.splits.held_out_users:split_holding_out_users",
        "uniform-test": "receval.splits.random_splits:split_with_uniform_test",
        "missing-at-random": "receval.splits.random_splits:split_with_unbiased_test",
        "anti-popular-familiarity": (
            "receval.splits.anti_popular_familiarity:split_with_anti_popular_familiarity"
        ),
        "predefined": "receval.splits.predefined:predefined_split",
    }
)
"""The function of each kind of split, as ``module:function``, imported when needed."""


def make_split(
    ratings: Ratings,
    spec: SplitSpec,
    root_seed: int,
    dataset: str,
    name: str,
    auxiliary_files: Mapping[str, Path],
) -> Split:
    """Make the split that a configuration describes.

    The seed is made from the names of dataset and split, the root seed and the fold, so that a
    split depends neither on the splits made before it nor on any system. Auxiliary files are those
    beside the raw data, by name; splits of the kind "predefined" read one of them. Data that cannot
    be split so is refused.
    """
    # Imported here, because code that only needs a name should not load numerical libraries.
    from receval.seeds import generator
    from receval.splits.selection import selected_ratings, spread_over

    parameters = spec.model_dump(exclude={"kind", "selection"})
    drawn_for = parameters.pop("partition_of", None) or name
    rng_for = partial(generator, root_seed, dataset, drawn_for)
    if spec.kind == "predefined":
        file = parameters.pop("file")
        if file not in auxiliary_files:
            raise ValueError(
                f"The split '{name}' of the dataset '{dataset}' is defined in the file '{file}', "
                "which does not exist. Put it beside the raw files of the dataset."
            )
        parameters["path"] = auxiliary_files[file]
    module, function = SPLITTERS[spec.kind].split(":")
    splitter = getattr(import_module(module), function)
    if spec.selection is None:
        whole: Split = splitter(ratings, rng_for, **parameters)
        return whole
    # The seed leaves out the split's name: equal selections keep the same ratings in every split.
    seeded = partial(generator, root_seed, dataset)
    selected = selected_ratings(ratings, seeded, **spec.selection.model_dump())
    part: Split = splitter(ratings.select(selected), rng_for, **parameters)
    return spread_over(part, selected)
