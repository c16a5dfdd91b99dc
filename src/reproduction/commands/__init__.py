# SPDX-License-Identifier: MIT
"""Tasks in the repository, ``receval repo ...``: its results, datasets, claims and pages."""
