# SPDX-License-Identifier: MIT
"""Evaluate systems when judgments are missing, at random or by the choices of users."""
