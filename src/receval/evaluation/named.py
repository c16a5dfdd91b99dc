# SPDX-License-Identifier: MIT
"""Resolve protocols and metrics that callers give by name or as objects."""

from __future__ import annotations

from collections.abc import Sequence

from receval.metrics.metric import Metric
from receval.metrics.usual_names import metric_of_usual_name
from receval.protocols.protocol import Protocol, parse_protocol


def named_protocols(
    given: str | Protocol | Sequence[str | Protocol],
) -> dict[str, Protocol]:
    """Return protocols by their names in results."""
    listed = [given] if isinstance(given, str | Protocol) else list(given)
    if not listed:
        raise ValueError("There is no protocol: name at least one, such as 'AR AI-AN'.")
    found: dict[str, Protocol] = {}
    for one in listed:
        protocol = parse_protocol(one) if isinstance(one, str) else one
        name = protocol.name
        if protocol.sampled is not None:
            name += f" sampled={protocol.sampled}"
        found[name if name not in found else protocol.key] = protocol
    return found


def named_metrics(given: str | Metric | Sequence[str | Metric]) -> dict[str, Metric]:
    """Return metrics by their labels."""
    listed = [given] if isinstance(given, str | Metric) else list(given)
    if not listed:
        raise ValueError("There is no metric: name at least one, such as 'nDCG@10'.")
    found = [metric_of_usual_name(one) for one in listed]
    return {metric.label: metric for metric in found}
