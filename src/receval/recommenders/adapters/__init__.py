# SPDX-License-Identifier: MIT
"""Recommenders of other libraries, and arrays of scores, as systems that receval evaluates."""
