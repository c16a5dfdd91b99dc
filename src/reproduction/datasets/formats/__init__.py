# SPDX-License-Identifier: MIT
"""Parsers of raw formats, one module per source; registries name their functions by path."""
