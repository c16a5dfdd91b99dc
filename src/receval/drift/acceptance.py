"""Making fresh artifacts the accepted ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from receval.drift.comparison import DATA_SUFFIX, DRAWING_SUFFIXES
from receval.storage.files import write_atomically

PROVENANCE_SUFFIX = ".json"
SUFFIXES = (DATA_SUFFIX, *DRAWING_SUFFIXES, PROVENANCE_SUFFIX)


@dataclass(frozen=True)
class Acceptance:
    """What accepting did, as ``study/file`` names in alphabetical order.

    Attributes
    ----------
    copied : tuple of str
        Files that are new or changed.
    unchanged : tuple of str
        Files whose bytes were the accepted ones already.
    removed : tuple of str
        Accepted files whose artifact does not exist any more.
    """

    copied: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def accept(fresh: Path, accepted: Path, artifacts: Collection[str]) -> Acceptance:
    """Copy the artifacts of a run into the folder of accepted results.

    Parameters
    ----------
    fresh : Path
        ``work/<edition>/artifacts``.
    accepted : Path
        ``results/<edition>``; made if need be.
    artifacts : collection of str
        All ``study/artifact`` names that the studies list, whether or not their data is here. An
        artifact among them that the run did not make stays as it was accepted. Accepted files of
        any other artifact are removed, and leftovers of it in the fresh folder are not copied.

    Returns
    -------
    Acceptance
        What was copied and what was removed.

    Raises
    ------
    ValueError
        If the run has drawings of an artifact without its CSV; nothing is accepted then.

    Notes
    -----
    Files of provenance (``.json``) belong to an artifact or to a study as a whole; the latter live
    as long as the study lists any artifact. Each file is replaced in one step.
    """
    listed = set(artifacts)
    studies = {name.split("/")[0] for name in listed}

    def belongs(file: str) -> bool:
        name, study = str(Path(file).with_suffix("")), file.split("/")[0]
        return name in listed or (file.endswith(PROVENANCE_SUFFIX) and study in studies)

    found = [file for file in _files(fresh) if belongs(file)]
    for file in found:
        data = str(Path(file).with_suffix(DATA_SUFFIX))
        if file.endswith(DRAWING_SUFFIXES) and data not in found:
            raise ValueError(
                f"{fresh / file} has no {Path(data).name} beside it: let the run finish before "
                "accepting its results."
            )
    copied, unchanged = [], []
    for file in found:
        content = (fresh / file).read_bytes()
        target = accepted / file
        if target.is_file() and target.read_bytes() == content:
            unchanged.append(file)
        else:
            write_atomically(target, content)
            copied.append(file)
    removed = [file for file in _files(accepted) if not belongs(file)]
    for file in removed:
        (accepted / file).unlink()
        study = (accepted / file).parent
        if not any(study.iterdir()):
            study.rmdir()
    return Acceptance(tuple(copied), tuple(unchanged), tuple(removed))


def _files(folder: Path) -> list[str]:
    """Return the ``study/file`` names of what can be accepted in a folder, sorted."""
    return sorted(
        f"{path.parent.name}/{path.name}"
        for path in folder.glob("*/*")
        if path.suffix in SUFFIXES and not path.name.startswith(".")
    )
