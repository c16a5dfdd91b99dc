# SPDX-License-Identifier: MIT
"""Families of artifacts that valcarce2018 and valcarce2020 have in common."""
