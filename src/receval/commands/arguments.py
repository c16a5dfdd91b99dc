# SPDX-License-Identifier: MIT
"""Arguments that commands share, and how they end."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from receval import __version__
from receval.storage.files import write_atomically

if TYPE_CHECKING:
    from receval.comparison.report import Report

_LEFT_OUT = ("run", "needs_repository")


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """Add what systems and runs are measured by."""
    parser.add_argument(
        "--protocol",
        action="append",
        metavar="NAME",
        help='such as "AR TI-AN" or "1R TI-NN sampled=99"; repeat it (AR AI-AN)',
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="such as nDCG@10, MRR, precision@5; repeat it (P@10, Recall@10, nDCG@10)",
    )
    parser.add_argument(
        "--relevant",
        type=threshold_or_auto,
        default="auto",
        help="from which value on a test rating is relevant (%(default)s)",
    )
    parser.add_argument(
        "--users",
        choices=("tested", "relevant", "all", "covered"),
        default="tested",
        help="who is averaged (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn (%(default)s)")


def add_output(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add where results go."""
    parser.add_argument(
        "--out", type=Path, default=Path(folder), help="folder to write (%(default)s)"
    )
    parser.add_argument("--report", type=Path, help="write the page to this file, too")


def finish(report: Report, chosen: argparse.Namespace) -> int:
    """Print and write a report, and return the exit status."""
    from receval.figures.tables import to_markdown

    command = {name: value for name, value in vars(chosen).items() if name not in _LEFT_OUT}
    report.write(chosen.out, {"receval": __version__, "command": command})
    if chosen.report is not None:
        write_atomically(chosen.report, report.page())
    print(*(to_markdown(table) for table in report.tables), sep="\n")
    for note in report.notes:
        print(f"Note: {note}", file=sys.stderr)
    print(f"Written: {shlex.quote(str(chosen.out))}/ (report.html shows all of it)")
    return 0


def repeated(values: Sequence[str] | None) -> list[str]:
    """Return the values of an argument that can be repeated, each once."""
    return list(dict.fromkeys(values or ()))


def column_name(text: str) -> str | int:
    """Return a column's name, or its position where it is a number."""
    return int(text) if text.isdigit() else text


def depth(text: str) -> int | Literal["auto", "whole"] | str:
    """Return a depth, or one of its words, which are checked where they are used."""
    return int(text) if text.isdigit() else text


def number_or_word(text: str) -> int | float | str:
    """Return a parameter's value as the number that it is, or as a word.

    Examples
    --------
    >>> number_or_word("5"), number_or_word(".5"), number_or_word("user")
    (5, 0.5, 'user')
    """
    for kind in (int, float):
        try:
            value: Any = kind(text)
        except ValueError:
            continue
        return value
    return text


def threshold_or_auto(text: str) -> float | str:
    """Return from which value on a rating is relevant, or ``auto``."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor auto") from None
