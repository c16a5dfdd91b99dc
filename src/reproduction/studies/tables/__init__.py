# SPDX-License-Identifier: MIT
"""Families of tables that several studies have: the statistics of their datasets, and texts."""
