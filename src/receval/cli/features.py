# SPDX-License-Identifier: MIT
"""Options for features of items and for groups of users and items."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.cli.arguments import column_name, repeated
from receval.cli.command_parser import complete_by
from receval.cli.saved_arguments import TRAITS

if TYPE_CHECKING:
    from receval.data.features import Features
    from receval.evaluation.groups import GroupedResult
    from receval.evaluation.result import EvaluationResult

FILES = ["item_features", "item_groups", "user_groups"]
"""The arguments that name files."""


def add_features(parser: argparse.ArgumentParser) -> None:
    """Add arguments for features of items, and for groups of users and items."""
    group = parser.add_argument_group(
        "features and groups", "Files are tables with a row per item or user."
    )
    files = [
        group.add_argument(
            "--item-features",
            action="append",
            metavar="FILE",
            help="features of items, such as movies.dat or films.csv:genre,year, for metrics such "
            "as ILD(feature=genre)@10; may be repeated",
        ),
        group.add_argument(
            "--item-groups",
            action="append",
            metavar="FILE:FEATURE",
            help="also measure the test and listed items of each group, such as movies.dat:genre; "
            "may be repeated",
        ),
        group.add_argument(
            "--user-groups",
            action="append",
            metavar="FILE:FEATURE",
            help="also compare groups of users, such as users.dat:gender, users.dat:age/5 (numbers "
            "in 5 groups of about equal size), activity (the number of their training ratings) or "
            "popularity-taste; may be repeated",
        ),
    ]
    complete_by("file", files)
    for what in ("item", "user"):
        group.add_argument(
            f"--{what}-features-id",
            type=column_name,
            metavar="COLUMN",
            help=f"column of the {what}s in the files of their features and groups, by name or "
            "position (default: the first with a usual name)",
        )


def add_rating_scores(parser: argparse.ArgumentParser) -> None:
    """Add the argument for systems whose scores are ratings."""
    parser.add_argument(
        "--rating-scores",
        action="append",
        metavar="NAME",
        help="system or run whose scores are ratings, for MAE and RMSE, besides systems of this "
        "library that say so themselves; may be repeated",
    )


def features_of(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of :func:`add_features` for the functions of the library."""
    from receval.data.features import read_features

    _user_features(chosen)  # What is wrong is said before systems are trained.
    wanted: dict[str, list[str] | None] = {}
    groups: list[str] = []
    read = partial(read_features, id=chosen.item_features_id, of="items")
    named = [(False, text) for text in repeated(chosen.item_features)]
    for are_groups, text in [*named, *((True, text) for text in repeated(chosen.item_groups))]:
        path, features = _path_and_features(text)
        if are_groups:
            features = features or [read(path).name()]
            groups += features
        before = wanted.get(path, [])
        wanted[path] = [*before, *features] if features and before is not None else None
    if not wanted:
        return {}
    tables = [
        read(path, features=None if own is None else list(dict.fromkeys(own)))
        for path, own in wanted.items()
    ]
    return {"item_features": tables, "item_groups": groups or None}


def grouped_results(result: EvaluationResult, chosen: argparse.Namespace) -> list[GroupedResult]:
    """Return the values of the groups that were asked for."""
    tables = _user_features(chosen)
    found = []
    for text in repeated(chosen.user_groups):
        if text in TRAITS:
            found.append(result.by_group(text))
        else:
            found += [result.by_group(tables[text], name) for name in tables[text].names]
    kinds = [False] if result.of_ranks else []
    kinds += [True] if result.of_list_groups or not kinds else []
    return found + [
        result.by_group(items=name, lists=lists) for name in result.item_groups for lists in kinds
    ]


def _user_features(chosen: argparse.Namespace) -> dict[str, Features]:
    """Return the features of users by which they are grouped, by the argument that names them."""
    from receval.data.features import read_features

    found = {}
    for text in repeated(chosen.user_groups):
        if text not in TRAITS:
            path, features = _path_and_features(text)
            parts = [name.rpartition("/") for name in features]
            bins = {name: int(n) for name, slash, n in parts if slash and n.isdecimal()}
            features = [
                name if name in bins else own
                for own, (name, _, _) in zip(features, parts, strict=True)
            ]
            read = partial(read_features, id=chosen.user_features_id, of="users")
            found[text] = read(path, features=features or None, bins=bins or None)
            if not features:
                found[text].name()  # Refuses a table with several features.
    return found


def _path_and_features(text: str) -> tuple[str, list[str]]:
    """Return the file and the features of ``FILE:FEATURE,FEATURE``."""
    path, colon, features = text.rpartition(":")
    if not colon or Path(text).exists():
        return text, []
    return path, [name.strip() for name in features.split(",") if name.strip()]
