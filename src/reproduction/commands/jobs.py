# SPDX-License-Identifier: MIT
"""Tasks on jobs and what they run with: ``datasets``, ``verify``, ``versions``, ``kernels`` ..."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from reproduction.commands.one_task import add_edition, add_task


def add_surroundings(tasks: Any) -> None:
    """Add the tasks on datasets and on this machine to those of the repository."""
    text = "list the datasets that are available, and how to get the others"
    add_edition(add_task(tasks, "datasets", run_datasets, text))
    text = "compare prepared datasets with their records; the exit status is 1 if they differ"
    add_edition(add_task(tasks, "verify", run_verify, text))
    text = "print the processor, arithmetic and library versions that results depend on"
    add_task(tasks, "versions", print_versions, text)


def run_datasets(chosen: argparse.Namespace) -> int:
    """Print the table of the datasets of an edition."""
    from reproduction.config.settings import load_settings
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import Plan

    folders = RunFolders.of_command()
    print(Plan(load_settings(folders.config, chosen.edition), folders).datasets.table())
    return 0


def run_verify(chosen: argparse.Namespace) -> int:
    """Print whether each prepared dataset is as recorded; return 1 if one is not."""
    from reproduction.config.settings import load_settings
    from reproduction.datasets.prepare import verification
    from reproduction.workflow.plan.datasets import RunFolders

    settings = load_settings(RunFolders.of_command().config, chosen.edition)
    lines, sound = verification(Path("work") / settings.edition, settings.datasets)
    print("\n".join(lines))
    return int(not sound)


def print_versions(_: argparse.Namespace) -> int:
    """Print one line for each of them."""
    from tabulate import tabulate

    from reproduction.workflow.provenance.versions import processor_and_arithmetic, versions

    machine = processor_and_arithmetic()
    arithmetic = machine["arithmetic"]
    given = [f"{name}={value}" for name, value in arithmetic["given"].items()]
    rows = [
        ("processor", machine["processor"]),
        *(("linear algebra", library) for library in arithmetic["blas"]),
        ("code by numba", arithmetic["numba"]),
        ("loops of numpy", f"for {arithmetic['numpy']}"),
        ("C library", arithmetic["libc"]),
        *(("set by the user or the host", setting) for setting in given),
        *versions().items(),
    ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    return 0


def add_jobs(tasks: Any) -> None:
    """Add the tasks on kernels and single jobs to those of the repository."""
    text = "compile the numba kernels of all jobs in advance"
    kernels = add_task(tasks, "kernels", run_kernels, text)
    kernels.add_argument(
        "--record",
        action="store_true",
        help="add the kernels that the jobs in work/ had to compile to the list",
    )
    text = "make one file by calling the function of its rule in this process, for debugging"
    one = add_task(tasks, "run-rule", run_one_rule, text)
    one.add_argument("file", help="file to make, such as work/demo/ml-1m/raw.json")
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
            f"{kernel} does not accept {types}. Write {LIST.name} again with receval repo "
            "kernels --record."
        )
    print(f"{len(listed()) - len(outdated)} kernels are compiled.")
    return int(bool(outdated))


def run_one_rule(chosen: argparse.Namespace) -> int:
    """Make one file in the foreground, and return Snakemake's exit status."""
    from reproduction.workflow.jobs.job_runner import run_rule
    from reproduction.workflow.jobs.run_job import is_our_own

    def show(kind: type[BaseException], error: BaseException, *trace: Any) -> None:
        # No debugger has caught it, and Snakemake has shown its message.
        if not is_our_own(error):
            sys.__excepthook__(kind, error, *trace)

    sys.excepthook = show
    return run_rule(chosen.file, chosen.options)
