# SPDX-License-Identifier: MIT
"""Artifacts of shehzad2023, comparisons in which only some systems are tuned."""
