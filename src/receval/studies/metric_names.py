"""Printed names of metrics whose labels have parameters that a caption explains."""

from __future__ import annotations

NAMES = {"RBPresidual": "RBP residual", "tau": "Kendall's tau", "UserCoverage": "User coverage"}
"""Printed names of metrics whose labels have another."""


def metric_name(label: str) -> str:
    """Return the name of a metric with its cut-off, without its other parameters."""
    name, _, rest = label.partition("(")
    name, _, cutoff = f"{name}{rest.partition(')')[2]}".partition("@")
    return NAMES.get(name, name) + (f"@{cutoff}" if cutoff else "")
