# SPDX-License-Identifier: MIT
"""Check theorems, identities and definitions of the papers on small random data."""
