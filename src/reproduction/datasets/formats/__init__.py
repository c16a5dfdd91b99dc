# SPDX-License-Identifier: MIT
"""Parsers of raw formats, one module per source."""
