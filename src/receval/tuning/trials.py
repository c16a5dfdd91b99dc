# SPDX-License-Identifier: MIT
"""Run trials in parallel processes, and keep their values in a folder to resume from."""

from __future__ import annotations

import ctypes
import hashlib
import json
import math
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Literal

from receval.recommenders.base import find_threads, on_one_thread
from receval.storage.files import write_atomically
from receval.storage.messages import enumerated, quoted, shortened
from receval.storage.saved_folders import receval_version

LONGEST_FAILURE = 300
"""The most characters of a sentence on why a trial failed."""

PLAN = "tuning.json"
"""The file of a folder that says what its trials were measured on and by."""

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Trial:
    """The outcome of one trial.

    ``value`` is NaN if it failed, as ``failure`` says in a sentence. ``users`` are those over whom
    the value is averaged, and ``seconds`` is the time from training to the value. A trial that was
    ended from outside, such as for lack of memory, ``is_lost``, and is made again on resuming.
    """

    value: float
    users: int
    seconds: float
    failure: str = ""
    is_lost: bool = False


def made_trial(measure: Callable[[], tuple[float, int]]) -> Trial:
    """Measure a system on one thread, and return its value or why it has none."""
    begun = time.perf_counter()
    value, users, failure, is_lost = math.nan, 0, "", False
    try:
        with on_one_thread():
            value, users = measure()
        if not math.isfinite(value):
            value, failure = math.nan, "The value is not a finite number."
    except RuntimeError as error:
        if "no compiled object yet" in str(error):
            # Ctrl-C while numba compiles surfaces as this error (receval.cli.main).
            raise
        failure = _sentence(error)
    except MemoryError:
        failure, is_lost = "There was not enough memory.", True
    except Exception as error:
        # Whatever is wrong with one setting says nothing about the others.
        failure = _sentence(error)
    return Trial(value, users, time.perf_counter() - begun, failure, is_lost)


def _sentence(error: Exception) -> str:
    return shortened(str(error).strip() or type(error).__name__, LONGEST_FAILURE)


# Parallel trials. Each is a process of its own, forked from this one: it needs no copy of the
# ratings, any class will do, and a trial that the system kills takes no other one with it.


def number_of_jobs(jobs: int | Literal["auto"]) -> int:
    """Return how many trials run at a time: as given, or as many as there are cores."""
    can_fork = "fork" in multiprocessing.get_all_start_methods()
    if jobs == "auto":
        return len(os.sched_getaffinity(0)) if can_fork and sys.platform == "linux" else 1
    if jobs < 1:
        raise ValueError(f"jobs is {jobs}; it must be at least 1.")
    if jobs > 1 and not can_fork:
        raise ValueError(
            "This system cannot fork processes, so trials cannot run in parallel. Set jobs=1."
        )
    return jobs


def run_trials(
    tasks: Sequence[Callable[[], Trial]],
    jobs: int,
    begin: Callable[[int], object],
    finish: Callable[[int, Trial], object],
) -> None:
    """Run tasks, at most some at a time, and report when each begins and what it returns.

    With one job, all run in this process.
    """
    if jobs == 1 or len(tasks) == 1:
        for number, task in enumerate(tasks):
            begin(number)
            finish(number, task())
        return
    find_threads()
    waiting = list(range(len(tasks)))[::-1]
    running: dict[Connection, tuple[int, Any]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number = waiting.pop()
                begin(number)
                connection, process = _started(tasks[number])
                running[connection] = number, process
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                number, process = running.pop(ready)
                finish(number, _outcome(ready, process))
    finally:
        for connection, (_, process) in running.items():
            process.terminate()
            process.join()
            connection.close()


def _started(task: Callable[[], Trial]) -> tuple[Connection, Any]:
    """Start a process for one task, and return the connection on which it answers."""
    context = multiprocessing.get_context("fork")
    answers, told = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(told, task, os.getpid()), daemon=True)
    with warnings.catch_warnings():
        # Python warns of forks of programs with threads, such as those of linear algebra. The
        # child uses none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    # Only the child has this end now, so the other end is closed when the child is gone.
    told.close()
    return answers, process


def _answer(told: Connection, task: Callable[[], Trial], parent: int) -> None:
    """Run a task in a process of its own, and send what it returns."""
    # Ctrl-C is for the parent, which ends its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(OSError, AttributeError):
        # Nobody would read the answer after the parent has been killed.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            return
    trial = task()
    with suppress(OSError):
        told.send(trial)


def _outcome(answers: Connection, process: Any) -> Trial:
    """Return what a process answered, or a failed trial if it ended before."""
    try:
        trial: Trial = answers.recv()
    except EOFError:
        process.join()
        code = process.exitcode
        how = f"with the status {code}"
        if code is not None and code < 0:
            how = f"by the signal {signal.Signals(-code).name}, perhaps for lack of memory"
        trial = Trial(math.nan, 0, math.nan, f"Its process was ended {how}.", is_lost=True)
    process.join()
    answers.close()
    return trial


# The folder: a plan, and one file for each setting that was tried.


class TrialFolder:
    """The trials in a folder, which a later call with the same plan reads instead of running them.

    Each file appears as a whole, and a file that is damaged counts as missing. Without a folder,
    nothing is kept. A folder that has trials of another plan, or other files, raises a ValueError.
    """

    def __init__(self, folder: Path | None, plan: Mapping[str, Any]) -> None:
        self._folder = folder
        self._plan = {"receval": receval_version(), **plan}
        if folder is not None:
            self._check(folder)

    def _check(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{quoted(str(folder), 150)} is a file. Name a folder to resume from.")
        path = folder / PLAN
        if not path.exists():
            if folder.is_dir() and any(folder.iterdir()):
                raise ValueError(
                    f"{quoted(str(folder), 150)} has files, but no trials of receval. Name a new "
                    "or empty folder to resume from."
                )
            write_atomically(path, json.dumps(self._plan, indent=2) + "\n")
            return
        try:
            earlier = dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            raise ValueError(
                f"{quoted(str(path), 150)} is damaged. Delete the folder, or name another one."
            ) from None
        plan = json.loads(json.dumps(self._plan))
        others = [name for name in plan if earlier.get(name) != plan[name]]
        if others:
            raise ValueError(
                f"{quoted(str(folder), 150)} has trials of another tuning, with other values of "
                f"{enumerated(others)}. Name another folder, or delete this one."
            )

    def read(self, key: str) -> Trial | None:
        """Return the trial of a key, if there is one."""
        if self._folder is None:
            return None
        try:
            content = json.loads(self._path(key).read_text(encoding="utf-8"))
            digest = content.pop("digest")
            if digest != _digest(content) or content.pop("key") != key:
                return None
            value = content.pop("value")
            return Trial(value=math.nan if value is None else value, **content)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def write(self, key: str, trial: Trial) -> None:
        """Keep a trial, unless it was lost."""
        if self._folder is None or trial.is_lost:
            return
        content = {"key": key, **asdict(trial)}
        del content["is_lost"]
        if math.isnan(trial.value):
            content["value"] = None
        whole = {**content, "digest": _digest(content)}
        write_atomically(self._path(key), json.dumps(whole, indent=2) + "\n")

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / "trials" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
