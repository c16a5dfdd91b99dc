# SPDX-License-Identifier: MIT
"""``receval audit-samples``: compare metrics on sampled candidates with those on whole lists."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from receval.cli.arguments import add_output, add_relevant, finish, repeated
from receval.cli.command_parser import add_command, progress_line
from receval.cli.runs import add_lists, judged_and_trained, read_runs, repeat_lists

EXAMPLES = """Runs must rank all candidates of each tested user: the result of a sample is unknown
if it contains items that a list lacks.

examples:
  receval audit-samples --test held_out.csv --train train.csv a.run b.run --sampled 100
  receval audit-samples --test test.qrels mine=a.tsv theirs=b.tsv --metric nDCG@10 --metric MRR
  receval audit-samples --settings receval-audit-samples/settings.json --sampled 1000 --out more
"""


def add_audit_samples(commands: Any) -> None:
    """Add this command to ``receval``."""
    text = "compare metrics on sampled candidates with metrics on full rankings"
    parser = add_command(commands, "audit-samples", text, EXAMPLES, run_audit_samples)
    add_lists(parser)
    parser.add_argument(
        "--sampled",
        type=int,
        metavar="NUMBER",
        default=100,
        help="sampled negatives per relevant item (default: %(default)s)",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="metric, such as nDCG@10 or MRR; may be repeated (default: Recall@10, nDCG@10, RR)",
    )
    add_relevant(parser)
    add_output(parser, "receval-audit-samples")
    repeat_lists(parser)


def run_audit_samples(chosen: argparse.Namespace) -> int:
    """Run the command."""
    from receval.sampled_metrics.audit import audit_samples

    test, train = judged_and_trained(chosen)
    runs = read_runs(chosen)
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
