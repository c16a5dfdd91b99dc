# SPDX-License-Identifier: MIT
"""``receval diagnose``: find out what a file of ratings allows to be measured."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from receval.cli.arguments import (
    add_output,
    add_ratings,
    add_seed,
    columns_of,
    finish,
    ratings_of,
    reading_of,
    threshold_or_auto,
)
from receval.cli.command_parser import as_sentence
from receval.cli.completion import complete_by
from receval.cli.progress import progress_line
from receval.cli.saved_arguments import TABLES_READ, add_settings

EXAMPLES = """examples:
  receval diagnose ratings.csv
  receval diagnose ratings.csv --relevant 4 --unbiased random_items.csv --out diagnosis
  receval diagnose --settings receval-diagnose/settings.json --seed 2 --out seed-2
"""


def add_diagnose(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "report what can be measured on your ratings, and recommend an experiment"
    parser = commands.add_parser(
        "diagnose",
        help=text,
        description=as_sentence(text),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_ratings(parser)
    unbiased = parser.add_argument(
        "--unbiased",
        metavar="FILE",
        help="judgments of items that were drawn at random for each user, with the same columns",
    )
    complete_by("file", [unbiased])
    parser.add_argument(
        "--relevant",
        type=threshold_or_auto,
        metavar="VALUE",
        default="auto",
        help="lowest rating that counts as relevant (default: %(default)s)",
    )
    add_seed(parser)
    add_output(parser, "receval-diagnose")
    add_settings(
        parser,
        "diagnose",
        positionals=["ratings"],
        required=["ratings"],
        files=["ratings", "unbiased"],
    )
    parser.set_defaults(run=run_diagnose)


def run_diagnose(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.data.ratings_table import read_ratings
    from receval.diagnosis.diagnose import diagnose

    unbiased = None
    if chosen.unbiased is not None:
        columns = columns_of(chosen, ("user", "item", "rating"))
        unbiased = read_ratings(chosen.unbiased, **columns, **reading_of(chosen))
    ratings = ratings_of(chosen)
    if unbiased is not None:
        setattr(chosen, TABLES_READ, (ratings, unbiased))
    with progress_line("step") as progress:
        found = diagnose(
            ratings,
            relevant=chosen.relevant,
            unbiased=unbiased,
            seed=chosen.seed,
            tell=progress,
        )
    report = found.report(f"Diagnosis of {Path(chosen.ratings).name}")
    return finish(report, chosen, str(found))
