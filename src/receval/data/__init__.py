# SPDX-License-Identifier: MIT
"""Read and write ratings, judgments and recommendations as tables of other programs."""
