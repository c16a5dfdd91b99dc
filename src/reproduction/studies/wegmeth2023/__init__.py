# SPDX-License-Identifier: MIT
"""The artifacts of wegmeth2023."""
