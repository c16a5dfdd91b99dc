# SPDX-License-Identifier: MIT
"""Parse TREC relevance judgments (qrels): ``topic iteration document grade`` per line.

Source: the trec_eval documentation. Fields are separated by white space. Topics are users,
documents are items, and the grade is the value. Documents judged non-relevant have grade 0, and
some tracks mark spam by negative grades.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from receval.data.ratings import Ratings
from reproduction.datasets.formats.archives import file_bytes
from reproduction.datasets.formats.columns import Ignored, Integer, LineFormat, Text, rated_pairs
from reproduction.datasets.reports import ParseReport, RawDataError

LINES = LineFormat(
    b" ",
    (
        Text("topic", required=True),
        Ignored("iteration"),
        Text("document", required=True),
        Integer("grade", -(2**7), 2**7 - 1),
    ),
)


def parse(files: Sequence[Path], *, report: ParseReport | None = None) -> Ratings:
    """Parse qrels files, at least one, as if they were one.

    A topic number in several files is one topic. The last judgment of a (topic, document) pair is
    kept in its position. Codes are in the order of first appearance.
    """
    report = report or ParseReport()
    pieces = [
        LINES.read(_single_spaces(file_bytes(path, may_be_empty=True)), path) for path in files
    ]
    columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    if not len(columns["topic"]):
        raise RawDataError(files[0].parent, None, "the files are empty")
    sizes = [len(piece["topic"]) for piece in pieces]
    ends = np.cumsum(sizes)

    def complain(row: int, reason: str) -> RawDataError:
        file = int(np.searchsorted(ends, row, side="right"))
        return RawDataError(files[file], row - int(ends[file]) + sizes[file] + 1, reason)

    return rated_pairs(
        columns["topic"],
        columns["document"],
        columns["grade"].astype(np.float32),
        report,
        complain,
        by_default="last",
    )


def _single_spaces(data: bytes) -> bytes:
    """Convert the layouts of qrels files to single spaces, keeping line numbers."""
    data = data.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    data = re.sub(rb" {2,}", b" ", data)
    return re.sub(rb"^ | (?=\n)| \Z", b"", data, flags=re.MULTILINE)
