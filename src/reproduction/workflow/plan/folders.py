# SPDX-License-Identifier: MIT
"""The folders that a run reads, in the repository or in the current folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class RunFolders:
    """The folders that a run reads; it writes below the current folder.

    In the repository all paths are relative, so that they are the same in every copy of it.

    Attributes
    ----------
    repository : Path
        Has the code, the documents and the text of the paper.
    own : Path
        Has ``config`` and ``results``: the current folder if it has them, else the repository.
    """

    repository: Path = Path()
    own: Path = Path()

    @classmethod
    def of(cls, repository: Path, here: Path | None = None) -> Self:
        """Return the folders of a run of some repository.

        Parameters
        ----------
        here : Path, optional
            Where it runs, by default the current folder. Its folder ``config`` is used only if it
            has ``studies`` in it.
        """
        home, here = repository.resolve(), (here or Path()).resolve()
        if home == here:
            return cls()
        has_own = (here / "config" / "studies").is_dir()
        return cls(home, Path() if has_own else home)

    @classmethod
    def of_command(cls) -> Self:
        """Return the folders of a command: in a repository its own, elsewhere those of a run.

        The repository of a run is then the one with the command's code.
        """
        repository = Path(__file__).resolve().parents[4]
        elsewhere = (repository / "Snakefile").is_file() and not Path("src", "receval").is_dir()
        return cls.of(repository) if elsewhere else cls()

    @property
    def are_own(self) -> bool:
        """Whether configuration and accepted results are in the current folder."""
        return self.own == Path()

    @property
    def config(self) -> Path:
        """The folder of the configuration, with published tables and claims."""
        return self.own / "config"

    def published(self, name: str) -> Path:
        """Return a table of published values."""
        return self.config / "published" / name

    def results(self, edition: str) -> Path:
        """Return the folder of the accepted results of an edition."""
        return self.own / "results" / edition
