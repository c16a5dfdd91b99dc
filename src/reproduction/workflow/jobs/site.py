# SPDX-License-Identifier: MIT
"""Write the site of an edition."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reproduction.publishing.site.site import SiteSources, write_site


def build_site(
    *,
    claims: Path,
    indexes: tuple[Path, ...],
    records: tuple[Path, ...],
    files: tuple[Path, ...],
    documents: tuple[Path, ...],
    pictures: tuple[Path, ...],
    modules: tuple[Path, ...],
    templates: tuple[Path, ...],
    assets: tuple[Path, ...],
    edition: str,
    papers: tuple[Path, ...],
    certainty: tuple[Path, ...],
    certainty_figures: tuple[Path, ...],
    datasets: Mapping[str, str],
    elsewhere: Mapping[str, str],
    statements: tuple[Path, ...],
    site: Path,
) -> None:
    """Write the site of an edition.

    Parameters
    ----------
    certainty, certainty_figures : tuple of Path
        The accepted results of the replications, if any; the SVG and CSV of each figure.
    """
    write_site(
        SiteSources(
            edition=edition,
            claims=claims,
            studies=tuple(index.parent for index in indexes),
            documents={_in_repository(path): path for path in documents},
            pictures={_in_repository(path): path for path in pictures},
            modules=modules,
            templates=templates[0].parent,
            assets=assets[0].parent,
            datasets=datasets,
            elsewhere=elsewhere,
            statements=statements,
            report=papers[0] if papers else None,
            certainty=certainty[0] if certainty else None,
            certainty_figures={
                path.stem.removeprefix("replications_"): path
                for path in certainty_figures
                if path.suffix == ".svg"
            },
        ),
        site,
    )


def _in_repository(path: Path) -> str:
    """Return the path of a document in the repository, wherever that is."""
    parts = path.parts
    if "docs" not in parts:
        return path.name
    return Path(*parts[len(parts) - 1 - parts[::-1].index("docs") :]).as_posix()
