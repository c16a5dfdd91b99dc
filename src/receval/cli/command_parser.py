# SPDX-License-Identifier: MIT
"""The parser of all commands: errors in single sentences, shell completion, and progress."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from receval.storage.messages import shortened

SHELLS = ("bash", "zsh", "fish")


class CommandLineError(ValueError):
    """The command line is invalid."""


class CommandParser(argparse.ArgumentParser):
    """An argparse parser that raises an error instead of printing it and ending the process.

    Examples
    --------
    >>> CommandParser(prog="receval").parse_args(["--colour"])
    Traceback (most recent call last):
    receval.cli.command_parser.CommandLineError: receval: unrecognized arguments: --colour \
(see receval --help).
    """

    def error(self, message: str) -> NoReturn:
        """Raise the error that argparse found."""
        raise CommandLineError(f"{self.prog}: {message} (see {self.prog} --help).")


def add_command(
    commands: Any, name: str, text: str, examples: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Add a command to those of ``receval``, and return its parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=f"{text[:1].upper()}{text[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


class PrintCompletion(argparse.Action):
    """Print the completion script of a shell for all commands of the parser, and exit."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Print the script."""
        try:
            import shtab
        except ImportError:
            raise ValueError(
                "Completion scripts need shtab, which is not installed. Install it with: pip "
                "install shtab."
            ) from None
        print(shtab.complete(parser, values))
        parser.exit()


def complete_by(kind: str, actions: Iterable[argparse.Action]) -> None:
    """Let shells complete arguments with files or folders."""
    for action in actions:
        # The attribute that shtab reads.
        vars(action)["complete"] = kind


@contextmanager
def progress_line(unit: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows progress on one line, which is cleared at the end.

    The function takes the name of the next unit, the number done, and the total. Nothing is written
    if standard error is not a terminal.
    """
    from tqdm import tqdm

    with tqdm(unit=f" {unit}", leave=False, disable=None, dynamic_ncols=True) as bar:

        def show(name: str, done: int, total: int) -> None:
            bar.total, bar.n = total, done
            bar.set_postfix_str(shortened(name), refresh=False)
            bar.refresh()

        yield show
