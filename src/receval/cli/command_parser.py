# SPDX-License-Identifier: MIT
"""A parser of arguments whose errors are sentences, without a page of usage before them."""

from __future__ import annotations

import argparse
from typing import NoReturn


class CommandLineError(ValueError):
    """A command was not given as it must be."""


class CommandParser(argparse.ArgumentParser):
    """Argparse's parser; it raises an error where that one prints and ends the process.

    Examples
    --------
    >>> CommandParser(prog="receval").parse_args(["--colour"])
    Traceback (most recent call last):
    receval.cli.command_parser.CommandLineError: receval: unrecognized arguments: --colour \
(receval --help tells what there is).
    """

    def error(self, message: str) -> NoReturn:
        """Raise what argparse has found."""
        raise CommandLineError(f"{self.prog}: {message} ({self.prog} --help tells what there is).")


def as_sentence(text: str) -> str:
    """Return a text with a capital and a full stop.

    Examples
    --------
    >>> as_sentence("compare lists")
    'Compare lists.'
    """
    return f"{text[:1].upper()}{text[1:]}."
