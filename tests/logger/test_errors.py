# SPDX-License-Identifier: MIT
from __future__ import annotations

import errno
import os

import pytest

from snakemake_logger_plugin_receval.run_state import (
    OF_THE_MACHINE,
    cause_of,
    location_of,
    raised_by,
    sentence_of,
)

TRACEBACK = """INFO reading
ERROR Traceback (most recent call last):
  File "/there/fetch.py", line 3, in fetch
    raise DownloadError(text)
{last}
"""


@pytest.mark.each(
    ("text", "sentence"),
    [
        (
            'RuleException:\nValueError in file "/there/Snakefile", line 3:\nNo such system.\n'
            '  File "/there/Snakefile", line 3, in __rule_x',
            "No such system.",
        ),
        ('KeyError in file "/there/Snakefile", line 3:\n\'abc\'', "KeyError: 'abc'"),
        (
            'WorkflowError in rule x in file "/there/x.smk", line 3:\nNo wildcard.',
            "No wildcard.",
        ),
        (
            "RuleException:\nJobError in file \"/a\", line 1:\ntrain_system: Ratings are missing: "
            "of two\nusers.\nIts log: work/a b.log.\n  File \"/a\", line 1, in __rule_train",
            "Ratings are missing: of two\nusers.",
        ),
        (
            'JobError in file "/a", line 1:\ntrain_system: OSError: [Errno 28] No space left.\n'
            "Its log: work/a.log.",
            "[Errno 28] No space left.",
        ),
        (
            'JobError in file "/a", line 1:\ntrain_system was killed by SIGTERM. Its log: a.log.',
            "train_system was killed by SIGTERM.",
        ),
        ('JobError in file "/a", line 1:\nfit: KeyError: 9\nIts log: a.log.', "KeyError: 9"),
        (
            "CalledProcessError in file \"/a\", line 1:\nCommand 'set -euo pipefail;  a  b' "
            "returned non-zero exit status 1.",
            "its command returned non-zero exit status 1: a b",
        ),
        (TRACEBACK.format(last="OSError: [Errno 28] No space left on device: 'a'"),
         "[Errno 28] No space left on device: 'a'"),
        ("Two\nlines that say it.", "Two\nlines that say it."),
        ("MemoryError:", "MemoryError"),
        ("LockException:\nError: Directory cannot be locked. Please make sure\nthat it can.",
         "Another run is working in this folder. Wait until it ends, or stop it, and start "
         "again. If no run is working (a killed run can leave its lock where the file system "
         "has no locks), use snakemake --unlock."),
        ("WorkflowError in rule x in file \"/a.smk\", line 8:\nOutput w/r.parquet has older "
         "modification time (2026-11-29 06:43:59.326643) than input w/a b.json (2026-11-30 "
         "06:43:45.686421). This could indicate a clock skew problem in your network and would "
         "trigger a rerun of this job in the next execution and should therefore be fixed on "
         "system level. System time: 2026-11-29 06:43:59.332281 (rule x, line 13, /a.smk)",
         "w/a b.json has a date in the future (2026-11-30 06:43:45), so w/r.parquet is older "
         "than what it was made from and is removed. Set the date of the first file to now "
         "(touch 'w/a b.json'), and check the clock."),
        ("", ""),
    ],
)  # fmt: skip
def test_the_sentence_is_what_remains_without_classes_and_frames(text: str, sentence: str) -> None:
    assert sentence_of(text) == sentence


@pytest.mark.each(
    ("log", "message"),
    [
        (
            TRACEBACK.format(last="reproduction.datasets.reports.DownloadError: No\nmirror"),
            "No\nmirror",
        ),
        (TRACEBACK.format(last="KeyError"), "KeyError"),
        (TRACEBACK.format(last="KeyError: 'a'") + TRACEBACK.format(last="E.E: No a."), "No a."),
        ("INFO reading\nERROR No mirror\ngave it.\n", "No mirror\ngave it."),
        ("INFO all is well, and not an ERROR yet", ""),
    ],
)
def test_a_log_ends_in_a_message_of_any_number_of_lines(log: str, message: str) -> None:
    assert raised_by(log) == message


def test_errors_of_the_machine_have_one_cause_whatever_file_they_met() -> None:
    full = OF_THE_MACHINE[errno.ENOSPC]
    for name in ("a", "b"):
        assert cause_of(str(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name))) == full
        assert cause_of(f"writing {name}: {os.strerror(errno.ENOSPC)}") == full
    assert cause_of("[Errno 2] No such file or directory: 'a'").endswith("'a'")


def test_a_place_is_said_only_of_errors_that_have_one() -> None:
    assert (
        location_of('ValueError in file "/a", line 3:\ntext') == 'ValueError in file "/a", line 3'
    )
    assert location_of("RuleException:\ntext") == ""
    assert location_of('JobError in file "/a", line 3:\nfit: text\nIts log: a.log.') == ""
