# SPDX-License-Identifier: MIT
"""Statements of the papers, checked against fresh results."""
