# SPDX-License-Identifier: MIT
"""Save the arguments of a command in its settings file, and repeat a command from them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from receval import __version__
from receval.cli.command_parser import CommandLineError, complete_by
from receval.data.reading import readings_of
from receval.notes import Note
from receval.storage.messages import enumerated, printable, quoted, shortened

TABLES_READ = "tables_read"
"""The argument that holds the tables and runs that were read, until the command ends."""


def keep_read(chosen: argparse.Namespace, *tables: object) -> None:
    """Keep what was read, for the report, or for :func:`notes_of_what_was_read`."""
    kept = (*getattr(chosen, TABLES_READ, ()), *(own for own in tables if own is not None))
    setattr(chosen, TABLES_READ, kept)


def notes_of_what_was_read(chosen: argparse.Namespace | None, error: str) -> Iterator[str]:
    """Yield the notes of reading that would be lost with a command that fails."""
    for report in readings_of(*getattr(chosen, TABLES_READ, ())):
        for note in report.notes:
            if str(note) not in error:  # As in strict mode.
                yield printable(f"Note: {note} ({note.code})")


DIGESTS = "digests"
"""The key in a settings file for the digests of the tables, by file."""

TRAITS = ("activity", "popularity-taste")
"""Words that stand where a file may be named."""

NOT_KEPT = frozenset(
    {TABLES_READ, "run", "repeatable", "command"}
    | {"settings", "out", "report", "quiet", "strict", "force"}
    | {"jobs", "resume_folder", "shards", "shard"}
)
"""Arguments that do not affect results: where they are written, and how the command runs."""


RENAMED = {"repeats": "duplicates", "train_repeats": "train_duplicates"}
"""The new names of arguments whose old ones are still taken."""


def with_new_names(words: Sequence[str]) -> list[str]:
    """Replace old names of options on a command line, with a note on standard error."""
    found = []
    for word in words:
        option, equals, value = word.partition("=")
        new = RENAMED.get(option.removeprefix("--").replace("-", "_"))
        if new is not None and option.startswith("--"):
            named = f"--{new.replace('_', '-')}"
            print(f"Note: {option} is now called {named}.", file=sys.stderr)
            word = f"{named}{equals}{value}"
        found.append(word)
    return found


@dataclass(frozen=True)
class RepeatableCommand:
    """A command whose arguments can be given in a file.

    The command line or the file must have the ``required`` arguments, of which the first is the
    positional one. ``files`` are arguments that name files to be read, perhaps after ``NAME=``.
    """

    parser: argparse.ArgumentParser
    required: Sequence[str]
    files: Sequence[str]

    @property
    def name(self) -> str:
        """The name of the command."""
        return self.parser.prog.rpartition(" ")[2]

    def words(self, arguments: Mapping[str, Any]) -> Iterator[str]:
        """Yield arguments as words of a command line."""
        for name in sorted(arguments, key=lambda name: name != self.required[0]):
            value = arguments[name]
            values = value if isinstance(value, list) else [value]
            if name == self.required[0]:
                yield from map(str, values)
                continue
            option = f"--{name.replace('_', '-')}"
            for each in values:
                if each is True:
                    yield option
                elif each is not False:
                    yield f"{option}={each}"
                elif (negative := f"--no-{option[2:]}") in self.parser.format_help():
                    yield negative

    def given(self, words: Sequence[str]) -> set[str]:
        """Return the names of the arguments that the command line gives explicitly."""
        all_names = vars(self.parser.parse_args([]))
        nothing = argparse.Namespace(**dict.fromkeys(all_names))
        found = vars(self.parser.parse_args(words, nothing))
        return {name for name, value in found.items() if value not in (None, [])}


def add_settings(
    parser: argparse.ArgumentParser, *, required: Sequence[str], files: Sequence[str]
) -> None:
    """Add ``--settings`` to a command that already has all other arguments.

    Argparse must not require any of them. Options must take one value, and repeatable options must
    append it.
    """
    settings = parser.add_argument(
        "--settings",
        type=Path,
        metavar="FILE",
        help="repeat the command of this settings.json; options given here take precedence",
    )
    complete_by("file", [settings])
    parser.set_defaults(repeatable=RepeatableCommand(parser, required, files))


def kept_arguments(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a command's name and the arguments that affect its results, as JSON types."""
    arguments = {
        name: os.fspath(value) if isinstance(value, Path) else value
        for name, value in vars(chosen).items()
        if name not in NOT_KEPT and value is not None
    }
    return {"command": chosen.repeatable.name, "arguments": arguments}


def files_read(chosen: argparse.Namespace) -> list[Path]:
    """Return the files that a command reads, except the settings, which it rewrites."""
    return [
        path for name in chosen.repeatable.files for path in _named(getattr(chosen, name, None))
    ]


