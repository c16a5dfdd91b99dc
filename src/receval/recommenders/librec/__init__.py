# SPDX-License-Identifier: MIT
"""Replicas of systems of LibRec 2.0, with its random numbers and the order of its hash sets."""
