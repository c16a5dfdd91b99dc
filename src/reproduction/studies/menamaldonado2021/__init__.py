# SPDX-License-Identifier: MIT
"""Popularity bias in false-positive metrics for recommender systems evaluation."""
