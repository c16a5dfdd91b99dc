# SPDX-License-Identifier: MIT
"""valcarce2020: metrics under rating, item and user incompleteness (artifacts are families)."""
