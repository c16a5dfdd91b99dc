# SPDX-License-Identifier: MIT
"""Arguments that several commands share, and the writing of their reports."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from receval import __version__
from receval.cli.command_parser import complete_by
from receval.cli.saved_arguments import (
    DIGESTS,
    TABLES_READ,
    files_read,
    keep_read,
    kept_arguments,
    notes_on_other_data,
)
from receval.data.reading import FORMATS, ForeignOptionsError, ReadingReport, TableError
from receval.notes import Note, refuse_doubts
from receval.storage.files import write_atomically
from receval.storage.messages import enumerated, printable, quoted, shortened

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.data.ratings_table import ReadRatings
    from receval.evaluation.comparison import ComparisonOptions
    from receval.evaluation.report import Report

COLUMNS = ("user", "item", "rating", "timestamp")
"""The columns of a table of ratings."""

_HEAD = 1 << 10
"""The first bytes of a page, in which its generator is named."""

MOST_SAMPLES = 10_000_000
"""The most samples of a permutation test: more take hours and add nothing to the saddlepoint."""

MOST_PRINTED = 100
"""The most rows of a table at the terminal; its files have all rows."""


def add_ratings(parser: argparse.ArgumentParser, *, has_format: bool = True) -> None:
    """Add arguments for a file of ratings and its columns; perhaps without ``--format``."""
    ratings = parser.add_argument(
        "ratings",
        nargs="?",
        help="file of ratings: CSV, TSV, Parquet, or the format of MovieLens or RecBole",
    )
    complete_by("file", [ratings])
    add_columns(parser, COLUMNS)
    add_reading(parser, has_format=has_format)


def add_columns(
    parser: argparse.ArgumentParser, names: Sequence[str], of: str = "", prefix: str = ""
) -> None:
    """Add arguments for the names of a table's columns."""
    for name in names:
        parser.add_argument(
            f"--{prefix}{name}",
            type=column_name,
            metavar="COLUMN",
            help=f"column of the {name}{of}: its name, its position (from 0), or - for none",
        )


def columns_of(
    chosen: argparse.Namespace, names: Sequence[str], prefix: str = ""
) -> dict[str, Any]:
    """Return the arguments of :func:`add_columns` that were given."""
    found = {name: getattr(chosen, f"{prefix.replace('-', '_')}{name}") for name in names}
    return {name: value for name, value in found.items() if value is not None}


def ratings_of(chosen: argparse.Namespace) -> Ratings:
    """Return the ratings of the arguments of :func:`add_ratings`."""
    from receval.data.ratings_table import read_ratings

    columns = columns_of(chosen, COLUMNS)
    ratings = read_ratings(chosen.ratings, **columns, **reading_of(chosen))
    keep_read(chosen, ratings)
    return ratings


READING = (
    *("format", "delimiter", "header", "columns", "encoding", "decimal", "time_unit", "quotes"),
    "identifiers",
)
"""The arguments of :func:`add_reading`, by their names in the library."""


def add_reading(
    parser: argparse.ArgumentParser, of: str = "files", prefix: str = "", *, has_format: bool = True
) -> None:
    """Add arguments for the format of texts, for when it cannot be detected."""
    group = parser.add_argument_group(f"reading {of}", "By default receval detects the format.")
    dashes = f"--{prefix}"
    if has_format:
        group.add_argument(f"{dashes}format", choices=tuple(FORMATS), help="format of the file")
    group.add_argument(
        f"{dashes}delimiter",
        type=_delimiter,
        metavar="CHARACTER",
        help="character between cells, such as ';' or tab",
    )
    for name, text in (
        ("header", "whether the first line has the names of the columns"),
        ("quotes", "whether to remove quotation marks around cells"),
    ):
        action = argparse.BooleanOptionalAction
        group.add_argument(f"{dashes}{name}", action=action, default=None, help=text)
    group.add_argument(
        f"{dashes}columns",
        metavar="NAMES",
        help="what each column is, for a file without a header, such as user,-,item,rating",
    )
    group.add_argument(
        f"{dashes}encoding",
        metavar="NAME",
        help="encoding, such as latin-1 or utf-16 (default: utf-8)",
    )
    group.add_argument(f"{dashes}decimal", choices=(".", ","), help="decimal mark of numbers")
    group.add_argument(
        f"{dashes}identifiers",
        choices=("whole", "as-written"),
        help="whether 10.0 becomes 10 if all identifiers are whole numbers (default: whole)",
    )
    if prefix != "run-":
        group.add_argument(
            f"{dashes}time-unit",
            choices=("s", "ms", "us", "ns", "date"),
            help="unit of timestamps that are numbers",
        )
        group.add_argument(
            f"{dashes}duplicates",
            default=None if prefix else "refuse",
            choices=("refuse", "first", "last", "sum", "mean", "max"),
            help="what to do if a user rated an item more than once (default: refuse)",
        )


