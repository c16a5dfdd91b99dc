# SPDX-License-Identifier: MIT
"""Artifact families that valcarce2018 and valcarce2020 share."""
