# SPDX-License-Identifier: MIT
"""valcarce2020: assessing metrics by rating, item and user incompleteness (artifacts: families)."""
