# SPDX-License-Identifier: MIT
"""``receval multiverse``: compare systems under all combinations of eight decisions."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

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

EXAMPLES = """examples:
  receval multiverse ratings.csv --systems user-knn,mf
  receval multiverse ratings.csv --systems pop,user-knn:neighbours=50 --grid full --out universes
  receval multiverse --settings receval-multiverse/settings.json --seed 2 --out seed-2
"""


def add_multiverse(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "compare systems under all combinations of eight experimental decisions"
    parser = add_command(commands, "multiverse", text, EXAMPLES, run_multiverse)
    add_ratings(parser)
    parser.add_argument(
        "--systems",
        default="user-knn,mf",
        metavar="NAMES",
        help="two or more systems, such as pop,user-knn:neighbours=50,mf (default: %(default)s)",
    )
    parser.add_argument(
        "--grid",
        choices=("quick", "full"),
        default="quick",
        help="levels of the decisions; full has 20,480 universes (default: %(default)s)",
    )
    add_relevant(parser)
    add_seed(parser)
    add_output(parser, "receval-multiverse")
    add_settings(parser, required=["ratings"], files=["ratings"])


def run_multiverse(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.multiverse.explore_ratings import explore_ratings
    from receval.multiverse.multiverse_report import multiverse_report

    names = listed_systems(chosen.systems)
    for name in names:
        named_system(name, chosen.seed)
    with progress_line("step") as progress:
        found = explore_ratings(
            ratings_of(chosen),
            {name: partial(named_system, name) for name in names},
            grid=chosen.grid,
            relevant=chosen.relevant,
            seed=chosen.seed,
            told=progress,
        )
    return finish(multiverse_report(found, f"Multiverse of {Path(chosen.ratings).name}"), chosen)


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