def reading_of(chosen: argparse.Namespace, prefix: str = "") -> dict[str, Any]:
    """Return the arguments of :func:`add_reading` that were given."""
    names = {name: f"{prefix.replace('-', '_')}{name}" for name in (*READING, "duplicates")}
    found = {name: getattr(chosen, own, None) for name, own in names.items()}
    return {name: value for name, value in found.items() if value is not None}


_OF_A_TABLE = re.compile(
    "--(no-)?(?=(?:user|item|rating|timestamp|score|rank|order|duplicates|"
    f"{'|'.join(name.replace('_', '-') for name in READING)})\\b)"
)


@contextmanager
def hints_for(prefix: str) -> Iterator[None]:
    """Make errors about a table name the options that it has, such as ``--run-item``."""
    try:
        yield
    except TableError as error:
        error.args = (with_prefix(str(error), prefix),)
        raise


def read_others(
    chosen: argparse.Namespace, source: str, prefix: str, names: Sequence[str] = COLUMNS
) -> ReadRatings:
    """Read a second table of ratings by its own options, which have a prefix.

    If none is given, those of the first table hold as far as they fit, except its format, which
    often differs. Errors and notes name the options with the prefix.
    """
    from receval.data.ratings_table import read_ratings

    options = {**columns_of(chosen, names, prefix), **reading_of(chosen, prefix)}
    with hints_for(prefix):
        if options:
            read = read_ratings(source, **options)
        else:
            options = {**columns_of(chosen, names), **reading_of(chosen)}
            options.pop("format", None)
            read, _ = read_as_far_as_they_fit(read_ratings, source, options)
            read = replace(read, reading=_told_of_others(read.reading, options))
    notes = tuple(Note(own.code, with_prefix(own, prefix)) for own in read.reading.notes)
    return replace(read, reading=replace(read.reading, notes=notes))


def _told_of_others(reading: ReadingReport, options: Mapping[str, Any]) -> ReadingReport:
    """Return a report that names the options which were given for another table."""
    taken = [f"--{name.replace('_', '-')}" for name in options if name in reading.given]
    if not taken:
        return reading
    return replace(reading, form=f"{reading.form}, read with {enumerated(taken)}")


def read_as_far_as_they_fit(
    read: Callable[..., Any], source: str, options: Mapping[str, Any]
) -> tuple[Any, ForeignOptionsError | None]:
    """Read a table without the options of others that do not fit it, and return their error."""
    try:
        return read(source, **options), None
    except ForeignOptionsError as error:
        left = {name: own for name, own in options.items() if name not in error.names}
        found, more = read_as_far_as_they_fit(read, source, left)
        error.names += () if more is None else more.names
        return found, error


def with_prefix(text: str, prefix: str) -> str:
    """Return a message about a table with the options that have a prefix.

    Examples
    --------
    >>> with_prefix("Set header=False (--no-header), or name it (--item ...).", "run-")
    'Set header=False (--no-run-header), or name it (--run-item ...).'
    """
    return _OF_A_TABLE.sub(lambda found: f"--{found[1] or ''}{prefix}", text)


def _delimiter(text: str) -> str:
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)


def add_measuring(parser: argparse.ArgumentParser) -> None:
    """Add arguments for protocols, metrics and relevance."""
    parser.add_argument(
        "--protocol",
        action="append",
        metavar="NAME",
        help='relevant items, targets and candidates, such as "AR TI-AN" or "1R TI-NN sampled=99"; '
        "may be repeated (default: AR AI-AN)",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="metric, such as nDCG@10, MRR or precision@5; may be repeated (default: P@10, "
        "Recall@10, nDCG@10)",
    )
    add_relevant(parser)
    parser.add_argument(
        "--users",
        choices=("auto", "tested", "relevant", "all", "covered", "relevant-covered"),
        default="auto",
        help="users over whom metrics are averaged (default: tested, or those of the dialect)",
    )
    parser.add_argument(
        "--dialect",
        metavar="TOOL",
        help="use the metric names and definitions of another tool: recbole, elliot, lenskit, "
        "cornac, trec_eval and others (docs/dialects.md)",
    )
    parser.add_argument(
        "--samples",
        type=_samples,
        metavar="NUMBER",
        default=10_000,
        help="number of samples of a permutation or bootstrap test; p-values of permutation tests "
        "that are too small for them are approximated (default: %(default)s)",
    )
    add_seed(parser, "all random choices but those of systems")


def add_relevant(parser: argparse.ArgumentParser, of: str = "test rating") -> None:
    """Add the argument for the relevance threshold."""
    parser.add_argument(
        "--relevant",
        type=threshold_or_auto,
        metavar="VALUE",
        default="auto",
        help=f"lowest {of} that counts as relevant (default: %(default)s)",
    )


