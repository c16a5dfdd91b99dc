"""Splits: which ratings train a system and which ratings test it."""
