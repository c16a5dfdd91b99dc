"""What a study's artifacts were made from: configuration, checksums of the data, versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def study_record(
    config: Mapping[str, Any],
    summaries: Mapping[str, Path],
    absent: Sequence[str],
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """Return the provenance of a study.

    Parameters
    ----------
    config : mapping
        From :meth:`receval.plan.Plan.study_description`.
    summaries : mapping of str to Path
        The summary of each prepared dataset.
    absent : sequence of str
        Datasets that the study reads and that were not there.
    versions : mapping of str to str
        From :func:`receval.provenance.versions.versions`.
    """
    return {
        "configuration": dict(config),
        "datasets": {
            name: json.loads(path.read_text(encoding="utf-8"))
            for name, path in sorted(summaries.items())
        },
        "absent datasets": list(absent),
        "versions": dict(versions),
    }
