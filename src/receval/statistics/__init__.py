# SPDX-License-Identifier: MIT
"""Statistics of data and of comparisons."""
