# SPDX-License-Identifier: MIT
"""Artifacts of Shehzad and Jannach (2023), comparisons in which only some systems are tuned."""
