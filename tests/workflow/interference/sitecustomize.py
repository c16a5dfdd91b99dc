"""What may happen to a run: no network, a process killed at a bad moment.

Python imports this module at its start where its folder is on ``PYTHONPATH``: in Snakemake and in
each of its jobs.
"""

import fnmatch
import os
import signal
import socket
from pathlib import Path
from typing import Any, NoReturn

REFUSED = "RECEVAL_TEST_REFUSED"
"""Variable with the file that lists all attempts to reach the network, none of which succeeds."""

KILLED = "RECEVAL_TEST_KILLED"
"""Variable with ``job`` or ``run`` and a pattern of paths: whom to kill before such a file gets
its final name."""


def forbid_network(attempts: Path) -> None:
    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        with attempts.open("a", encoding="utf-8") as file:
            print(arguments, options, file=file)
        raise OSError("There is no network in this test.")

    socket.getaddrinfo = refuse
    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.socket.connect_ex = refuse  # type: ignore[method-assign]


def kill_before(whom: str, pattern: str) -> None:
    replace = os.replace

    def replace_or_die(source: Any, target: Any, **options: Any) -> None:
        if fnmatch.fnmatch(os.fspath(target), pattern):
            # The number 0 stands for the whole group: Snakemake and all of its jobs.
            os.kill({"job": os.getpid(), "run": 0}[whom], signal.SIGKILL)
        replace(source, target, **options)

    os.replace = replace_or_die  # type: ignore[assignment]


if REFUSED in os.environ:
    forbid_network(Path(os.environ[REFUSED]))
if KILLED in os.environ:
    kill_before(*os.environ[KILLED].split(" ", maxsplit=1))
