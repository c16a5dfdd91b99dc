"""Fresh artifacts against accepted ones: what the rule of ``drift.smk`` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from receval.drift.comparison import compare_folders
from receval.drift.report import as_markdown
from receval.drift.spec import DriftConfig
from receval.storage.files import write_atomically


def report_drift(
    *,
    fresh: Sequence[Path],
    accepted: Sequence[Path],
    report: Path,
    folders: tuple[str, str],
    drift: Mapping[str, Any],
    artifacts: Sequence[str],
    one_sided_datasets: Sequence[str],
) -> None:
    """Compare the fresh artifacts of an edition with the accepted ones.

    Parameters
    ----------
    fresh, accepted : sequence of Path
        All files that are compared, below the two folders.
    report : Path
        The Markdown to write.
    folders : tuple of str
        The folders of the fresh and of the accepted artifacts.
    drift : mapping
        A :class:`receval.drift.spec.DriftConfig` as plain values.
    artifacts : sequence of str
        ``study/artifact`` names that the run makes.
    one_sided_datasets : sequence of str
        Datasets that need not be on both sides.

    Raises
    ------
    ValueError
        A file is in neither folder.
    """
    for folder, files in zip(map(Path, folders), (fresh, accepted), strict=True):
        outside = [path.as_posix() for path in files if not path.is_relative_to(folder)]
        if outside:
            raise ValueError(
                f"{', '.join(outside)} would not be compared, as it is not in {folder.as_posix()}: "
                "the rule declares files and folders that do not belong together."
            )
    own, theirs = map(Path, folders)
    compared = compare_folders(
        own, theirs, DriftConfig.model_validate(drift), artifacts, one_sided_datasets
    )
    write_atomically(report, as_markdown(compared))
