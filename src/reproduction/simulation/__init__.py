# SPDX-License-Identifier: MIT
"""Simulated worlds with known relevance, and synthetic twins of datasets in their raw formats."""
