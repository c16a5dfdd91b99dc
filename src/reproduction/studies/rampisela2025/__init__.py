# SPDX-License-Identifier: MIT
"""Figures and tables of Rampisela et al. (2025): fairness to groups and to single users."""
