# SPDX-License-Identifier: MIT
"""``receval recommend``: train a system on all ratings, and write a list for each user."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from receval.cli.arguments import add_ratings, add_seed, ratings_of, repeated
from receval.cli.command_parser import add_command, complete_by
from receval.cli.evaluate import named_system
from receval.cli.saved_arguments import TABLES_READ
from receval.cli.split import add_selection, selection_of
from receval.storage.messages import how_many, printable, quoted

EXAMPLES = """The system is trained on all ratings. Its names and parameters are those of
receval evaluate (receval evaluate --help). The ending of the output file determines its format:
  .csv, .tsv, .parquet   the columns user, item, rank and score
  .run, .trec            TREC's lines, which trec_eval and ranx read
  .json                  an object of users, each an object of items with scores
  .inter                 an atomic file of RecBole

examples:
  receval recommend ratings.csv --system item-knn --n 10 --out recommendations.csv
  receval recommend ratings.csv --system mf:factors=20 --users ann --users bob
  receval recommend ratings.csv --selection min_item_ratings=5
"""


ENDINGS = (".csv", ".tsv", ".parquet", ".run", ".trec", ".json", ".inter")
"""The endings of output files."""


def add_recommend(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "train a recommender system on all your ratings, and recommend items to users"
    parser = add_command(commands, "recommend", text, EXAMPLES, run_recommend)
    add_ratings(parser)
    parser.add_argument(
        "--system",
        metavar="NAME",
        default="item-knn",
        help="system, such as pop, user-knn:neighbours=50 or mf:factors=20 (default: %(default)s)",
    )
    parser.add_argument(
        "--users",
        action="append",
        metavar="USER",
        help="identifier of a user; may be repeated (default: all users)",
    )
    parser.add_argument(
        "--n",
        type=int,
        metavar="NUMBER",
        default=10,
        help="most items of each list (default: %(default)s)",
    )
    parser.add_argument(
        "--exclude",
        choices=("rated", "none"),
        default="rated",
        help="which items to leave out: those that the user has rated, or none "
        "(default: %(default)s)",
    )
    add_selection(parser, has_candidates=False)
    add_seed(parser, "a random share in --selection")
    out = parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        default=Path("recommendations.csv"),
        help="output file (default: %(default)s)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    parser.add_argument(
        "--quiet", action="store_true", help="print only warnings, not how files were read"
    )
    complete_by("file", [out])


def run_recommend(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.data.reading import told_together
    from receval.data.run import write_run
    from receval.evaluation.fitted_systems import recommended_lists, recommended_run
    from receval.splits.split_ratings import select_ratings

    if not chosen.ratings:
        raise ValueError("receval recommend: give ratings (see receval recommend --help).")
    _check_target(chosen.out, Path(chosen.ratings), force=chosen.force)
    system = named_system(chosen.system)
    ratings = ratings_of(chosen)
    reading = getattr(ratings, "reading", None)
    if reading is not None:
        (lines,) = told_together([reading])
        if not chosen.quiet:
            print(*map(printable, lines), sep="\n", file=sys.stderr)
        for note in reading.notes:
            print(printable(f"Note: {note} ({note.code})"), file=sys.stderr)
        setattr(chosen, TABLES_READ, ())
    if selection := selection_of(chosen).get("selection"):
        ratings, told = select_ratings(ratings, selection, chosen.seed)
        print(printable(f"Note: {told} ({told.code})"), file=sys.stderr)
    lists = recommended_lists(
        ratings,
        system,
        users=repeated(chosen.users) or None,
        n=chosen.n,
        exclude="rated" if chosen.exclude == "rated" else None,
    )
    run = recommended_run(ratings, lists, chosen.system)
    write_run(run, chosen.out, tag="-".join(chosen.system.split()))
    n_empty = int((lists.lengths == 0).sum())
    if n_empty:
        said = f"Note: {chosen.system} recommends nothing to {how_many(n_empty, 'user')}."
        print(printable(said), file=sys.stderr)
    print(f"Written: {printable(str(chosen.out))} ({how_many(len(lists) - n_empty, 'list')})")
    return 0


def _check_target(out: Path, ratings: Path, *, force: bool) -> None:
    """Refuse to overwrite the ratings, a folder or, unless forced, any file."""
    shown = quoted(str(out), 150)
    if out.is_dir():
        raise ValueError(f"{shown} is a folder. Name a file with --out.")
    if out.suffix.lower() not in ENDINGS:
        raise ValueError(
            f"{shown} ends in none of {', '.join(ENDINGS)}, which decide the format. Name another "
            "file with --out."
        )
    if out.exists() and ratings.exists() and out.samefile(ratings):
        raise ValueError(
            f"This command reads {shown} and would overwrite it. Name another file with --out."
        )
    if out.exists() and not force:
        raise ValueError(
            f"{shown} already exists. Name another file with --out, or overwrite it with --force."
        )
