# SPDX-License-Identifier: MIT
"""``receval --completion SHELL``: the script by which a shell completes the command."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

SHELLS = ("bash", "zsh", "fish")


class PrintCompletion(argparse.Action):
    """Print the script for all commands of the parser, and end."""

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
    """Add the option to the parser of all commands."""
    parser.add_argument(
        "--completion",
        action=PrintCompletion,
        choices=SHELLS,
        help="print the completion script of this shell",
    )


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that a shell reads.

    Raises
    ------
    ValueError
        The package shtab, which writes it, is not installed.
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
    """Let shells complete arguments by files or folders."""
    for action in actions:
        # The attribute by which shtab knows it.
        vars(action)["complete"] = kind
