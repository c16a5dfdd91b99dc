# SPDX-License-Identifier: MIT
"""Compare systems on one split or one set of judgments: averages, intervals and tests."""
