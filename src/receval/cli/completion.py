# SPDX-License-Identifier: MIT
"""``receval --completion SHELL``: print the shell's completion script."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

SHELLS = ("bash", "zsh", "fish")


class PrintCompletion(argparse.Action):
    """Print the completion script for all commands of the parser, and exit."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Print the script."""
        print(completion_script(parser, values))
        parser.exit()


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Add the option to the main parser."""
    parser.add_argument(
        "--completion",
        action=PrintCompletion,
        choices=SHELLS,
        help="print the completion script of this shell",
    )


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the completion script for a shell.

    Raises
    ------
    ValueError
        The package shtab, which generates the script, is not installed.
    """
    try:
        import shtab
    except ImportError:
        raise ValueError(
            "Completion is written by shtab, which is not installed: pip install "
            "'receval[completion]'."
        ) from None
    script: str = shtab.complete(parser, shell)
    return script


def complete_by(kind: str, actions: Iterable[argparse.Action]) -> None:
    """Let shells complete arguments with files or folders."""
    for action in actions:
        # The attribute that shtab reads.
        vars(action)["complete"] = kind
