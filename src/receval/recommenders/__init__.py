"""Recommender systems: one algorithm per module, all of them `receval.recommenders.base`."""
