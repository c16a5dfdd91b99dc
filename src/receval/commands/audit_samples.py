# SPDX-License-Identifier: MIT
"""``receval audit-samples``: what metrics on sampled candidates say of whole lists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from receval.commands.arguments import add_output, finish, repeated, threshold_or_auto
from receval.commands.progress import progress_line
from receval.commands.runs import add_lists, judged_and_trained, read_runs, repeat_lists
from receval.commands.saved_arguments import TABLES_READ

EXAMPLES = """Runs must have all candidates of each tested user: nobody knows what a sample would
find among items that a list lacks.

examples:
  receval audit-samples --test held_out.csv --train train.csv a.run b.run --sampled 100
  receval audit-samples --test test.qrels mine=a.tsv theirs=b.tsv --metric nDCG@10 --metric MRR
  receval audit-samples --settings receval-audit-samples/settings.json --sampled 1000 --out more
"""


def add_audit_samples(commands: Any) -> None:
    """Add the command to those of ``receval``."""
    text = "tell what metrics on sampled candidates are worth, against full ranking"
    parser = commands.add_parser(
        "audit-samples",
        help=text,
        description=text,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_lists(parser)
    parser.add_argument(
        "--sampled", type=int, default=100, help="negatives of each relevant item (%(default)s)"
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="such as nDCG@10, MRR; repeat it (Recall@10, nDCG@10, RR)",
    )
    parser.add_argument(
        "--relevant",
        type=threshold_or_auto,
        default="auto",
        help="from which value on a test rating is relevant (%(default)s)",
    )
    add_output(parser, "receval-audit-samples")
    repeat_lists(parser, "audit-samples")
    parser.set_defaults(run=run_audit_samples)


def run_audit_samples(chosen: argparse.Namespace) -> int:
    """Carry the command out."""
    from receval.sampling_audit.audit import audit_samples

    test, train = judged_and_trained(chosen)
    runs = read_runs(chosen)
    setattr(chosen, TABLES_READ, [*getattr(chosen, TABLES_READ), *runs.values()])
    with progress_line("step") as progress:
        audit = audit_samples(
            test,
            runs,
            sampled=chosen.sampled,
            train=train,
            trained_pairs=chosen.trained_pairs,
            metrics=repeated(chosen.metric) or ("Recall@10", "nDCG@10", "RR"),
            relevant=chosen.relevant,
            told=progress,
        )
    title = f"{chosen.sampled:,} sampled candidates on {Path(chosen.test).name}"
    return finish(audit.as_report(title), chosen)