def _named(value: object) -> list[Path]:
    """Return the existing files that an argument names, perhaps between ``NAME=`` and ``:NAME``."""
    texts = value if isinstance(value, list) else [value]
    both = [
        part
        for text in map(str, texts)
        for part in (text, text.partition("=")[2], text.rpartition(":")[0])
    ]
    return [Path(text) for text in both if text and value and Path(text).exists()]


def with_settings(chosen: argparse.Namespace, words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command, including those of its settings file.

    ``words`` are the command line after the name of the command. Refused is a file that cannot be
    read, is of another command or version, has an invalid value, or names a missing file; and a
    command line without a required argument.
    """
    command: RepeatableCommand = chosen.repeatable
    if chosen.settings is not None:
        given = command.given(words)
        arguments = _arguments_of(chosen.settings, command)
        arguments = {name: value for name, value in arguments.items() if name not in given}
        _check_files(chosen.settings, arguments, command.files)
        chosen = command.parser.parse_args([*command.words(arguments), *words])
    missing = [name for name in command.required if not getattr(chosen, name)]
    if missing:
        names = [name if name == command.required[0] else f"--{name}" for name in missing]
        command.parser.error(f"give {' and '.join(names)}, or repeat a command with --settings")
    return chosen


def notes_on_other_data(chosen: argparse.Namespace, digests: Mapping[str, str]) -> list[Note]:
    """Return notes on tables that differ from those with which a command was first run.

    ``digests`` are those of the ratings that were read, by file.
    """
    earlier = json.loads(chosen.settings.read_text(encoding="utf-8")).get(DIGESTS)
    if earlier is None:  # Written by the library, which does not know files.
        return []
    others = [name for name, own in digests.items() if earlier.get(name, own) != own]
    if not others and sorted(earlier.values()) != sorted(digests.values()):
        others = [name for name, own in digests.items() if own not in earlier.values()]
    if not others:
        return []
    text = (
        f"{enumerated(others)}: these are not the ratings with which {chosen.settings} was "
        "written, so values may differ."
    )
    return [Note("other-data", text)]


def _arguments_of(path: Path, command: RepeatableCommand) -> dict[str, Any]:
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file. Name a settings.json.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        name, version, arguments = content["command"], content["receval"], content["arguments"]
        arguments = {RENAMED.get(own, own): value for own, value in dict(arguments).items()}
        if not all(isinstance(own, str) for own in content.get(DIGESTS, {}).values()):
            raise TypeError(DIGESTS)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such settings file.") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError(
            f"{path} is not a settings.json of receval. It must have the command, its arguments, "
            "and the version of receval."
        ) from None
    shown, other = shortened(str(name)), shortened(str(version))
    if name != command.name:
        raise ValueError(
            f"{path} has the settings of receval {shown}, not of receval {command.name}. Run "
            f"receval {shown} --settings {path}."
        )
    if version != __version__:
        raise ValueError(
            f"{path} was written by receval {other}, but this is receval {__version__}, which may "
            f"compute other values. Install receval {other}, or give the arguments without "
            "--settings."
        )
    _check_values(path, arguments, command)
    return arguments


def _check_values(path: Path, arguments: Mapping[str, Any], command: RepeatableCommand) -> None:
    """Refuse arguments that the command line cannot have, or that say where results are written."""
    known = set(vars(command.parser.parse_args([]))) - NOT_KEPT
    for name, value in arguments.items():
        if name not in known:
            raise ValueError(
                f"{path}: {quoted(name)} is not an argument that settings of receval "
                f"{command.name} may have. Remove it."
            )
        if value is None or isinstance(value, dict):
            raise ValueError(f"{path}: {quoted(name)} cannot be {shortened(json.dumps(value))}.")
    try:
        read = kept_arguments(command.parser.parse_args(list(command.words(arguments))))
    except CommandLineError as error:
        raise ValueError(f"{path} cannot be repeated: {error}") from None
    for name, value in arguments.items():
        own = read["arguments"].get(name)
        if own != value or type(own) is not type(value):
            raise ValueError(f"{path}: {quoted(name)} cannot be {shortened(json.dumps(value))}.")


def _check_files(path: Path, arguments: Mapping[str, Any], files: Collection[str]) -> None:
    for name in files:
        values = arguments.get(name) or []
        for text in values if isinstance(values, list) else [values]:
            if not _named(text) and text not in TRAITS:
                raise ValueError(
                    f"{path} names {shortened(text, 150)} ({name}), which does not exist in "
                    f"{Path.cwd()}. Repeat the command in the folder where it was first given, or "
                    "name the file."
                )
