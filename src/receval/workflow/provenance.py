"""What the artifacts of a study were made from: what a rule of ``artifacts.smk`` names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from receval.provenance.versions import provenance_record, write_json
from receval.splits.split import Split


def record_provenance(
    *,
    summaries: Sequence[Path],
    splits: Sequence[Path],
    results: Sequence[Path],
    record: Path,
    config: Mapping[str, Any],
    absent: Sequence[str],
    digests: Mapping[str, Mapping[str, str]],
    versions: Mapping[str, str],
) -> None:
    """Record what the artifacts of a study were made from.

    Parameters
    ----------
    summaries : sequence of Path
        ``.../<dataset>/summary.json`` of the datasets that the study reads.
    splits : sequence of Path
        ``.../<dataset>/<split>/split.npz`` of its splits.
    results : sequence of Path
        The CSVs of its artifacts: the record is of these, and made again whenever one of them is.
    record : Path
        The JSON to write.
    config : mapping
        From :meth:`receval.workflow.plan.studies.PlannedStudies.description`.
    absent : sequence of str
        Datasets that could not be had.
    digests : mapping of str to mapping of str to str
        Of the code of each artifact: of what computes its ``results``, and of what has ``shown``
        them.
    versions : mapping
        Of the libraries when the plan was made; what is recorded is what is at work here.
    """
    metadata = {
        f"{path.parts[-3]}/{path.parts[-2]}": dict(Split.read(path).metadata) for path in splits
    }
    datasets = {p.parent.name: json.loads(p.read_text(encoding="utf-8")) for p in summaries}
    settings = {**config, "metadata of the splits": metadata}
    write_json(record, provenance_record(settings, datasets, absent, digests))
