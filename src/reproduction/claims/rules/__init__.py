# SPDX-License-Identifier: MIT
"""Rules that decide claims."""
