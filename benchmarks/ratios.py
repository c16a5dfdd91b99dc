# SPDX-License-Identifier: MIT
"""How a program of this folder reports the ratios that it measured to ``make bench``.

``bench.py`` starts the program with the path of a file in the environment variable
``RECEVAL_RATIOS``. Without it nothing is written, and the program only prints.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

VARIABLE = "RECEVAL_RATIOS"


def note_ratio(work: str, peer: str, ours: float, theirs: float) -> None:
    """Add what the same work took receval and a peer, in the same unit and the same run."""
    if path := os.environ.get(VARIABLE):
        line = {"work": work, "peer": peer, "ours": ours, "theirs": theirs}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
