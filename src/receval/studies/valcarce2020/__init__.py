"""Assessing ranking metrics in top-N recommendation."""
