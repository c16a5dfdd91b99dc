# SPDX-License-Identifier: MIT
"""Adapters that turn models of other libraries, or arrays of scores, into systems."""
