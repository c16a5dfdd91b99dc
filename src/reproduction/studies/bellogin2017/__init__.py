# SPDX-License-Identifier: MIT
"""Statistical biases in information retrieval metrics for recommender systems."""
