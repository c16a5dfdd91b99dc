# SPDX-License-Identifier: MIT
"""The command ``receval``, for users' own ratings and runs, and for the repository."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

import receval.import_path  # noqa: F401 - before libraries that may lie elsewhere

# isort: split
import argparse
import io
import logging
import os
import sys
import warnings
from codecs import register_error
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from unicodedata import category

from receval import __version__
from receval.arithmetic import use_one_arithmetic
from receval.cli.arguments import check_targets
from receval.cli.audit_samples import add_audit_samples
from receval.cli.command_parser import SHELLS, CommandParser, PrintCompletion
from receval.cli.diagnose import add_diagnose
from receval.cli.evaluate import add_evaluate
from receval.cli.multiverse import add_multiverse
from receval.cli.recommend import add_recommend
from receval.cli.runs import add_runs
from receval.cli.saved_arguments import notes_of_what_was_read, with_new_names, with_settings
from receval.cli.split import add_split
from receval.cli.tune import add_tune
from receval.storage.messages import about_files, printable, quoted

COMMANDS = {
    "diagnose": add_diagnose,
    "evaluate": add_evaluate,
    "tune": add_tune,
    "recommend": add_recommend,
    "runs": add_runs,
    "split": add_split,
    "multiverse": add_multiverse,
    "audit-samples": add_audit_samples,
}
"""The function that adds each command for users' own data; to add a command, add a line."""

DESCRIPTION = """Evaluate recommender systems offline, on your own ratings or recommendation lists.
(receval repo works in a clone of the repository.)"""

EPILOG = """examples:
  receval diagnose ratings.csv
  receval evaluate ratings.csv --system pop --system user-knn
  receval runs --test test.qrels mine.run theirs.run --metric nDCG@10
  receval evaluate --help
  eval "$(receval --completion bash)"   # after pip install shtab
"""

INTERRUPTED = 130
"""The exit status of a program ended by Ctrl-C, as in shells: 128 plus the signal number."""

CLOSED_PIPE = 141
"""The exit status of a program that wrote to a closed pipe: 128 plus the signal number."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    It is 0 on success; 1 if results have drifted or data differ from the record; 2 if the command
    cannot be run; 130 after Ctrl-C; 141 if standard output is a closed pipe.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _make_streams_usable()
    # Jupyter kernels set it for all child processes, but figures are written to files here.
    os.environ.pop("MPLBACKEND", None)
    warnings.showwarning = _show_warning
    use_one_arithmetic()
    # Its warning that no cache can be kept is not useful, since numba warns too.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    raises, chosen = False, None
    try:
        chosen = _parsed(words)
        raises = getattr(chosen, "raises", False)
        status = int(chosen.run(chosen))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader has closed the pipe: nothing more can be printed, not even by Python on exit.
        _print_nowhere()
        return CLOSED_PIPE
    except (ValueError, OSError) as error:
        if raises:
            # A debugger needs the original exception.
            raise
        told = about_files(error) if isinstance(error, OSError) else str(error)
        for note in notes_of_what_was_read(chosen, told):
            print(note, file=sys.stderr)
        print(printable(told, kept="\n"), file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            # The output cannot be written, which was reported already; Python would repeat it on
            # exit.
            _print_nowhere()
        return 2
    except RuntimeError as error:
        # Ctrl-C while numba compiles is lost in LLVM's callback, and surfaces as this error.
        if raises or "no compiled object yet" not in str(error):
            raise
        return _stopped()
    except MemoryError:
        if raises:
            raise
        print("There is not enough memory for this. Give less data.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return _stopped()


def _print_nowhere() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _stopped() -> int:
    # At a terminal the line already shows ^C.
    print("\n" * sys.stderr.isatty() + "Stopped by Ctrl-C.", file=sys.stderr)
    return INTERRUPTED


def _make_streams_usable() -> None:
    """Make printing safe in any terminal encoding, and when streams are closed.

    Characters missing from an encoding, such as the minus sign, are replaced.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        # Otherwise the next file to be opened, such as a result, would get the number of a stream.
        pass
    os.close(number)
    register_error("receval", _in_other_letters)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - till the end
            setattr(sys, name, nowhere)
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="receval")
    own = sys.__stderr__
    if own is not None and own is sys.stderr:
        kept = io.BufferedWriter(_IgnoringFullDisks(own.fileno(), "wb", closefd=False))
        sys.stderr = io.TextIOWrapper(kept, own.encoding, errors="receval", line_buffering=True)


