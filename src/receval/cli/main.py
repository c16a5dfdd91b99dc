# SPDX-License-Identifier: MIT
"""The command ``receval``: for ratings and runs of one's own, and for the repository."""

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
from receval.cli.command_parser import CommandParser
from receval.cli.completion import add_completion
from receval.cli.diagnose import add_diagnose
from receval.cli.evaluate import add_evaluate
from receval.cli.multiverse import add_multiverse
from receval.cli.runs import add_runs
from receval.cli.saved_arguments import with_settings
from receval.storage.messages import about_files, printable, quoted

COMMANDS = {
    "diagnose": add_diagnose,
    "evaluate": add_evaluate,
    "runs": add_runs,
    "multiverse": add_multiverse,
    "audit-samples": add_audit_samples,
}
"""What adds each command for data of one's own; one line more is one command more."""

DESCRIPTION = """Evaluate recommender systems offline, on your own ratings or recommendation lists.
(receval repo works in a clone of the repository.)"""

EPILOG = """examples:
  receval diagnose ratings.csv
  receval evaluate ratings.csv --system pop --system user-knn
  receval runs --test test.qrels mine.run theirs.run --metric nDCG@10
  receval evaluate --help
  eval "$(receval --completion bash)"   # after pip install 'receval[completion]'
"""

INTERRUPTED = 130
"""As shells say of a program that Ctrl-C has ended: 128 and the number of the signal."""

CLOSED_PIPE = 141
"""As shells say of a program that wrote into a closed pipe: 128 and the number of the signal."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    Returns
    -------
    int
        0; 1 where results have drifted or data is not as recorded; 2 where the command cannot be
        carried out; 130 where Ctrl-C has stopped it; 141 where nobody reads any more what it
        prints.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    _make_streams_usable()
    # Jupyter's kernels set it for all that they start: here figures are files.
    os.environ.pop("MPLBACKEND", None)
    warnings.showwarning = _show_warning
    use_one_arithmetic()
    # What it says where it can keep no cache helps nobody: numba's line is enough.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    raises = False
    try:
        chosen = _parsed(words)
        raises = getattr(chosen, "raises", False)
        status = int(chosen.run(chosen))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # Whoever reads has read enough: nothing more can be said, not even by Python at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except (ValueError, OSError) as error:
        if raises:
            # A debugger goes to where it was raised.
            raise
        told = about_files(error) if isinstance(error, OSError) else str(error)
        print(printable(told, kept="\n"), file=sys.stderr)
        try:
            sys.stdout.flush()
        except OSError:
            # Where it leads takes no more, which is said already: Python would say so at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except RuntimeError as error:
        # Ctrl-C while numba compiles is lost in LLVM's callback, and comes out as this.
        if raises or "no compiled object yet" not in str(error):
            raise
        print("\n" * sys.stderr.isatty() + "Stopped by Ctrl-C.", file=sys.stderr)
        return INTERRUPTED
    except MemoryError:
        if raises:
            raise
        print("There is not enough memory for this: give less data.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        # At a terminal the line has ^C already.
        print("\n" * sys.stderr.isatty() + "Stopped by Ctrl-C.", file=sys.stderr)
        return INTERRUPTED


def _make_streams_usable() -> None:
    """Let everything be printed, whatever the terminal's encoding is, and to closed streams, too.

    What an encoding does not have, such as the minus sign, is replaced.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        # Or the next file to be opened, such as a result, would have the number of a stream.
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
    """Where notes go: results are worth more than they, be it on a full disk or a closed pipe."""

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
    """Print a warning as a sentence, without the line of code that gave it."""
    print(f"Warning: {printable(str(message))}", file=sys.stderr)


# ``receval repo``: the tasks of the reproduction, where the command is that of a checkout.

REPOSITORY = "repo"


@cache
def tasks() -> tuple[str, ...]:
    """Return the names of the tasks; none where there is the library alone.

    The reproduction counts where it lies beside the library: a package of the same name elsewhere
    is another one.
    """
    found = find_spec("reproduction")
    if found is None or found.origin is None:
        return ()
    if Path(found.origin).resolve().parents[1] != Path(__file__).resolve().parents[2]:
        return ()
    names: tuple[str, ...] = import_module("reproduction.commands.tasks").TASKS
    return names


def add_repository_tasks(commands: Any, with_tasks: bool) -> None:
    """Add ``repo`` to the commands of ``receval``, where there are tasks.

    Parameters
    ----------
    with_tasks : bool
        Whether to add the tasks, too: they load the models of the configuration, for which no
        other command should wait.
    """
    if tasks():
        import_module("reproduction.commands.tasks").add_repository(commands, with_tasks)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    name = words[0] if words else ""
    if not name.startswith("-"):
        _check_command(name)
    parser = command_parser(with_tasks=name.partition("=")[0] in (REPOSITORY, "--completion"))
    chosen = parser.parse_args(words)
    if name in COMMANDS:
        chosen = with_settings(chosen, words[1:])
        check_targets(chosen)
    return chosen


def _check_command(name: str) -> None:
    """Refuse what is no command, in the words of whoever typed it."""
    there = [*COMMANDS, *([REPOSITORY] if tasks() else [])]
    if name in there:
        return
    if name == REPOSITORY:
        raise ValueError(
            f"receval {REPOSITORY} needs a clone of the repository, whose results, datasets and "
            "pages its tasks work on: run it there (make .venv/ready, then .venv/bin/receval "
            f"{REPOSITORY} ...)."
        )
    if not name:
        raise ValueError(f"Choose a command: receval {', '.join(there)}, or receval --help.")
    if name in tasks():
        raise ValueError(f"receval {name} is now receval {REPOSITORY} {name}.")
    near = get_close_matches(name, [*there, *tasks()], n=1)
    meant = [f"{REPOSITORY} {word}" if word in tasks() else word for word in near]
    hint = f"did you mean receval {meant[0]}? There are" if meant else "there are"
    raise ValueError(f"There is no command {quoted(name)}; {hint} {', '.join(there)}.")


def command_parser(with_tasks: bool) -> CommandParser:
    """Return the parser of all commands.

    Parameters
    ----------
    with_tasks : bool
        Whether to have the tasks of the repository in it
        (:func:`receval.cli.main.add_repository_tasks`).
    """
    parser = CommandParser(
        prog="receval",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"receval {__version__}")
    add_completion(parser)
    commands = parser.add_subparsers(required=True, metavar="command")
    for add in COMMANDS.values():
        add(commands)
    add_repository_tasks(commands, with_tasks)
    return parser


if __name__ == "__main__":
    sys.exit(main())
