# SPDX-License-Identifier: MIT
"""The artifacts of Wegmeth et al. (2023)."""
