"""The metrics that an artifact compares, by the names that its paper gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from receval.metrics.metric import Metric


def named_metrics(parameters: Mapping[str, Any], labels_in: str = "metrics") -> dict[str, Metric]:
    """Return the metrics of an artifact's parameters by name.

    Parameters
    ----------
    parameters : mapping
        ``names`` holds the names, aligned with the labels.
    labels_in : {"metrics", "released"}
        The parameter with the labels: of the text's forms, or of the released tool's.

    Raises
    ------
    ValueError
        There are not as many names as metrics, or a name is given twice.
    """
    from receval.metrics.registry import parse

    names, labels = tuple(parameters["names"]), tuple(parameters[labels_in])
    if len(names) != len(labels) or len(set(names)) != len(names):
        raise ValueError(
            f"The names {', '.join(names)} must be one for each of the metrics "
            f"{', '.join(labels)}, and differ."
        )
    return {name: parse(label) for name, label in zip(names, labels, strict=True)}
