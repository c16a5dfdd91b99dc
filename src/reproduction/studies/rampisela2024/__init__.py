# SPDX-License-Identifier: MIT
"""Artifacts of Rampisela et al. (2024), joint measures of fairness and relevance."""
