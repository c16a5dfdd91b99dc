# SPDX-License-Identifier: MIT
"""Worlds with known relevance, and synthetic twins of the rating datasets in raw formats."""
