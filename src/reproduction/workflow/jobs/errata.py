# SPDX-License-Identifier: MIT
"""The job that measures errata: the numbers of their sizes, by the results of an edition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from receval.storage.files import write_results


def measure_errata(
    *, errata: Path, results: Sequence[Path], records: Sequence[Path], table: Path
) -> None:
    """Write the numbers of all errata.

    Parameters
    ----------
    errata : Path
        ``config/errata.yaml``.
    results, records : sequence of Path
        ``<study>/<artifact>.csv`` and ``<study>/provenance.json`` of all studies.
    table : Path
        The CSV to write: a row a number (:data:`reproduction.claims.errata_table.COLUMNS`).

    Raises
    ------
    ValueError
        The errata cannot be read; the message names the key.
    """
    from reproduction.claims.errata import load_errata
    from reproduction.claims.errata_table import errata_table
    from reproduction.claims.sources import ClaimSources

    sources = ClaimSources(
        {f"{path.parent.name}/{path.stem}": path for path in results},
        {path.parent.name: path for path in records},
    )
    write_results(errata_table(load_errata(errata), sources), table)
