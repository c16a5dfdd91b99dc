# SPDX-License-Identifier: MIT
"""``receval repo kernels`` and ``run-rule``: compile kernels, and run one job for debugging."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from reproduction.commands.one_task import add_task


def add_jobs(tasks: Any) -> None:
    """Add the tasks to those of the repository."""
    text = "compile the numba kernels of all jobs in advance"
    kernels = add_task(tasks, "kernels", run_kernels, text)
    kernels.add_argument(
        "--record",
        action="store_true",
        help="add the kernels that the jobs in work/ had to compile to the list",
    )
    text = "make one file by calling the function of its rule in this process, for debugging"
    one = add_task(tasks, "run-rule", run_one_rule, text)
    one.add_argument("file", help="the file to make, such as work/demo/ml-1m/raw.json")
    one.add_argument(
        "options", nargs=argparse.REMAINDER, help="options of Snakemake, such as --configfile"
    )
    # A debugger needs the original exception.
    one.set_defaults(raises=True)


def run_kernels(chosen: argparse.Namespace) -> int:
    """Compile kernels; return 1 if the list of their types is outdated."""
    from reproduction.workflow.jobs.kernels import LIST, compile_all, listed, record

    if chosen.record:
        record(Path("work").rglob("logs/*.log"))
    outdated = compile_all()
    for kernel, types in outdated:
        print(
            f"{kernel} takes no {types}: write {LIST.name} again with receval repo kernels "
            "--record."
        )
    print(f"{len(listed()) - len(outdated)} kernels are compiled.")
    return int(bool(outdated))


def run_one_rule(chosen: argparse.Namespace) -> int:
    """Make one file in the foreground, and return Snakemake's exit status."""
    from reproduction.workflow.jobs.foreground import run_rule
    from reproduction.workflow.jobs.run_job import is_our_own

    def show(kind: type[BaseException], error: BaseException, *trace: Any) -> None:
        # No debugger has caught it, and Snakemake has shown its message.
        if not is_our_own(error):
            sys.__excepthook__(kind, error, *trace)

    sys.excepthook = show
    return run_rule(chosen.file, chosen.options)
