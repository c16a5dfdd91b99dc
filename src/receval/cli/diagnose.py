# SPDX-License-Identifier: MIT
"""``receval diagnose``: find out what a file of ratings allows to be measured."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from receval.cli.arguments import (
    add_columns,
    add_output,
    add_ratings,
    add_reading,
    add_relevant,
    add_seed,
    finish,
    ratings_of,
    read_others,
)
from receval.cli.command_parser import add_command, complete_by, progress_line
from receval.cli.saved_arguments import add_settings, keep_read
from receval.cli.split import add_selection, selection_of

EXAMPLES = """examples:
  receval diagnose ratings.csv
  receval diagnose ratings.csv --relevant 4 --unbiased random_items.csv --out diagnosis
  receval diagnose ratings.csv --selection min_user_ratings=5,min_item_ratings=5
  receval diagnose --settings receval-diagnose/settings.json --seed 2 --out seed-2
"""


_COLUMNS = ("user", "item", "rating")
"""The columns of unbiased judgments."""


def add_diagnose(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "report what can be measured on your ratings, and recommend an experiment"
    parser = add_command(commands, "diagnose", text, EXAMPLES, run_diagnose)
    add_ratings(parser)
    add_columns(parser, _COLUMNS, " in --unbiased", "unbiased-")
    add_reading(parser, "--unbiased, unless like the ratings", "unbiased-")
    unbiased = parser.add_argument(
        "--unbiased",
        metavar="FILE",
        help="judgments of items that were drawn at random for each user, in the same columns",
    )
    complete_by("file", [unbiased])
    add_relevant(parser, "rating")
    add_selection(parser, has_candidates=False)
    add_seed(parser)
    add_output(parser, "receval-diagnose")
    add_settings(parser, required=["ratings"], files=["ratings", "unbiased"])


def run_diagnose(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.diagnosis.diagnose import diagnose

    ratings, unbiased = ratings_of(chosen), None
    if chosen.unbiased is not None:
        unbiased = read_others(chosen, chosen.unbiased, "unbiased-", _COLUMNS)
        keep_read(chosen, unbiased)
    with progress_line("step") as progress:
        found = diagnose(
            ratings,
            relevant=chosen.relevant,
            unbiased=unbiased,
            selection=selection_of(chosen).get("selection"),
            seed=chosen.seed,
            tell=progress,
        )
    report = found.report(f"Diagnosis of {Path(chosen.ratings).name}")
    return finish(report, chosen, str(found))
