# SPDX-License-Identifier: MIT
"""Split ratings into train and test, keep the description of the split with them, and save both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from receval.checked_arguments import checked_arguments
from receval.data.ratings import TABLE_FILES, Ratings
from receval.data.ratings_table import are_judgments
from receval.data.reading import ReadingReport, loaded_report, saved_report
from receval.data.relevance import RelevanceRule
from receval.notes import Note
from receval.seeds import GeneratorFor, generator
from receval.splits.given_parts import split_of_parts
from receval.splits.kinds import SPLITTERS, AnySplitSpec, SelectionSpec, SplitSpec, make_split
from receval.splits.selection import selected_ratings, spread_over
from receval.splits.split import KNOWN_BEFORE, TEST, TRAIN, Fold, Split
from receval.splits.split import fold as fold_of
from receval.splits.split_frames import SplitFrames, export_frames, frames_of
from receval.storage.archives import Archive, write_archive
from receval.storage.messages import how_many, quoted
from receval.storage.saved_folders import (
    as_tuples,
    loaded_fields,
    refuse_other_files,
    write_description,
)

ExportFormat = Literal["csv", "recbole", "elliot", "lenskit", "rectools"]

SYNONYMS = {"train_share": "train_ratio"}
"""Other common names of the parameters of splits."""

MOST_BY_CHANCE = 0.5
"""A split is refused if equal times leave more than this share of test ratings to chance."""

_SPLIT_FILE = "split.npz"
_VALUES_FILE = "all_values.npz"
_FILES = (*TABLE_FILES, _SPLIT_FILE, _VALUES_FILE)
"""The files of a saved split besides its description, ``split.json``."""

_MADE_HERE = [kind for kind in SPLITTERS if kind != "predefined"]


@dataclass(frozen=True)
class SplitRatings:
    """Ratings with a split of them.

    Attributes
    ----------
    ratings : Ratings
        The ratings, with rows in the order of identifiers.
    parts : Split
        The split: the use of each rating in each fold.
    description : dict
        Kind of the split, and the parameters that differ from their defaults.
    seed : int
    parameters : dict
        All parameters, and results of the split such as ``begins``, the moment of a cut.
    reading : ReadingReport, optional
        How the ratings were read, if they were read from a table.
    notes : tuple of Note
        Notes on the split.
    all_values : ndarray of float, optional
        The values of the whole table, if ``ratings`` are a selection of it.
    other_reading : tuple of ReadingReport
        How the other tables of a predefined split were read.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
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
    all_values: NDArray[np.floating] | NDArray[np.integer] | None = None
    other_reading: tuple[ReadingReport, ...] = ()

    def __repr__(self) -> str:
        ratings = self.ratings
        return (
            f"<{self.name}: {len(ratings):,} ratings of {ratings.n_items:,} items by "
            f"{ratings.n_users:,} users, {self.n_folds} fold{'s' * (self.n_folds != 1)}>"
        )

    @property
    def test_reading(self) -> ReadingReport | None:
        """How the test ratings were read."""
        return self.other_reading[-1] if self.other_reading else self.reading

    @property
    def are_judgments(self) -> bool:
        """Whether the test ratings were read as judgments, such as those of TREC."""
        return self.test_reading is not None and are_judgments(self.test_reading)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return self.parts.n_folds

    @cached_property
    def name(self) -> str:
        """Kind and parameters in one line; seeds of rankings depend on it."""
        parameters = [f"{k}={v}" for k, v in self.description.items() if k != "kind"]
        return " ".join([str(self.description["kind"]), *parameters])

    def folds(self) -> Iterator[Fold]:
        """Yield the training matrix and the judgments of each fold."""
        for number in range(self.n_folds):
            yield fold_of(self.ratings, self.parts, number)

    def relevance(self, relevant: float | Literal["auto"]) -> RelevanceRule:
        """Return the relevance threshold of test ratings, the same for all splits of a table.

        Parameters
        ----------
        relevant : float or "auto"
            The lowest relevant rating, or the middle of the scale and the like.

        Raises
        ------
        ValueError
            There is no test rating, or none reaches the threshold.
        """
        tested = np.concatenate([fold.test.values for fold in self.folds()])
        return RelevanceRule.of(
            tested,
            relevant,
            at_hand=[self.ratings.values if self.all_values is None else self.all_values],
            reading=self.test_reading,
        )

    def to_frames(self) -> SplitFrames:
        """Return the ratings of each part as data frames, for models elsewhere.

        Returns
        -------
        SplitFrames
            ``train``, ``test``, ``validation``, ``fold_in`` and ``unbiased``
            (:class:`receval.splits.split_frames.SplitFrames`); parts that no fold has are None.

        Examples
        --------
        >>> from receval.data.ratings_table import read_ratings
        >>> table = {"user": [7, 7, 8], "item": list("xyx"), "rating": [5, 4, 3]}
        >>> frames = split(read_ratings(table), "user-ratio", train_ratio=0.5).to_frames()
        >>> sorted(frames.train["user"].tolist()), frames.test.columns.tolist()
        ([7, 8], ['user', 'item', 'rating'])
        """
        return frames_of(self.ratings, self.parts, self.reading)

    @checked_arguments
    def save(self, folder: str | Path) -> None:
        """Write the ratings and the split into a folder, for :func:`load_split`.

        Equal splits give equal bytes. An earlier saved split in the folder is replaced.

        Parameters
        ----------
        folder : path
            Made if it is missing.

        Raises
        ------
        ValueError
            The folder has files that are not those of a saved split.
        """
        _save_split(self, Path(folder))

    @checked_arguments
    def export(
        self,
        folder: str | Path,
        format: ExportFormat,  # noqa: A002, the word that users expect
        name: str = "ratings",
    ) -> list[Path]:
        """Write the parts of the split as files that another tool reads.

        Parameters
        ----------
        folder : path
            Made if it is missing. With several folds, each has a folder ``fold-0``, ``fold-1``, ...
            in it.
        format : {"csv", "recbole", "elliot", "lenskit", "rectools"}
            The tool (:data:`receval.splits.split_frames.FORMATS` says what is written), or CSV
            files with the columns of :meth:`to_frames`.
        name : str
            The name of the dataset, in names of files.

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        ValueError
            The format cannot hold the split, or an identifier that has a tab or a line end.
        """
        return export_frames(self.to_frames(), self.n_folds, Path(folder), format, name)

    def generator_for(self, number: int) -> GeneratorFor:
        """Return a function that makes the generators of one fold, the same for all systems.

        Parameters
        ----------
        number : int
            The fold, from 0.
        """

        def generator_of(*names: str | int) -> Any:
            return generator(self.seed, self.name, number, *names)

        return generator_of


