# SPDX-License-Identifier: MIT
"""Options of ``receval runs`` for lists larger than memory, which are evaluated in blocks."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from receval.cli.arguments import number_or_word
from receval.cli.command_parser import complete_by, progress_line
from receval.cli.saved_arguments import kept_arguments
from receval.storage.messages import how_many, printable

if TYPE_CHECKING:
    from receval.evaluation.result import EvaluationResult

JOIN = "join"
"""The value of ``--shard`` that joins the measured shards."""

_BY_USER = "it needs the values of each user"
_NOT_IN_BLOCKS = {
    "dialect": _BY_USER,
    "rating_scores": "metrics of ratings need the test ratings of all users at once",
    "item_features": _BY_USER,
    "item_groups": _BY_USER,
    "user_groups": _BY_USER,
    "significance_test": _BY_USER,
}
"""Options that are refused, and why."""


def add_blocks(parser: argparse.ArgumentParser) -> None:
    """Add arguments for an evaluation in blocks.

    Their defaults are None, so that settings only have what was given.
    """
    group = parser.add_argument_group(
        "lists larger than memory",
        "Tables are Parquet files, or folders of them, in the order of users.",
    )
    folder = group.add_argument(
        "--in-blocks",
        metavar="FOLDER",
        help="measure block by block of users, and keep in this folder what is done and the values "
        "of users; a stopped command goes on from it",
    )
    complete_by("directory", [folder])
    group.add_argument(
        "--block-rows",
        type=_whole_number,
        metavar="NUMBER",
        help="rows of the largest table in a block, some 100 bytes of memory each for every job "
        "(default: 4000000)",
    )
    group.add_argument(
        "--jobs",
        type=_whole_number,
        metavar="NUMBER",
        help="blocks that are measured at a time (default: all cores)",
    )
    group.add_argument(
        "--shards",
        type=_whole_number,
        metavar="NUMBER",
        help="measure nothing, but write a Snakefile that shares the blocks out over so many jobs "
        "of a cluster",
    )
    group.add_argument(
        "--shard",
        type=number_or_word,
        metavar="NUMBER",
        help="measure only this one of --shards, or join them ('join'); the Snakefile does this",
    )


def run_in_blocks(chosen: argparse.Namespace, options: dict[str, Any]) -> EvaluationResult | None:
    """Evaluate in blocks, with options as for the library; None if nothing is to be reported."""
    from receval.large_runs.processes import keep_freed_memory

    keep_freed_memory()
    from receval.large_runs.evaluate import joined_result, measure_shard, plan_large_runs

    folder = Path(chosen.in_blocks)
    given = [name for name in _NOT_IN_BLOCKS if getattr(chosen, name) not in (None, [], "", "t")]
    if given:
        raise ValueError(
            f"--{given[0].replace('_', '-')} cannot be used with --in-blocks, because "
            f"{_NOT_IN_BLOCKS[given[0]]}. Leave it out (the t-test needs only sums), or evaluate a "
            "sample of users without --in-blocks."
        )
    chosen.significance_test = "t"
    jobs: int | Literal["auto"] = "auto" if chosen.jobs is None else chosen.jobs
    if chosen.shard is None:
        plan_large_runs(folder=folder, jobs=jobs, **options)
        if chosen.shards is not None:
            print(_planned(folder, chosen))
            return None
    if chosen.shard != JOIN:
        shard, shards = (1, 1) if chosen.shard is None else (chosen.shard, chosen.shards or 1)
        with progress_line("block") as progress:
            measure_shard(folder, shard, shards, jobs=jobs, progress=progress)
        if chosen.shard is not None:
            return None
    return joined_result(folder)


def _planned(folder: Path, chosen: argparse.Namespace) -> str:
    """Write the Snakefile and the settings of its jobs, and say how to run it."""
    from receval import __version__
    from receval.large_runs.plan import ROWS_PER_BLOCK, PlanFolder
    from receval.large_runs.snakefile import write_snakefile
    from receval.storage.files import write_atomically

    settings = folder.resolve() / "settings.json"
    kept = {"receval": __version__, **kept_arguments(chosen)}
    write_atomically(settings, json.dumps(kept, indent=2) + "\n")
    command = [sys.executable, "-m", "receval", "runs", "--settings", str(settings)]
    command += ["--shards", str(chosen.shards)]
    plan = PlanFolder(folder).plan
    rows = sum(table.rows for table in plan.tables.values())
    path = write_snakefile(
        folder, command, chosen.shards, rows, chosen.block_rows or ROWS_PER_BLOCK
    )
    return (
        f"Planned {how_many(plan.n_blocks, 'block')} in {how_many(chosen.shards, 'shard')}. "
        f"Run them with: snakemake -s {printable(shlex.quote(str(path)))} --cores all"
    )


def _whole_number(text: str) -> int:
    number = number_or_word(text)
    if not isinstance(number, int) or number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return number