def add_seed(parser: argparse.ArgumentParser, of: str = "all random choices") -> None:
    """Add the argument for the seed."""
    parser.add_argument(
        "--seed",
        type=_seed,
        metavar="NUMBER",
        default=1,
        help=f"seed of {of} (default: %(default)s)",
    )


def add_output(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add arguments for where results are written."""
    out = parser.add_argument(
        "--out",
        type=_folder,
        metavar="FOLDER",
        default=Path(folder),
        help="output folder (default: %(default)s)",
    )
    report = parser.add_argument(
        "--report", type=_file, metavar="FILE", help="also write the HTML report to this file"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="write even if the folder has other files, and overwrite files with the same names",
    )
    parser.add_argument(
        "--for-spreadsheets",
        action="store_true",
        default=None,
        help="in CSV files, put an apostrophe before text that a spreadsheet would evaluate, such "
        "as =A1",
    )
    parser.add_argument(
        "--quiet", action="store_true", help="print only warnings, not how files were read"
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="refuse results that may mislead according to their notes (docs/warnings.md)",
    )
    complete_by("directory", [out])
    complete_by("file", [report])


def check_targets(chosen: argparse.Namespace) -> None:
    """Refuse to overwrite input files or files of others, before anything is computed."""
    from receval.evaluation.report import files_of_report, refuse_files_of_others

    out, page = chosen.out, chosen.report
    read = {path.resolve() for path in files_read(chosen)}
    targets = [out / name for name in files_of_report(out)] + ([] if page is None else [page])
    for path in targets:
        if path.resolve() in read:
            raise ValueError(
                f"This command reads {quoted(str(path), 150)} and would overwrite it. Choose "
                "another place with --out or --report."
            )
    if not chosen.force:
        refuse_files_of_others(out)
        if page is not None and page.exists() and not _is_page(page):
            raise ValueError(
                f"{quoted(str(page), 150)} already exists and is not a report of receval. Choose "
                "another file with --report, or overwrite it with --force."
            )


def _is_page(path: Path) -> bool:
    if not path.is_file():
        return False
    from receval.evaluation.report import GENERATOR

    with path.open("rb") as file:
        return GENERATOR.encode() in file.read(_HEAD)


def finish(report: Report, chosen: argparse.Namespace, said: str = "") -> int:
    """Print a report, after an optional text, and write it; return the exit status."""
    from receval.data.relevance import relevance_in_words
    from receval.evaluation.report import ReportTable, files_of_report
    from receval.figures.tables import to_markdown, without_marks_in_names

    read = getattr(chosen, TABLES_READ, ())
    if read and not report.reading:
        report = replace(report, reading=tuple(own.reading for own in read))
    if read and not report.relevance and "relevant" in report.settings:
        rated = getattr(read[0], "ratings", read[0])
        told = relevance_in_words(rated.values, float(report.settings["relevant"]), "ratings")
        report = replace(report, relevance=(told,))
    digests = {
        own.reading.source: getattr(own, "ratings", own).digest()
        for own in read
        if hasattr(getattr(own, "ratings", own), "digest")
    }
    if chosen.settings is not None:
        report = replace(report, notes=(*report.notes, *notes_on_other_data(chosen, digests)))
    if chosen.strict:
        refuse_doubts(report.all_notes)
    is_replaced = bool(files_of_report(chosen.out))
    kept = kept_arguments(chosen) | {DIGESTS: digests}
    report.write(
        chosen.out,
        {"receval": __version__, **kept},
        force=chosen.force,
        inputs=files_read(chosen),
        for_spreadsheets=bool(chosen.for_spreadsheets),
    )
    if chosen.report is not None:
        write_atomically(chosen.report, report.page())
    if not chosen.quiet:
        print(*map(printable, report.reading_lines()), sep="\n", file=sys.stderr)
    notes = map(printable, report.note_lines())
    print(*notes, sep="\n", end="\n" * bool(report.all_notes), file=sys.stderr)
    sys.stderr.flush()
    if said:
        print(printable(said, kept="\n"), end="\n\n")
    for part in report.parts:
        if not isinstance(part, ReportTable) or f"{part.name}.md" not in part.files:
            continue
        shown = replace(part.table, rows=part.table.rows[:MOST_PRINTED])
        print(to_markdown(without_marks_in_names(shown)))
        if (further := len(part.table.rows) - MOST_PRINTED) > 0:
            print(f"... and {further:,} more rows: see {chosen.out / part.name}.md\n")
    done = "Replaced" if is_replaced else "Written"
    print(f"{done}: {printable(shlex.quote(str(chosen.out)))}/ (report.html shows everything)")
    return 0


def repeated(values: Sequence[str] | None) -> list[str]:
    """Return the values of a repeatable argument, each once."""
    return list(dict.fromkeys(values or ()))


def column_name(text: str) -> str | int:
    """Return a column's name, or its position if the text is a number."""
    return int(text) if text.isdigit() else text


def depth(text: str) -> int | Literal["auto", "whole"] | str:
    """Return a depth as a number, or its word, which is checked later."""
    return int(text) if text.removeprefix("-").isdigit() else text


def _seed(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _samples(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text[:20]) <= MOST_SAMPLES:
        raise argparse.ArgumentTypeError(
            f"{shortened(text)!r} is not a whole number from 1 to {MOST_SAMPLES:,}"
        )
    return int(text)


def _folder(text: str) -> Path:
    if Path(text).exists() and not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{shortened(text, 150)} is a file. Name a folder")
    return Path(text)


def _file(text: str) -> Path:
    if Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{shortened(text, 150)} is a folder. Name a file")
    return Path(text)


def number_or_word(text: str) -> int | float | str:
    """Return a parameter's value as a number if it is one, otherwise as a word.

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
    """Return a relevance threshold as a number, or the word given instead."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor auto") from None


_OPTIONS = ("correction", "effect", "reference", "power")
"""Options that have the names of arguments of the library."""


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add arguments for the test of differences, and for what else is said of pairs.

    Their defaults are None, so that settings only have what was given.
    """
    group = parser.add_argument_group("comparing systems")
    # In `receval runs`, --test names the test data.
    group.add_argument(
        "--significance-test",
        choices=("permutation", "t", "wilcoxon", "sign", "bootstrap", "tukey-hsd"),
        help="paired test over users (default: permutation)",
    )
    group.add_argument(
        "--correction",
        choices=("auto", "holm", "bh", "bonferroni", "none"),
        help="correction for the number of pairs: Holm, Benjamini-Hochberg, Bonferroni or none "
        "(default: holm; none for tukey-hsd, which corrects by itself)",
    )
    group.add_argument(
        "--effect",
        choices=("d_z", "g_z", "cliff", "superiority"),
        help="effect size, with its 95 %% interval: Cohen's d_z, with Hedges' correction, Cliff's "
        "delta, or probability of superiority (default: d_z without an interval)",
    )
    group.add_argument(
        "--reference",
        metavar="SYSTEM",
        help="compare all others with this system only, instead of all pairs",
    )
    group.add_argument(
        "--margin",
        action="append",
        metavar="VALUE",
        help="largest difference that does not matter, such as .01, or nDCG@10=.01 for one metric "
        "(may then be repeated): tests equivalence and non-inferiority",
    )
    group.add_argument(
        "--power",
        type=float,
        metavar="PROBABILITY",
        help="also print the smallest difference that is found with this probability, such as .8",
    )
    group.add_argument(
        "--methods",
        action="store_true",
        default=None,
        help="add a paragraph on the experiment to the report, with versions of software",
    )


def comparison_of(chosen: argparse.Namespace) -> ComparisonOptions:
    """Return the arguments of :func:`add_comparison` as those of the library."""
    found: dict[str, Any] = {"samples": chosen.samples}
    if chosen.significance_test is not None:
        found["test"] = chosen.significance_test
    for name in _OPTIONS:
        if getattr(chosen, name) is not None:
            found[name] = getattr(chosen, name)
    if found.get("correction") == "none":
        found["correction"] = None
    if chosen.margin:
        found["margin"] = _margin(chosen.margin)
    options: ComparisonOptions = found  # type: ignore[assignment]
    return options


def check_comparison(chosen: argparse.Namespace) -> None:
    """Refuse arguments that do not go together, before anything is computed."""
    from receval.evaluation.comparison import ComparisonChoices

    ComparisonChoices(**comparison_of(chosen))


def _margin(texts: list[str]) -> float | dict[str, float]:
    """Return one margin for all metrics, or margins by the names of metrics.

    Examples
    --------
    >>> _margin([".01"]), _margin(["P@10=.01", "nDCG(gain=exp)@10=.02"])
    (0.01, {'P@10': 0.01, 'nDCG(gain=exp)@10': 0.02})
    """
    margins: dict[str, float] = {}
    for text in texts:
        name, _, written = text.rpartition("=")
        value = number_or_word(written)
        if isinstance(value, str):
            raise ValueError(
                f"--margin {quoted(text)} has no number. Write a difference such as .01, or one of "
                "a metric such as nDCG@10=.01."
            )
        margins[name] = float(value)
    if "" not in margins:
        return margins
    if len(texts) > 1:
        raise ValueError(
            f"--margin {quoted(texts[-1])}: with several margins, each needs the name of its "
            "metric, as in nDCG@10=.01."
        )
    return margins[""]
