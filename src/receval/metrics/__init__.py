# SPDX-License-Identifier: MIT
"""Metrics as values with parameters, computed from judged ranks."""
