# SPDX-License-Identifier: MIT
"""``receval evaluate``: systems of ours on a file of ratings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from receval.commands.arguments import (
    add_measuring,
    add_output,
    column_name,
    finish,
    number_or_word,
    repeated,
)

EXAMPLES = """examples:
  receval evaluate ratings.csv --system pop --system user-knn:neighbours=50
  receval evaluate ratings.csv --system mf --split k-fold:folds=5 \\
    --protocol "1R TI-NN sampled=99" --metric nDCG@10 --metric MRR
"""


def add_evaluate(commands: Any) -> None:
    """Add the command to those of ``receval``."""
    text = "train systems on your ratings, and compare them"
    parser = commands.add_parser(
        "evaluate",
        help=text,
        description=text,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ratings", help="CSV, TSV, Parquet, MovieLens' or RecBole's file")
    parser.add_argument(
        "--system",
        action="append",
        metavar="NAME",
        help="such as pop, user-knn:neighbours=50, mf:factors=20; repeat it (pop and user-knn)",
    )
    parser.add_argument(
        "--split",
        default="user-ratio:train_ratio=0.8",
        metavar="KIND",
        help="such as k-fold:folds=5, leave-last-out, temporal:cut=2003-01-31,gap=7 (%(default)s)",
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
    add_measuring(parser)
    add_output(parser, "receval-evaluate")
    parser.set_defaults(run=run_evaluate, needs_repository=False)


def run_evaluate(chosen: argparse.Namespace) -> int:
    """Carry the command out."""
    from receval.commands.named_systems import named_system
    from receval.comparison.splitting import split
    from receval.comparison.systems import evaluate_systems
    from receval.interchange.ratings_table import read_ratings

    names = repeated(chosen.system) or ["pop", "user-knn"]
    systems = {name: named_system(name, chosen.seed) for name in names}
    kind, parameters = _split(chosen.split)
    ratings = read_ratings(
        chosen.ratings,
        user=chosen.user,
        item=chosen.item,
        rating=chosen.rating,
        timestamp=chosen.timestamp,
        repeats=chosen.repeats,
    )
    data = split(ratings, kind, seed=chosen.seed, **parameters)
    result = evaluate_systems(
        data,
        systems,
        protocols=repeated(chosen.protocol) or "AR AI-AN",
        metrics=repeated(chosen.metric) or ("P@10", "Recall@10", "nDCG@10"),
        relevant=chosen.relevant,
        users=chosen.users,
    )
    return finish(result.as_report(f"Systems on {Path(chosen.ratings).name}"), chosen)


def _split(text: str) -> tuple[str, Mapping[str, Any]]:
    kind, _, written = text.partition(":")
    parts = [part.partition("=") for part in written.split(",") if part]
    return kind, {name.strip(): number_or_word(value.strip()) for name, _, value in parts}