class _IgnoringFullDisks(io.FileIO):
    """A stream for notes that ignores write errors, so that results are not lost."""

    def write(self, content: Any, /) -> int:
        with suppress(OSError):
            return super().write(content) or 0
        return len(content)


def _in_other_letters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(map(_in_ascii, lacking)), error.end


def _in_ascii(sign: str) -> str:
    like = {"Zs": " ", "Pd": "-"}.get(category(sign), "-" if sign == "\N{MINUS SIGN}" else "")
    return like or ascii(sign)[1:-1]


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as a sentence, without the line of code that raised it."""
    print(f"Warning: {printable(str(message))}", file=sys.stderr)


# ``receval repo``: the tasks of the reproduction, available only in a checkout.

REPOSITORY = "repo"


@cache
def tasks() -> tuple[str, ...]:
    """Return the names of the tasks, or none if only the library is installed.

    The reproduction must be beside the library, since another package may have the same name.
    """
    found = find_spec("reproduction")
    if found is None or found.origin is None:
        return ()
    if Path(found.origin).resolve().parents[1] != Path(__file__).resolve().parents[2]:
        return ()
    names: tuple[str, ...] = import_module("reproduction.commands.tasks").TASKS
    return names


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    name = words[0] if words else ""
    if not name.startswith("-"):
        _check_command(name)
    if name in COMMANDS:
        words = with_new_names(words)
    parser = command_parser(with_tasks=name.partition("=")[0] in (REPOSITORY, "--completion"))
    chosen = parser.parse_args(words)
    if hasattr(chosen, "repeatable"):
        chosen = with_settings(chosen, words[1:])
        check_targets(chosen)
    return chosen


def _check_command(name: str) -> None:
    """Raise an error if there is no such command, with a suggestion."""
    there = [*COMMANDS, *([REPOSITORY] if tasks() else [])]
    if name in there:
        return
    if name == REPOSITORY:
        raise ValueError(
            f"receval {REPOSITORY} needs a clone of the repository, because its tasks work on the "
            "results, datasets and pages there. Run it in a clone (make .venv/ready, then "
            f".venv/bin/receval {REPOSITORY} ...)."
        )
    if not name:
        raise ValueError(
            f"No command is given. Choose a command: receval {', '.join(there)}, or receval --help."
        )
    if name in tasks():
        raise ValueError(f"receval {name} is now receval {REPOSITORY} {name}.")
    near = get_close_matches(name, [*there, *tasks()], n=1)
    meant = [f"{REPOSITORY} {word}" if word in tasks() else word for word in near]
    hint = f"Did you mean receval {meant[0]}? The commands are" if meant else "The commands are"
    raise ValueError(f"There is no command {quoted(name)}. {hint} {', '.join(there)}.")


@cache
def command_parser(with_tasks: bool) -> CommandParser:
    """Return the parser of all commands, which is made once: parsing does not change it.

    The tasks of the repository are included only if wanted: they load the configuration models,
    which would slow down other commands.
    """
    parser = CommandParser(
        prog="receval",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"receval {__version__}")
    parser.add_argument(
        "--completion",
        action=PrintCompletion,
        choices=SHELLS,
        help="print the completion script of this shell",
    )
    commands = parser.add_subparsers(required=True, metavar="command")
    for add in COMMANDS.values():
        add(commands)
    if tasks():
        import_module("reproduction.commands.tasks").add_repository(commands, with_tasks)
    return parser


if __name__ == "__main__":
    sys.exit(main())
