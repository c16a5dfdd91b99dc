# SPDX-License-Identifier: MIT
"""Statistics that describe ratings, and statistics that compare systems."""
