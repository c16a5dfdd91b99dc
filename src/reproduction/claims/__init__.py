# SPDX-License-Identifier: MIT
"""Check statements of the papers against fresh results."""
