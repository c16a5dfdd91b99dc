# SPDX-License-Identifier: MIT
"""How claims can be decided whose dataset is missing here."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reproduction.datasets.spec import DatasetSpec

_LACKS = re.compile(r"the dataset ([\w-]+)")


def datasets_elsewhere(datasets: Mapping[str, DatasetSpec]) -> dict[str, str]:
    """Return for each dataset how claims on it can be decided if it is missing."""
    return {name: _elsewhere(spec) for name, spec in datasets.items()}


def _elsewhere(spec: DatasetSpec) -> str:
    if spec.access == "manual":
        return f"decided by `make reproduce` with {spec.short_title}, which must be asked for"
    if spec.access == "generated":
        return f"decided by `make reproduce`, which writes {spec.short_title}"
    return f"decided by `make reproduce` where {spec.short_title} can be downloaded"


def told_needs(needs: str, elsewhere: Mapping[str, str]) -> str:
    """Return what an undecidable claim needs, as a clause.

    Examples
    --------
    >>> told_needs("the dataset a", {"a": "decided by `make reproduce` where A can be downloaded"})
    'decided by `make reproduce` where A can be downloaded'
    >>> told_needs("outcomes of systems with users online", {})
    'needs outcomes of systems with users online'
    """
    if not needs:
        return ""
    dataset = _LACKS.fullmatch(needs)
    return elsewhere.get(dataset[1] if dataset else "", f"needs {needs}")
