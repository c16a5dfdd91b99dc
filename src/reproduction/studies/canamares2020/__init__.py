# SPDX-License-Identifier: MIT
"""Offline evaluation options for recommender systems."""
