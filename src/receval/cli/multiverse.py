# SPDX-License-Identifier: MIT
"""``receval multiverse``: compare systems under all combinations of eight decisions."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.cli.arguments import (
    add_output,
    add_ratings,
    add_relevant,
    add_seed,
    finish,
    ratings_of,
)
from receval.cli.command_parser import add_command, progress_line
from receval.cli.evaluate import named_system
from receval.cli.saved_arguments import add_settings
from receval.cli.split import DEFAULT_SPLIT, add_given_parts, refuse_options_of_parts, split_of

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.splits.split_ratings import SplitRatings

EXAMPLES = """examples:
  receval multiverse ratings.csv --systems user-knn,mf
  receval multiverse ratings.csv --systems pop,user-knn:neighbours=50 --grid full --out universes
  receval multiverse ratings.csv --systems user-knn,mf --split temporal:scope=user
  receval multiverse --settings receval-multiverse/settings.json --seed 2 --out seed-2
"""


class _Listed(argparse.Action):
    """Joins the values of an option that is repeated by commas."""

    def __call__(self, parser: Any, chosen: Any, values: Any, option: Any = None) -> None:
        before = getattr(chosen, self.dest)
        # The same systems may also be named, before others.
        joined = values if before is self.default else f"{before},{values}"
        setattr(chosen, self.dest, joined)


def add_multiverse(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "compare systems under all combinations of eight experimental decisions"
    parser = add_command(commands, "multiverse", text, EXAMPLES, run_multiverse)
    add_ratings(parser)
    parser.add_argument(
        "--systems",
        "--system",
        default="user-knn,mf",
        action=_Listed,
        metavar="NAMES",
        help="two or more systems, such as pop,user-knn:neighbours=50,mf; may be repeated "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--grid",
        choices=("quick", "full"),
        default="quick",
        help="levels of the decisions; full has 20,480 universes, and more with times or a "
        "split of your own (default: %(default)s)",
    )
    parser.add_argument(
        "--split",
        metavar="KIND",
        help="split of your own, as for receval evaluate, with which the universes begin (default: "
        "only those of the grid)",
    )
    add_given_parts(parser)
    add_relevant(parser)
    add_seed(parser)
    add_output(parser, "receval-multiverse")
    add_settings(parser, required=["ratings"], files=["ratings", "test", "validation"])


def run_multiverse(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.multiverse.explore_ratings import explore_ratings
    from receval.multiverse.multiverse_report import multiverse_report

    names = listed_systems(chosen.systems)
    for name in names:
        named_system(name, chosen.seed)
    with progress_line("step") as progress:
        found = explore_ratings(
            _ratings_or_split(chosen),
            {name: partial(named_system, name) for name in names},
            grid=chosen.grid,
            relevant=chosen.relevant,
            seed=chosen.seed,
            told=progress,
        )
    return finish(multiverse_report(found, f"Multiverse of {Path(chosen.ratings).name}"), chosen)


def _ratings_or_split(chosen: argparse.Namespace) -> Ratings | SplitRatings:
    """Return the split of one's own, if one is named or given, or else the ratings."""
    is_saved = (Path(chosen.ratings) / "split.json").is_file()
    refuse_options_of_parts(chosen)
    is_given = chosen.test or chosen.validation or chosen.part
    if chosen.split is None and not (is_saved or is_given):
        return ratings_of(chosen)
    return split_of(chosen, chosen.split or DEFAULT_SPLIT)


def listed_systems(text: str) -> list[str]:
    """Split a list of systems at commas, but keep the parameters of a system together.

    Examples
    --------
    >>> listed_systems("pop,mf:factors=20,seed=3,user-knn")
    ['pop', 'mf:factors=20,seed=3', 'user-knn']
    """
    systems: list[str] = []
    for part in filter(None, map(str.strip, text.split(","))):
        is_parameter = "=" in part and ":" not in part
        if is_parameter and systems:
            systems[-1] += f",{part}"
        else:
            systems.append(part)
    return list(dict.fromkeys(systems))
