# SPDX-License-Identifier: MIT
"""``receval diagnose``: what a file of ratings allows to be measured."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from receval.commands.arguments import add_output, column_name, finish, threshold_or_auto

EXAMPLES = """examples:
  receval diagnose ratings.csv
  receval diagnose ratings.csv --relevant 4 --unbiased random_items.csv --out diagnosis
"""

_WIDTH = 24


def add_diagnose(commands: Any) -> None:
    """Add the command to those of ``receval``."""
    text = "tell what your ratings allow to be measured, and how an experiment should be made"
    parser = commands.add_parser(
        "diagnose",
        help=text,
        description=text,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ratings", help="CSV, TSV, Parquet, MovieLens' or RecBole's file")
    parser.add_argument(
        "--unbiased",
        metavar="FILE",
        help="judgments of items that were drawn for users, with the same columns",
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
        help="from which value on a rating is relevant (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (%(default)s)")
    add_output(parser, "receval-diagnose")
    parser.set_defaults(run=run_diagnose, needs_repository=False)


def run_diagnose(chosen: argparse.Namespace) -> int:
    """Carry the command out."""
    from receval.diagnosis.diagnose import diagnose
    from receval.interchange.ratings_table import read_ratings

    columns = {name: getattr(chosen, name) for name in ("user", "item", "rating")}
    ratings = read_ratings(
        chosen.ratings, **columns, timestamp=chosen.timestamp, repeats=chosen.repeats
    )
    unbiased = None
    if chosen.unbiased is not None:
        unbiased = read_ratings(chosen.unbiased, **columns, repeats=chosen.repeats)
    found = diagnose(
        ratings,
        relevant=chosen.relevant,
        unbiased=unbiased,
        seed=chosen.seed,
        tell=_show_step if sys.stderr.isatty() else None,
    )
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    print(found, end="\n\n")
    return finish(found.report(f"Diagnosis of {Path(chosen.ratings).name}"), chosen)


def _show_step(name: str, number: int, steps: int) -> None:
    """Draw a bar on the terminal, in place of the one before."""
    done = _WIDTH * number // steps
    bar = "#" * done + "." * (_WIDTH - done)
    print(f"\r\x1b[K[{bar}] {number}/{steps} {name}", end="", file=sys.stderr, flush=True)
