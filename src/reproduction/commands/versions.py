# SPDX-License-Identifier: MIT
"""``receval repo versions``: print the processor, the arithmetic and the library versions."""

from __future__ import annotations

import argparse
from typing import Any

from reproduction.commands.one_task import add_task


def add_versions(tasks: Any) -> None:
    """Add the task to those of the repository."""
    text = "print the processor, arithmetic and library versions that results depend on"
    add_task(tasks, "versions", print_versions, text)


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
        *(("set by the person or the host", setting) for setting in given),
        *versions().items(),
    ]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True))
    return 0
