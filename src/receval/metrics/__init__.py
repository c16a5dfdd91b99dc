# SPDX-License-Identifier: MIT
"""Metrics with parameters, computed from judged ranks."""
