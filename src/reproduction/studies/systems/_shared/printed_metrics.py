# SPDX-License-Identifier: MIT
"""Labels of metrics that the figure and the table of published values share."""

from __future__ import annotations

import re

from receval.figures.style import NAMES_IN_PRINT


def printed_metric(metric: str) -> str:
    """Return the name of a mean over users, with its cut-off: MAP@100 for AP(depth=100)."""
    label = re.sub(r"\(depth=(\d+)\)$", r"@\1", metric)
    name, at, cutoff = label.partition("@")
    return NAMES_IN_PRINT.get(name, name) + at + cutoff
