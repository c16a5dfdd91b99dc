# SPDX-License-Identifier: MIT
"""Read and write files safely: archives of arrays, tables, and CSV of results."""
