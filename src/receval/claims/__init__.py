"""Statements of the papers, checked against fresh results."""