@checked_arguments
def split(
    ratings: object,
    kind: str,
    *,
    seed: int = 1,
    unselected_items: Literal["left out", "candidates"] = "left out",
    equal_times: Literal["some", "random"] = "some",
    **parameters: Any,
) -> SplitRatings:
    """Split ratings into train and test.

    A split depends on the set of ratings and not on the order of their rows, which are sorted by
    identifiers first. Users and items keep their codes, which also index arrays of scores for
    :func:`receval.evaluation.systems.evaluate_systems`. Ratings with the same time are put into a
    random order that depends on the seed.

    Parameters
    ----------
    ratings : Ratings
        For the kind ``predefined``, also a path or a data frame.
    kind : str
        ``random-ratio``, ``user-ratio``, ``k-fold``, ``leave-out``, ``leave-last-out``,
        ``temporal``, ``time-windows``, ``next-item``, ``held-out-users``, ``uniform-test``,
        ``missing-at-random`` or ``anti-popular-familiarity`` (:mod:`receval.splits.kinds`), or
        ``predefined`` for a split that others made: ``split(train, "predefined", test=...,
        validation=...)`` from two or three tables, or ``split(table, "predefined", part="split")``
        from a column with train, validation or test
        (:func:`receval.splits.given_parts.split_of_parts` has all parameters).
    seed : int
        Seed of the split.
    unselected_items : {"left out", "candidates"}
        With a ``selection``, whether items without any selected rating are left out of all
        protocols, or are still candidates, although no system has training ratings of them.
    equal_times : {"some", "random"}
        For splits by time: how many test ratings may be chosen by chance because of equal times.
        "some" allows at most half of them, "random" any number.
    **parameters
        Parameters of the kind, such as ``train_ratio=0.8``, ``folds=5``,
        ``held_out=1``, ``cut="2003-01-31"``.

    Raises
    ------
    ValueError
        There is no such kind, a parameter is wrong, the ratings cannot be split in this way, or
        equal times leave most of the test of a split by time to chance.

    Examples
    --------
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aaabbb"), "item": list("xyzxyz"), "rating": [5, 4, 3, 2, 1, 5]}
    >>> halves = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    >>> halves.n_folds, [int(fold.train.nnz) for fold in halves.folds()]
    (1, [4])
    """
    if kind == "predefined":
        return _predefined(ratings, seed, parameters)
    if kind not in _MADE_HERE:
        kinds = [*_MADE_HERE, "predefined"]
        near = get_close_matches(str(kind), kinds, n=2, cutoff=0.4)
        hint = f"Did you mean {' or '.join(near)}? The kinds are" if near else "The kinds are"
        raise ValueError(f"There is no kind of split {quoted(kind)}. {hint} {', '.join(kinds)}.")
    if not isinstance(ratings, Ratings):
        shown = repr(ratings)[:60] if isinstance(ratings, str) else f"a {type(ratings).__name__}"
        raise TypeError(f"ratings is {shown}; it must be a Ratings.")
    renamed = {SYNONYMS.get(name, name): value for name, value in parameters.items()}
    try:
        spec = TypeAdapter(AnySplitSpec).validate_python({"kind": kind, **renamed})
    except ValidationError as error:
        raise ValueError(_refusal(kind, error)) from None
    if spec.needs_timestamps and ratings.timestamps is None:
        raise ValueError(
            f"A split of the kind {kind} needs timestamps, but these ratings have none. Read them "
            "with timestamp=... (in a command: --timestamp), or choose another kind."
        )
    # Drawn in the order of identifiers, so that it does not depend on the codes.
    parts, selected = split_with_random_ties(ratings.in_order_of_identifiers(), spec, seed)
    ratings = ratings.in_order_of_identifiers(keep_codes=True)
    _check_folds(ratings, parts, spec)
    named = spec.model_dump(exclude_defaults=True) | {"kind": kind}
    # The cut as it was given names the split, so that it is kept beside its moment.
    told = {"begins" if name == "cut" else name: own for name, own in parts.metadata.items()}
    parameters = spec.model_dump(mode="json", exclude_none=True) | told
    reading = getattr(ratings, "reading", None)
    notes: list[Note] = []
    all_values = ratings.values
    if selected is not None:
        whole, kept = ratings, ratings.select(selected).compacted()
        if unselected_items == "candidates":
            parameters["unselected_items"] = unselected_items
        else:
            parts = replace(parts, codes=tuple(codes[selected] for codes in parts.codes))
            ratings = kept
        notes.append(_note_on_selection(whole, kept, "not " if ratings is kept else ""))
    if spec.needs_timestamps and ratings.timestamps is not None:
        notes += _notes_on_time(ratings, parts, spec, equal_times == "random")
    return SplitRatings(ratings, parts, named, seed, parameters, reading, tuple(notes), all_values)


