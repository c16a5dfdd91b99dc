# SPDX-License-Identifier: MIT
"""Artifact families that Valcarce et al. (2018) and (2020) share."""
