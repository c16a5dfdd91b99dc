# SPDX-License-Identifier: MIT
"""How results are kept: archives of arrays, tidy CSV, writing that never half-succeeds."""
