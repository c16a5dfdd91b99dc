# SPDX-License-Identifier: MIT
"""Systems beside each other on one split or one set of judgments: values, intervals, tests."""
