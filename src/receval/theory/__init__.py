# SPDX-License-Identifier: MIT
"""Theory of offline evaluation: expected precision, bounds, and optimal rankings."""
