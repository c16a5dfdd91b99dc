# SPDX-License-Identifier: MIT
"""Artifacts of rampisela2024, joint measures of fairness and relevance."""
