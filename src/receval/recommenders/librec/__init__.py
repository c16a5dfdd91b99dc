# SPDX-License-Identifier: MIT
"""Replicas of LibRec 2.0 systems, with its random numbers and the order of its hash sets."""
