# SPDX-License-Identifier: MIT
"""Compare metrics on sampled candidates with metrics on the full ranking."""
