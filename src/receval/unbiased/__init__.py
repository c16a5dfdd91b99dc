# SPDX-License-Identifier: MIT
"""Estimates of what metrics would be if judgments were not chosen by users."""
