# SPDX-License-Identifier: MIT
"""Compare new results with the accepted ones, and accept them."""