def select_ratings(
    ratings: Ratings, selection: Mapping[str, Any], seed: int
) -> tuple[Ratings, Note]:
    """Return the ratings that :func:`split` splits with this selection and seed, and a note.

    Users and items get new codes, in the order of identifiers.
    """
    kind = "random-ratio"
    try:
        spec: SplitSpec = TypeAdapter(AnySplitSpec).validate_python(
            {"kind": kind, "train_ratio": 0.5, "selection": dict(selection)}
        )
    except ValidationError as error:
        raise ValueError(_refusal(kind, error).removeprefix(f"The split {kind}: ")) from None
    assert spec.selection is not None
    whole = ratings.in_order_of_identifiers()
    kept = whole.select(_selected(whole, spec.selection, seed)).compacted()
    return kept, _note_on_selection(whole, kept, "not ")


def _note_on_selection(whole: Ratings, kept: Ratings, are_candidates: str) -> Note:
    text = (
        f"The selection keeps {len(kept):,} of {len(whole):,} ratings, {kept.n_users:,} of "
        f"{whole.n_users:,} users and {kept.n_items:,} of {whole.n_items:,} items. The other items "
        f"are {are_candidates}candidates."
    )
    return Note("selection", text)


@checked_arguments
def load_split(folder: str | Path) -> SplitRatings:
    """Load a split that :meth:`SplitRatings.save` wrote.

    Parameters
    ----------
    folder : path
        Where the split was saved.

    Returns
    -------
    SplitRatings
        Equal to the saved one: systems get the same training ratings and random numbers.

    Raises
    ------
    ValueError
        The folder has no saved split, another version of receval wrote it in another form, or a
        file is damaged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from receval.data.ratings_table import read_ratings
    >>> table = {"user": list("aab"), "item": list("xyx"), "rating": [5, 4, 3]}
    >>> with TemporaryDirectory() as folder:
    ...     split(read_ratings(table), "user-ratio", train_ratio=0.5).save(folder)
    ...     load_split(folder)
    <user-ratio train_ratio=0.5: 3 ratings of 2 items by 2 users, 1 fold>
    """
    return loaded_fields(Path(folder), "split", partial(_loaded_split, Path(folder)))


