# SPDX-License-Identifier: MIT
"""Extract the message of an error from its text, without frames and class names."""

from __future__ import annotations

import errno
import os
import re
from shlex import quote

_FRAME = re.compile(r'\s*File ".*", line \d+')
_HEADER = re.compile(r'(?P<name>[\w.]+)(?: in rule \w+)?(?: in file ".*", line \d+)?(?::|\.)')
_ERROR = "ERROR "
_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?")
# Names of classes of reproduction.workflow.jobs.job_runner.
_FAILED, _STOPPED = "JobError", "JobStoppedError"
_OF_A_JOB = re.compile(r"(?:\w+: )?(?P<said>.*?)(?:\s+Its log: .*)?", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[\w.]+(?:Error|Exception)): (?P<message>.*)", re.DOTALL)
_OF_A_SHELL = re.compile(
    r"Command '(?:set -euo pipefail; *)?(?P<command>.*)' (?P<ended>.*)", re.DOTALL
)
_COMMAND = "its command"
_NUMBERED = re.compile(r"\[Errno (\d+)\]")

_LOCKED = "Directory cannot be locked"
_ANOTHER_RUN = (
    "Another run is working in this folder. Wait until it ends, or stop it, and start again. If "
    "no run is working (a killed run can leave its lock where the file system has no locks), "
    "use snakemake --unlock."
)
_FROM_THE_FUTURE = re.compile(
    r"Output (?P<output>.+?) has older modification time \(.*?\) than input (?P<input>.+?) "
    r"\((?P<date>[-\d]+ [:\d]+)"
)

OF_THE_MACHINE = {
    errno.ENOSPC: "The disk is full",
    errno.EDQUOT: "The disk quota is used up",
    errno.EFBIG: "A file exceeds the size that this user may write",
    errno.EROFS: "The file system is read-only",
    errno.EMFILE: "Too many files are open",
    errno.ENOMEM: "There is no memory left",
    errno.EIO: "The disk cannot be read or written",
}
"""Errors of the machine, in words, which affect all jobs."""


def sentence_of(text: str) -> str:
    """Return the message of an error for the person who must fix it.

    The error is as logged by Snakemake (lines with class and location, the message, frames) or by
    Python (a traceback). The names of classes are left out if the message has several words. The
    message of a failed job is returned without the job's name and the path of its log, which are
    shown elsewhere.
    """
    if _LOCKED in text:
        return _ANOTHER_RUN
    if _TRACEBACK in text:
        return raised_by(text) or text.strip()
    if dated := _FROM_THE_FUTURE.search(text):
        return (
            f"{dated['input']} has a date in the future ({dated['date']}), so {dated['output']} "
            "is older than what it was made from and is removed. Set the date of the first file "
            f"to now (touch {quote(dated['input'])}), and check the clock."
        )
    name, lines = _class_and_rest(text)
    message = "\n".join(line for line in lines if not _FRAME.match(line)).strip()
    return _plain(name, message)


def is_of_a_stopped_job(text: str) -> bool:
    """Return whether an error is of a job that was ended, or not started, because its run ends."""
    return _class_and_rest(text)[0] == _STOPPED


def location_of(text: str) -> str:
    """Return the first line of an error if it gives the location in the workflow, else nothing.

    The location of a rule is of no use, because a job fails in the function of its rule.
    """
    if _class_and_rest(text)[0] == _FAILED:
        return ""
    first = text.strip().partition("\n")[0]
    return first.rstrip(":.") if _HEADER.fullmatch(first) and " in file " in first else ""


def raised_by(log: str) -> str:
    """Return the error sentence or traceback at the end of a log; empty if there is none."""
    _, is_there, sentence = f"\n{log}".rpartition(f"\n{_ERROR}")
    if is_there and _TRACEBACK not in sentence:
        return sentence.strip()
    *_, last = log.rpartition(_TRACEBACK)
    if last == log:
        return ""
    lines = last.strip("\n").splitlines()
    for number, line in enumerate(lines):
        raised = _RAISED.fullmatch(line)
        if raised and (raised["message"] or "." in raised["name"] or number == len(lines) - 1):
            rest = [raised["message"] or "", *lines[number + 1 :]]
            return _plain(raised["name"], "\n".join(rest).strip())
    return ""


def without_sentence(log: str, sentence: str) -> str:
    """Return a log without the entry of an error that only repeats a sentence."""
    return log.replace(f"{_ERROR}{sentence}\n", "")


def cause_of(sentence: str) -> str:
    """Return a text that is the same for all failures with the same cause.

    It is the sentence itself or, for errors of the machine (:data:`OF_THE_MACHINE`), their meaning
    without the file.
    """
    numbered = _NUMBERED.search(sentence)
    if numbered and int(numbered[1]) in OF_THE_MACHINE:
        return OF_THE_MACHINE[int(numbered[1])]
    for number, meaning in OF_THE_MACHINE.items():
        if os.strerror(number) in sentence:
            return meaning
    return sentence


def says_only_how_it_ended(sentence: str) -> bool:
    """Return whether an error only says that a command failed."""
    return sentence.startswith(_COMMAND)


def _class_and_rest(text: str) -> tuple[str, list[str]]:
    """Return the name of an error's class, if Snakemake gives one, and the lines below it."""
    lines, name = text.strip().splitlines(), ""
    while lines and (header := _HEADER.fullmatch(lines[0].strip())):
        name = header["name"]
        del lines[0]
    return name, lines


def _plain(name: str, message: str) -> str:
    if shell := _OF_A_SHELL.fullmatch(message):
        return f"{_COMMAND} {shell['ended'].rstrip('.')}: {' '.join(shell['command'].split())}"
    if name == _FAILED and (job := _OF_A_JOB.fullmatch(message)):
        said = job["said"].strip()
        named = _NAMED.fullmatch(said)
        return _plain(named["name"], named["message"]) if named else said
    if not message:
        return name
    return message if len(message.split()) > 1 else f"{name.rpartition('.')[2]}: {message}"
