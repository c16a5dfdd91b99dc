# SPDX-License-Identifier: MIT
"""Metrics of whole lists: coverage, concentration, popularity, novelty, diversity, exposure."""
