# SPDX-License-Identifier: MIT
"""The folders that a run reads: in the repository, or of whoever runs it from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class RunFolders:
    """Where a run finds what it does not make; what it makes is below the current folder.

    In the repository all paths are relative, so that they are the same in every copy of it.

    Attributes
    ----------
    repository : Path
        With the code, the documents and the text of the paper.
    own : Path
        With ``config`` and ``results``: the repository, or the current folder if it has them.
    """

    repository: Path = Path()
    own: Path = Path()

    @classmethod
    def of(cls, repository: Path, here: Path | None = None) -> Self:
        """Return the folders of a run of some repository.

        Parameters
        ----------
        here : Path, optional
            Where it runs, by default the current folder. A folder ``config`` with ``studies`` in it
            is a configuration of receval, another one is not.
        """
        home, here = repository.resolve(), (here or Path()).resolve()
        if home == here:
            return cls()
        has_own = (here / "config" / "studies").is_dir()
        return cls(home, Path() if has_own else home)

    @classmethod
    def of_command(cls) -> Self:
        """Return the folders of a command: in a repository its own, elsewhere as of a run.

        The repository of a run is then the one whose code the command is.
        """
        repository = Path(__file__).resolve().parents[4]
        elsewhere = (repository / "Snakefile").is_file() and not Path("src", "receval").is_dir()
        return cls.of(repository) if elsewhere else cls()

    @property
    def are_own(self) -> bool:
        """Whether configuration and accepted results are those of the current folder."""
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