def _predefined(source: object, seed: int, parameters: Mapping[str, Any]) -> SplitRatings:
    """Return a split that others made."""
    found = split_of_parts(source, **parameters)
    reading = found.reading[0] if found.reading else None
    return SplitRatings(
        found.ratings,
        found.parts,
        dict(found.description),
        seed,
        {**found.description, **found.parts.metadata},
        reading,
        found.notes,
        other_reading=found.reading[1:],
    )


def split_with_random_ties(
    ratings: Ratings, spec: SplitSpec, seed: int
) -> tuple[Split, NDArray[np.bool_] | None]:
    """Return a split of ratings, where those with the same time are in random order.

    Also returned is which ratings a selection keeps, even if they are in no part.
    """
    selected = None if spec.selection is None else _selected(ratings, spec.selection, seed)
    if not spec.needs_timestamps:
        return make_split(ratings, spec, seed, "own data", spec.kind, auxiliary_files={}), selected
    # Splits by time keep the order of rows for equal times. Here it is that of identifiers, which
    # would prefer the same items for all users.
    rows = generator(seed, "own data", spec.kind, "equal times").permutation(len(ratings))
    shuffled, whole = ratings.reordered(rows), spec.model_copy(update={"selection": None})
    if selected is not None:
        # Drawn before the order of equal times, as for other kinds.
        shuffled = shuffled.select(selected[rows])
    parts = make_split(shuffled, whole, seed, "own data", spec.kind, auxiliary_files={})
    if selected is not None:
        parts = spread_over(parts, selected[rows])
    places = np.argsort(rows)
    return replace(parts, codes=tuple(codes[places] for codes in parts.codes)), selected


def _selected(ratings: Ratings, selection: SelectionSpec, seed: int) -> NDArray[np.bool_]:
    rng_for = partial(generator, seed, "own data")
    return selected_ratings(ratings, rng_for, **selection.model_dump())


def _check_folds(ratings: Ratings, parts: Split, spec: SplitSpec) -> None:
    """Refuse a split in which a fold has no training or no test rating."""
    for number, codes in enumerate(parts.codes, 1):
        for code, what in ((TRAIN, "training"), (TEST, "test")):
            if (codes & code).any():
                continue
            sizes = np.bincount(ratings.users, minlength=ratings.n_users)
            several = parts.n_folds > 1
            raise ValueError(
                f"{f'Fold {number} of {parts.n_folds} of the' * several or 'The'} split "
                f"{spec.kind} has no {what} rating: there are {len(ratings):,} ratings of "
                f"{how_many(ratings.n_users, 'user')}, who have {sizes.min():,} to "
                f"{sizes.max():,} each. Give more ratings{', set fewer folds' * several}, or "
                "choose another share or kind of split."
            )


