# SPDX-License-Identifier: MIT
"""``receval split``: split a file of ratings, and write the parts for this or another tool."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.cli.arguments import (
    COLUMNS,
    add_columns,
    add_ratings,
    add_reading,
    add_seed,
    columns_of,
    number_or_word,
    read_others,
    reading_of,
)
from receval.cli.command_parser import add_command, complete_by
from receval.cli.saved_arguments import RepeatableCommand, files_read, keep_read
from receval.data.reading import FORMATS as FORMATS_READ
from receval.data.reading import TableError, refuse_foreign_options
from receval.notes import gravest_first, refuse_doubts
from receval.storage.messages import printable, quoted

if TYPE_CHECKING:
    from receval.splits.split_ratings import SplitRatings

DEFAULT_SPLIT = "user-ratio:train_ratio=0.8"
"""The split if none is named."""

FORMATS = ("receval", "csv", "recbole", "elliot", "lenskit", "rectools")
"""What can be written: a saved split, tables, or files of other tools."""

EXAMPLES = """formats:
  receval     ratings and split, for receval evaluate FOLDER and load_split
  csv         train.csv, test.csv and so on, with the identifiers of the ratings
  recbole, elliot, lenskit, rectools
              files that these tools read unchanged (docs/library.md)

examples:
  receval split ratings.csv --kind temporal:cut=2003-01-31 --out by-time --format csv
  receval split ratings.csv --kind held-out-users:folds=5 --out users
  receval evaluate users --system item-knn
"""


def add_split(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "split your ratings, and write the parts for this or another tool"
    parser = add_command(commands, "split", text, EXAMPLES, run_split)
    add_ratings(parser, has_format=False)
    parser.add_argument(
        "--kind",
        default=DEFAULT_SPLIT,
        metavar="KIND",
        help="split, as --split of receval evaluate (default: %(default)s)",
    )
    add_selection(parser)
    add_given_parts(parser)
    add_seed(parser)
    out = parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        default=Path("receval-split"),
        help="output folder (default: %(default)s)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="receval",
        help="the tool for which files are written (default: %(default)s)",
    )
    parser.add_argument(
        "--ratings-format",
        choices=tuple(FORMATS_READ),
        help="format of the files that are read, as --format of other commands",
    )
    parser.add_argument(
        "--name",
        default="ratings",
        metavar="NAME",
        help="name of the dataset, in names of files (default: %(default)s)",
    )
    parser.add_argument(
        "--force", action="store_true", help="write even if the folder has other files"
    )
    parser.add_argument(
        "--quiet", action="store_true", help="print only warnings, not how files were read"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse splits that may mislead according to their notes (docs/warnings.md)",
    )
    complete_by("directory", [out])
    files = ["ratings", "test", "validation"]
    parser.set_defaults(settings=None, report=None, repeatable=RepeatableCommand(parser, (), files))


def add_selection(parser: argparse.ArgumentParser, *, has_candidates: bool = True) -> None:
    """Add arguments for the ratings that are used at all."""
    parser.add_argument(
        "--selection",
        metavar="VALUES",
        help="ratings that are used, such as min_user_ratings=5,min_item_ratings=5 (5-core), "
        "share=0.5 or head_removed=0.05 (default: all)",
    )
    if not has_candidates:
        parser.set_defaults(unselected_items=None)
        return
    parser.add_argument(
        "--unselected-items",
        choices=("left-out", "candidates"),
        help="whether items without selected ratings are candidates (default: left-out)",
    )


def selection_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a split that say which ratings are split.

    Examples
    --------
    >>> chosen = argparse.Namespace(selection="share=0.5", unselected_items="left-out")
    >>> selection_of(chosen)
    {'selection': {'share': 0.5}, 'unselected_items': 'left out'}
    """
    if chosen.selection is None:
        if chosen.unselected_items is not None:
            raise ValueError(
                "--unselected-items is for items that --selection leaves out. Give both, or "
                "neither."
            )
        return {}
    _, found = named_split(f":{chosen.selection}")
    if not found or "" in found.values():
        raise ValueError(
            f"--selection {quoted(chosen.selection)} has a name without a value. Write for "
            "example min_user_ratings=5,min_item_ratings=5."
        )
    left = (chosen.unselected_items or "left out").replace("-", " ")
    return {"selection": dict(found), "unselected_items": left}


def add_given_parts(parser: argparse.ArgumentParser) -> None:
    """Add arguments for a split that others made."""
    group = parser.add_argument_group("splits that others made")
    tables = [
        group.add_argument(
            f"--{name}",
            metavar="FILE",
            help=f"{what}; the ratings are then those that train (--split predefined)",
        )
        for name, what in (("test", "test ratings"), ("validation", "ratings set aside for tuning"))
    ]
    complete_by("file", tables)
    group.add_argument(
        "--part",
        metavar="COLUMN",
        help="column of the ratings that has train, validation or test for each row",
    )
    group.add_argument(
        "--trained-pairs",
        choices=("refuse", "drop"),
        help="what to do with pairs that are in two parts: drop leaves them out of the later one "
        "(default: refuse)",
    )
    add_columns(parser, COLUMNS, " in --test and --validation", "test-")
    add_reading(parser, "--test and --validation, unless like the ratings", "test-")


