# SPDX-License-Identifier: MIT
"""``receval multiverse``: systems of ours under all combinations of eight decisions."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

from receval.commands.arguments import add_output, column_name, finish, threshold_or_auto
from receval.commands.progress import ProgressBar

EXAMPLES = """examples:
  receval multiverse ratings.csv --systems user-knn,mf
  receval multiverse ratings.csv --systems pop,user-knn:neighbours=50 --grid full --out universes
"""


def add_multiverse(commands: Any) -> None:
    """Add the command to those of ``receval``."""
    text = "tell how often each system wins over eight decisions, and what flips it"
    parser = commands.add_parser(
        "multiverse",
        help=text,
        description=text,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ratings", help="CSV, TSV, Parquet, MovieLens' or RecBole's file")
    parser.add_argument(
        "--systems",
        default="user-knn,mf",
        metavar="NAMES",
        help="two or more, such as pop,user-knn:neighbours=50,mf (%(default)s)",
    )
    parser.add_argument(
        "--grid",
        choices=("quick", "full"),
        default="quick",
        help="levels of the decisions: quick, or all 20,480 universes (%(default)s)",
    )
    for name in ("user", "item", "rating", "timestamp"):
        parser.add_argument(
            f"--{name}", type=column_name, help=f"column of the {name}: name or position"
        )
    parser.add_argument(
        "--repeats",
        default="refuse",
        choices=("refuse", "first", "last", "sum", "mean"),
        help="what becomes of pairs that are rated again (%(default)s)",
    )
    parser.add_argument(
        "--relevant",
        type=threshold_or_auto,
        default="auto",
        help="from which value on a test rating is relevant (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (%(default)s)")
    add_output(parser, "receval-multiverse")
    parser.set_defaults(run=run_multiverse, needs_repository=False)


def run_multiverse(chosen: argparse.Namespace) -> int:
    """Carry the command out."""
    from receval.commands.named_systems import named_system
    from receval.interchange.ratings_table import read_ratings
    from receval.own_multiverse.exploring import explore_ratings
    from receval.own_multiverse.multiverse_report import multiverse_report

    names = listed_systems(chosen.systems)
    for name in names:
        named_system(name, chosen.seed)
    ratings = read_ratings(
        chosen.ratings,
        user=chosen.user,
        item=chosen.item,
        rating=chosen.rating,
        timestamp=chosen.timestamp,
        repeats=chosen.repeats,
    )
    found = explore_ratings(
        ratings,
        {name: partial(named_system, name) for name in names},
        grid=chosen.grid,
        relevant=chosen.relevant,
        seed=chosen.seed,
        told=ProgressBar(),
    )
    return finish(multiverse_report(found, f"Multiverse of {Path(chosen.ratings).name}"), chosen)


def listed_systems(text: str) -> list[str]:
    """Return the systems of a list with commas; a parameter stays with its system.

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
