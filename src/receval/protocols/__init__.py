# SPDX-License-Identifier: MIT
"""Candidate sets, and the ranks of judged items among them."""
