# SPDX-License-Identifier: MIT
"""What protocols do to metrics, as formulas: expected precision, bounds, exact expectations."""
