# SPDX-License-Identifier: MIT
"""Accept the artifacts of a run: determine what changes, then copy and remove files."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from receval.storage.files import replacing
from reproduction.drift.comparison import DATA_SUFFIX, DRAWING_SUFFIXES, same_content

PROVENANCE_SUFFIX = ".json"
SUFFIXES = (DATA_SUFFIX, *DRAWING_SUFFIXES, PROVENANCE_SUFFIX)
PAGE_OF_STUDY = "index.md"


@dataclass(frozen=True)
class Acceptance:
    """The changes from accepting a run's artifacts, as ``study/file`` names in alphabetical order.

    Copied files are new or changed, those unchanged have the accepted bytes, and removed are
    accepted files whose artifact no longer exists.
    """

    fresh: Path
    accepted: Path
    copied: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return a line for each changed file, with the rows that a CSV gains or loses."""
        return [
            *(f"{self._change(file)} {file}{self._rows(file)}" for file in self.copied),
            *(f"removed {file}" for file in self.removed),
        ]

    def carry_out(self) -> None:
        """Replace and remove files after all have been copied, so that a full disk changes none."""
        with ExitStack() as all_files:
            for file in self.copied:
                copy = all_files.enter_context(replacing(self.accepted / file))
                copy.write_bytes((self.fresh / file).read_bytes())
        for file in self.removed:
            (self.accepted / file).unlink()
            study = (self.accepted / file).parent
            if study != self.accepted and not any(study.iterdir()):
                study.rmdir()

    def _change(self, file: str) -> str:
        return "changed" if (self.accepted / file).is_file() else "new    "

    def _rows(self, file: str) -> str:
        if not file.endswith(DATA_SUFFIX) or not (self.accepted / file).is_file():
            return ""
        before, after = (
            len((folder / file).read_bytes().splitlines()) for folder in (self.accepted, self.fresh)
        )
        if before == after:
            return ""
        return f", {abs(after - before):,} rows {'more' if after > before else 'fewer'}"


def acceptance(
    fresh: Path, accepted: Path, artifacts: Collection[str], pages: Collection[str] = ()
) -> Acceptance:
    """Return the changes from copying a run's artifacts into the folder of accepted results.

    ``artifacts`` are all ``study/artifact`` names that the studies list, whether or not their data
    is available, and the names of results that belong to no study. If the run did not make one of
    them, its accepted files stay. Accepted files of other artifacts are removed, and their
    leftovers in the fresh folder are not copied. ``pages`` are the names of Markdown pages that
    belong to no study and have no CSV.

    Files of provenance (``.json``) belong to an artifact or to a whole study. Those of a study, and
    its page, are kept as long as it lists any artifact.
    """
    listed = set(artifacts)
    studies = {name.split("/")[0] for name in listed}

    def belongs(file: str) -> bool:
        name, study = str(Path(file).with_suffix("")), file.split("/")[0]
        of_study = file.endswith((PROVENANCE_SUFFIX, f"/{PAGE_OF_STUDY}"))
        is_page = name in pages and file.endswith(".md")
        return name in listed or is_page or (of_study and study in studies)

    found = [file for file in _files(fresh) if belongs(file)]
    for file in found:
        data = str(Path(file).with_suffix(DATA_SUFFIX))
        is_page = Path(file).name == PAGE_OF_STUDY or Path(file).stem in pages
        if file.endswith(DRAWING_SUFFIXES) and not is_page and data not in found:
            raise ValueError(
                f"{fresh / file} has no {Path(data).name} beside it. Let the run finish before "
                "accepting its results."
            )
    unchanged = tuple(
        file
        for file in found
        if (accepted / file).is_file() and same_content(accepted / file, fresh / file)
    )
    copied = tuple(file for file in found if file not in unchanged)
    removed = tuple(file for file in _files(accepted) if not belongs(file))
    return Acceptance(fresh, accepted, copied, unchanged, removed)


def _files(folder: Path) -> list[str]:
    """Return the sorted ``study/file`` names of files in a folder that can be accepted."""
    return sorted(
        path.relative_to(folder).as_posix()
        for pattern in ("*.*", "*/*")
        for path in folder.glob(pattern)
        if path.suffix in SUFFIXES and not path.name.startswith(".")
    )
