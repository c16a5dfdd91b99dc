# SPDX-License-Identifier: MIT
"""Table families that several studies share: dataset statistics, claims and texts."""
