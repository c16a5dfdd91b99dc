# SPDX-License-Identifier: MIT
"""The commands ``receval repo ...``, for results, datasets, claims and pages of the repository."""
