# SPDX-License-Identifier: MIT
"""What theorems, identities and definitions of the papers come to on small random data."""
