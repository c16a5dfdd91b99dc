# SPDX-License-Identifier: MIT
"""What is said of a table that cannot be used, or of one that can, but looks wrong."""

from __future__ import annotations


class TableError(ValueError):
    """A table does not hold what was asked for: the message says where, and what to do."""


class SuspiciousTableWarning(UserWarning):
    """A table can be used, but something in it would spoil an evaluation in silence."""
