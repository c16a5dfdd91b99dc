# SPDX-License-Identifier: MIT
"""Rules that decide claims, one module per rule."""
