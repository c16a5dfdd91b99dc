"""Offline evaluation options for recommender systems."""