def _notes_on_time(ratings: Ratings, parts: Split, spec: SplitSpec, kept: bool) -> list[Note]:
    """Note how many test ratings were chosen by chance, or refuse the split if most were."""
    assert ratings.timestamps is not None
    own = getattr(spec, "scope", "user") == "user" and spec.kind != "time-windows"
    owners = ratings.users if own else np.zeros_like(ratings.users)
    order = np.lexsort((ratings.timestamps, owners))
    owners, times = owners[order], ratings.timestamps[order]
    moments = np.cumsum((owners[1:] != owners[:-1]) | (times[1:] != times[:-1]))
    moments = np.concatenate([[0], moments])
    n_tests = by_chance = 0
    for codes in parts.codes:
        codes = codes[order]
        trained = np.bincount(moments[(codes & KNOWN_BEFORE) > 0], minlength=len(ratings)) > 0
        n_tests += int((codes == TEST).sum())
        by_chance += int(trained[moments[codes == TEST]].sum())
    if not by_chance:
        return []
    text = (
        f"{by_chance:,} of {n_tests:,} test ratings have the same time as a training "
        f"rating{' of their user' * own}. Which of them are tested is random and depends on the "
        "seed."
    )
    if by_chance > n_tests * MOST_BY_CHANCE and not kept:
        raise ValueError(
            f"The split {spec.kind} would not be a split by time: {text} Read finer times, choose "
            "a split without times, or allow random order and try several seeds "
            f"(equal_times='random', in a command: --split {spec.kind}:equal_times=random)."
        )
    return [Note("tied-times", text)]


def _refusal(kind: str, error: ValidationError) -> str:
    """Return the first error in the parameters as a sentence."""
    first = error.errors()[0]
    # The location begins with the kind; parts after the parameter's name describe its type.
    name = str(first["loc"][1]) if len(first["loc"]) > 1 else ""
    if first["type"] == "extra_forbidden":
        own = str(first["loc"][-1])
        if own == name:
            return f"A split of the kind {kind} has no parameter {quoted(own)}."
        there = ", ".join(SelectionSpec.model_fields)
        return f"The {name} of a split has no parameter {quoted(own)}. It has {there}."
    if first["type"] == "missing":
        return f"A split of the kind {kind} needs the parameter {name}."
    if name == "selection" and len(first["loc"]) > 2:
        name = f"{first['loc'][2]} of the selection"
    words = first["msg"].removeprefix("Value error, ").replace("Input should be", "it must be")
    words = words.rstrip(".")
    if not name:
        return f"The split {kind}: {words}."
    return f"The split {kind}: {name} is {first['input']!r}. {words[:1].upper()}{words[1:]}."


def _save_split(own: SplitRatings, folder: Path) -> None:
    """Write a split into a folder; equal splits give equal bytes."""
    refuse_other_files(folder, "split", _FILES)
    own.ratings.write(folder)
    own.parts.write(folder / _SPLIT_FILE)
    has_values = own.all_values is not None and own.all_values is not own.ratings.values
    if has_values:
        write_archive(folder / _VALUES_FILE, {"values": np.asarray(own.all_values)})
    else:
        (folder / _VALUES_FILE).unlink(missing_ok=True)
    content = {
        "description": own.description,
        "seed": own.seed,
        "parameters": own.parameters,
        "notes": [(note.code, str(note)) for note in own.notes],
        "reading": None if own.reading is None else saved_report(own.reading),
        "other_reading": [saved_report(report) for report in own.other_reading],
        "has_values": has_values,
    }
    files = [name for name in _FILES if has_values or name != _VALUES_FILE]
    write_description(folder, "split", content, files)


def _loaded_split(folder: Path, content: Mapping[str, Any]) -> SplitRatings:
    """Return a split that :func:`_save_split` wrote."""
    ratings = Ratings.read(folder)
    all_values = ratings.values
    if content["has_values"]:
        with Archive(folder / _VALUES_FILE) as archive:
            all_values = archive.array("values")
    parts = Split.read(folder / _SPLIT_FILE)
    own = dict(content["parameters"])
    # JSON made lists of tuples, which are among the metadata. Other metadata may differ: a cut is
    # given as a share, and the metadata have its moment.
    own |= {k: v for k, v in parts.metadata.items() if k in own and isinstance(v, tuple)}
    return SplitRatings(
        ratings=ratings,
        parts=Split(tuple(parts.codes), parts.metadata),
        description=as_tuples(content["description"]),
        seed=content["seed"],
        parameters=own,
        reading=None if content["reading"] is None else loaded_report(content["reading"]),
        notes=tuple(Note(*own) for own in content["notes"]),
        all_values=all_values,
        other_reading=tuple(loaded_report(own) for own in content["other_reading"]),
    )
