# SPDX-License-Identifier: MIT
"""An argument parser whose errors are single sentences, without a usage page."""

from __future__ import annotations

import argparse
from typing import NoReturn


class CommandLineError(ValueError):
    """The command line is invalid."""


class CommandParser(argparse.ArgumentParser):
    """An argparse parser that raises an error instead of printing it and ending the process.

    Examples
    --------
    >>> CommandParser(prog="receval").parse_args(["--colour"])
    Traceback (most recent call last):
    receval.cli.command_parser.CommandLineError: receval: unrecognized arguments: --colour \
(receval --help tells what there is).
    """

    def error(self, message: str) -> NoReturn:
        """Raise the error that argparse found."""
        raise CommandLineError(f"{self.prog}: {message} ({self.prog} --help tells what there is).")


def as_sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop.

    Examples
    --------
    >>> as_sentence("compare lists")
    'Compare lists.'
    """
    return f"{text[:1].upper()}{text[1:]}."