def split_of(chosen: argparse.Namespace, text: str) -> SplitRatings:
    """Return the split of the arguments of a command, given its kind and parameters as a text.

    If the ratings are the folder of a saved split, that is loaded.
    """
    from receval.data.ratings_table import read_ratings
    from receval.splits.split_ratings import load_split, split

    refuse_options_of_parts(chosen)
    selection = selection_of(chosen)
    kind, parameters = named_split(text)
    options = {**columns_of(chosen, COLUMNS), **reading_of(chosen)}
    given = {
        name: getattr(chosen, name)
        for name in ("test", "validation", "part")
        if getattr(chosen, name) is not None
    }
    if given and text != DEFAULT_SPLIT and kind != "predefined":
        raise ValueError(
            f"--{next(iter(given))} gives a split that others made, so the kind {kind} cannot be "
            "made. Leave out one of the two."
        )
    is_saved = not given and (Path(chosen.ratings) / "split.json").is_file()
    if selection and (given or is_saved or kind == "predefined"):
        raise ValueError(
            "--selection says which ratings are split, but this split is made already. Leave the "
            "option out, or select the ratings before."
        )
    if is_saved:
        if text != DEFAULT_SPLIT:
            raise ValueError(
                f"{chosen.ratings} is a saved split, so the kind {kind} cannot be made. Leave out "
                "the kind, or name a file of ratings."
            )
        is_asked = {name: own for name, own in options.items() if own != "refuse"}
        refuse_foreign_options(chosen.ratings, "is a saved split", [*is_asked])
        return load_split(chosen.ratings)
    # The column of parts is not among those of ratings, and only a split by it may have one.
    source: object = chosen.ratings
    if "part" not in given:
        source = ratings = read_ratings(chosen.ratings, **options)
        keep_read(chosen, ratings)
        if not given and kind != "predefined":
            return split(ratings, kind, seed=chosen.seed, **selection, **parameters)
    parts: dict[str, Any] = {}
    for name in ("test", "validation"):
        if name in given:
            parts[name] = read_others(chosen, given[name], "test-")
            keep_read(chosen, parts[name])
    if "part" in given:
        parts |= {"part": given["part"], **options}
    if chosen.trained_pairs is not None:
        parts["trained_pairs"] = chosen.trained_pairs
    if kind == "predefined":
        parts |= parameters
    found = split(source, "predefined", seed=chosen.seed, **parts)
    if "part" in given:
        keep_read(chosen, found)
    return found


def refuse_options_of_parts(chosen: argparse.Namespace) -> None:
    """Refuse options for the tables of a split that others made if none is given."""
    own = {**columns_of(chosen, COLUMNS, "test-"), **reading_of(chosen, "test-")}
    names = [f"test-{name}" for name in own] + ["trained-pairs"] * bool(chosen.trained_pairs)
    if names and chosen.test is None and chosen.validation is None:
        raise ValueError(
            f"--{names[0].replace('_', '-')} is for --test and --validation. Give one of them, or "
            "leave the option out."
        )


def named_split(text: str) -> tuple[str, Mapping[str, Any]]:
    """Return the kind and the parameters of a split.

    Examples
    --------
    >>> named_split("temporal:cut=0.8,gap=7")
    ('temporal', {'cut': 0.8, 'gap': 7})
    """
    kind, _, written = text.partition(":")
    parts = [part.partition("=") for part in written.split(",") if part]
    found: dict[str, Any] = {}
    for name, _, value in parts:
        if name.strip() in found:
            raise ValueError(
                f"{quoted(text.removeprefix(':'))} has {name.strip()} twice. Give it once."
            )
        if name.strip() in ("ratings", "kind", "seed", "selection"):
            raise ValueError(
                f"A split of the kind {kind} has no parameter {quoted(name.strip())}. The seed and "
                "the selection are options of their own (--seed, --selection)."
            )
        found[name.strip()] = number_or_word(value.strip())
    return kind, found


def run_split(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.data.reading import told_together

    if chosen.ratings is None:
        raise ValueError("No ratings are given. Name a file, as in receval split ratings.csv.")
    for path in files_read(chosen):
        if path.resolve().parent == chosen.out.resolve():
            raise ValueError(
                f"This command reads {quoted(str(path), 150)} in the folder that it would write "
                "to. Choose another folder with --out."
            )
    # The option of this name in other commands says how files are read.
    written_format, chosen.format = chosen.format, chosen.ratings_format
    try:
        data = split_of(chosen, chosen.kind)
    except TableError as error:
        error.args = (re.sub(r"--format\b", "--ratings-format", str(error)),)
        raise
    reading = [own for own in (data.reading, *data.other_reading) if own is not None]
    notes = gravest_first([*(note for own in reading for note in own.notes), *data.notes])
    if chosen.strict:
        refuse_doubts(notes)
    if written_format == "receval":
        data.save(chosen.out)
    else:
        data.export(chosen.out, written_format, chosen.name)
    if not chosen.quiet:
        for lines in told_together(reading):
            print(*map(printable, lines), sep="\n", file=sys.stderr)
    for note in notes:
        print(printable(f"Note: {note}"), file=sys.stderr)
    print(printable(_sizes(data), kept="\n"), end="\n\n")
    print(f"Written: {printable(shlex.quote(str(chosen.out)))}/")
    return 0


def _sizes(data: SplitRatings) -> str:
    """Return a table in plain text with the size of each part of each fold."""
    import pandas as pd

    rows = []
    for part, frame in data.to_frames()._asdict().items():
        if frame is None:
            continue
        of_folds = frame.groupby("fold") if "fold" in frame else [(0, frame)]
        rows += [
            (fold, part, len(own), own["user"].nunique(), own["item"].nunique())
            for fold, own in of_folds
        ]
    table = pd.DataFrame(rows, columns=["fold", "part", "ratings", "users", "items"])
    return table.sort_values("fold", kind="stable").to_string(index=False)
