"""Synthetic worlds with known relevance, and twins of the rating datasets in their raw formats."""
