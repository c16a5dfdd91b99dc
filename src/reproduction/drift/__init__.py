# SPDX-License-Identifier: MIT
"""Drift: what moved between the fresh results and the accepted ones."""
