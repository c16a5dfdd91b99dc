# SPDX-License-Identifier: MIT
"""What is said of a table that cannot be used."""

from __future__ import annotations


class TableError(ValueError):
    """A table does not hold what was asked for: the message says where, and what to do."""
